"""The pool behind tensors: what it keeps, counts and gives back, in one thread, in several and across fork."""

import gc
import os
import threading
import time

import numpy as np
import pytest

import rushlight as torch
from rushlight import memory
from rushlight.native import extension
from tests.native.processes import run

native = pytest.mark.skipif(extension is None or not memory.stats()["pool"], reason="no native pool")
MIB = 2**20


@pytest.fixture(autouse=True)
def same_limit_after():
    before = memory.limit()
    yield
    if memory.stats()["pool"]:
        memory.set_limit(before)


def signs(count: int, size: int) -> None:
    values = torch.ones(size)
    for _ in range(count):
        values = values * -1
    assert values[0] == (-1) ** count


def owner(tensor: torch.Tensor) -> np.ndarray:
    """The array that owns a tensor's memory."""
    array = tensor.numpy()
    return array if array.base is None else array.base


def held_after_release() -> int:
    """Bytes held after a release; a thread gives up its own a moment after Python has joined it."""
    for _ in range(500):
        memory.release()
        if memory.held() == 0:
            break
        time.sleep(0.01)
    return memory.held()


@native
def test_a_freed_tensor_is_held_and_serves_the_next():
    memory.release()
    a = torch.ones(MIB)
    b = a * 2
    used = memory.used()
    del b
    assert memory.used() == used - 4 * MIB
    assert memory.held() >= 4 * MIB
    fresh = memory.stats()["fresh"]
    for _ in range(10):
        a * 2
    assert memory.stats()["fresh"] == fresh


@native
@pytest.mark.parametrize("size", [1, 15, 16, 17, 255, 1000, 4097, 100_000, 3_000_000])
def test_results_are_aligned_to_64_bytes(size):
    assert (torch.ones(size) * 2).data_ptr() % 64 == 0


@native
def test_what_is_used_comes_back_to_where_it_began():
    before = memory.used()
    tensors = [torch.ones(size) * 2 for size in (0, 1, 63, 64, 65, 1000, 12345, 10**6)]
    assert memory.used() > before + 4 * 10**6
    del tensors
    assert memory.used() == before


@native
def test_the_peak_is_the_most_that_was_used_at_once():
    a = torch.ones(MIB)
    a * 2
    memory.reset_peak()
    begin = memory.peak()
    assert begin == memory.used()
    b = a * 2
    c = b * 2
    del b, c
    a * 2
    assert memory.peak() == begin + 8 * MIB
    small = [torch.ones(10) * 2 for _ in range(100)]
    del small
    assert memory.peak() == begin + 8 * MIB


@native
def test_release_gives_everything_back():
    torch.ones(MIB) * 2
    assert memory.held() > 0
    assert held_after_release() == 0


@native
def test_no_more_than_the_limit_is_held():
    memory.set_limit(16 * MIB)
    assert memory.limit() == 16 * MIB
    tensors = [torch.ones(MIB) * 2 for _ in range(10)]
    del tensors
    assert 0 < memory.held() <= 16 * MIB


@native
def test_a_limit_of_zero_holds_nothing():
    assert held_after_release() == 0
    memory.set_limit(0)
    signs(100, 10)
    signs(10, MIB)
    assert memory.held() == 0


@native
def test_sizes_that_nobody_asks_for_make_room():
    memory.release()
    memory.set_limit(32 * MIB)
    old = [torch.ones(MIB) * 2 for _ in range(8)]
    del old
    new = torch.ones(3 * MIB)
    new * 2
    fresh = memory.stats()["fresh"]
    new * 2
    assert memory.stats()["fresh"] == fresh
    assert memory.held() <= 32 * MIB


@native
def test_an_array_outlives_its_tensor_and_can_be_resized():
    before = memory.used()
    array = owner(torch.arange(1000.0) * 2)
    array.resize(100_000, refcheck=False)
    assert array[999] == 1998 and not array[1000:].any()
    array.resize(10, refcheck=False)
    assert array.tolist() == list(range(0, 20, 2))
    array.resize(0, refcheck=False)
    del array
    assert memory.used() == before


@native
def test_an_array_whose_state_is_replaced_is_freed_by_its_true_size():
    before = memory.used()
    for kind in (np.float64, np.int8):
        array = owner(torch.arange(1000.0) * 2)
        array.__setstate__(np.arange(1000, dtype=kind).__reduce__()[2])
        del array
        assert memory.used() == before
    signs(50, 2000)


@native
def test_threads_free_what_others_allocated():
    gc.collect()  # what earlier tests left in circles would be freed meanwhile
    before = memory.used()
    shared, errors = [], []

    def make(seed):
        for step in range(300):
            value = torch.full((1 + (step * seed) % 5000,), float(seed)) * 2
            shared.append(value)
            if step % 2:
                try:
                    other = shared.pop(0)
                    errors.extend([] if bool((other == other[0]).all()) else [seed])
                except IndexError:
                    pass

    threads = [threading.Thread(target=make, args=(seed,)) for seed in range(1, 5)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    shared.clear()
    assert not errors
    assert memory.used() == before


@native
def test_what_a_thread_held_stays_in_the_pool_when_it_ends():
    memory.release()
    thread = threading.Thread(target=signs, args=(10, 100))
    thread.start()
    thread.join()
    assert memory.held() > 0
    assert held_after_release() == 0


@native
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_child_of_fork_allocates_while_threads_ran():
    code = """
import os, threading
def work():
    while not done.is_set():
        for size in (10, 1000, 100_000):
            torch.ones(size) * 2
done = threading.Event()
threads = [threading.Thread(target=work) for _ in range(3)]
for each in threads:
    each.start()
for _ in range(10):
    child = os.fork()
    if child == 0:
        for size in (10, 1000, 100_000, 10**6):
            assert (torch.ones(size) * 2)[-1] == 2
        memory.release()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
done.set()
for each in threads:
    each.join()
print("whole")
"""
    # newer Pythons warn of fork in a program with threads
    assert run("import warnings; warnings.simplefilter('ignore')\n" + code) == "whole"


def test_without_the_pool_tensors_work_and_nothing_is_held():
    code = """
values = [torch.ones(size) * 2 for size in (0, 1, 1000, 10**6)]
del values
print(memory.stats()["pool"], memory.held(), memory.limit(), memory.used())
try:
    memory.set_limit(1)
except RuntimeError as error:
    print(error)
"""
    reason = "the environment variable RUSHLIGHT_POOL is 0" if extension is not None else "the native layer is off"
    lines = run(code, RUSHLIGHT_POOL="0").splitlines()
    assert lines[0] == "False 0 0 0"
    assert lines[1].startswith(f"set_limit: there is no pool, because {reason}")


def test_without_the_native_layer_every_figure_is_zero():
    code = """
memory.release()
memory.reset_peak()
print(memory.limit(), memory.held(), memory.used(), memory.peak(), set(memory.stats().values()))
"""
    assert run(code, RUSHLIGHT_NATIVE="0") == "0 0 0 0 {False}"


@pytest.mark.parametrize(("bytes", "error"), [("1", TypeError), (1.5, TypeError), (True, TypeError), (-1, ValueError)])
def test_a_limit_is_a_number_of_bytes(bytes, error):
    with pytest.raises(error, match="set_limit expects"):
        memory.set_limit(bytes)


@native
def test_a_huge_limit_is_as_good_as_none():
    memory.set_limit(10**30)
    assert memory.limit() >= 2**60


def test_too_large_a_tensor_raises_and_leaves_nothing():
    ones = torch.ones(1).expand(2**45)
    before = memory.used()
    with pytest.raises((MemoryError, RuntimeError)):
        ones * 2
    assert memory.used() == before
