"""DataLoader with worker processes: the same batches, what is reported, and what is left behind."""

import gc
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import rushlight as torch
from rushlight.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset, get_worker_info

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="workers need sockets that carry descriptors"),
    pytest.mark.filterwarnings("ignore:This DataLoader will create"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning"),
]
TEN = TensorDataset(torch.arange(20.0).view(10, 2), torch.arange(10))


def numbers(loader):
    return [batch[1].tolist() for batch in loader]


class Streams(Dataset):
    """What a worker knows about itself."""

    def __len__(self):
        return 4

    def __getitem__(self, index):
        info = get_worker_info()
        drawn = random.random(), np.random.rand(), torch.rand(1).item()
        return info.id, info.num_workers, info.seed, torch.initial_seed(), *drawn, torch.get_num_threads()


class Acts(Dataset):
    """Does something at index 5."""

    def __init__(self, act, size=12):
        self.act, self.size = act, size

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        if index == 5:
            return self.act()
        return torch.tensor(index)


class Shares(IterableDataset):
    """Each worker has its own share."""

    def __init__(self, size):
        self.size = size

    def __iter__(self):
        info = get_worker_info()
        return iter(range(info.id, self.size, info.num_workers))


def raise_key_error():
    raise KeyError("lost")


class Particular(Exception):
    def __init__(self, one, two):
        super().__init__(one, two)


def raise_particular():
    raise Particular(1, 2)


def raise_local():
    class Local(Exception):
        pass

    raise Local("from inside")


def end_at_once():
    os._exit(7)


def kill_itself():
    os.kill(os.getpid(), signal.SIGKILL)


def sleep_long():
    time.sleep(60)


def a_function_without_name():
    return lambda: None


def fail_to_start(worker_id):
    raise ValueError(f"no worker {worker_id}")


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_batches_are_those_of_one_process(workers):
    torch.manual_seed(0)
    loader = DataLoader(TEN, 3, shuffle=True, num_workers=workers)
    assert numbers(loader) == [[6, 7, 1], [4, 2, 0], [9, 8, 3], [5]]
    assert numbers(loader) == [[2, 4, 7], [0, 8, 9], [5, 3, 6], [1]]
    assert torch.rand(1).item() == pytest.approx(0.455627977848053)


@pytest.mark.parametrize("method", ["spawn", pytest.param("forkserver", marks=pytest.mark.slow)])
def test_workers_can_be_started_afresh(method):
    loader = DataLoader(TEN, 4, num_workers=1, multiprocessing_context=method)
    assert numbers(loader) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


def test_streams_of_random_numbers_are_torchs():
    torch.manual_seed(5)
    seen = [[each.item() for each in batch] for batch in DataLoader(Streams(), 1, num_workers=2)]
    seed = 4095051218741643470
    assert [row[:4] for row in seen] == [[0, 2, seed, seed], [1, 2, seed + 1, seed + 1]] * 2
    expected = [[0.9732, 0.4852, 0.7106], [0.7347, 0.0807, 0.2905], [0.0992, 0.2476, 0.3483], [0.4211, 0.9243, 0.5857]]
    assert np.allclose([row[4:7] for row in seen], expected, atol=6e-5)
    assert all(row[7] == 1 for row in seen)


def test_batches_lie_in_shared_memory():
    for x, y in DataLoader(TEN, 5, num_workers=1):
        assert x.is_shared() and y.is_shared()
        x += 1
    samples = next(iter(DataLoader(TEN, 2, num_workers=1, collate_fn=list)))
    assert all(each.is_shared() for sample in samples for each in sample)
    assert samples[1][0].tolist() == [2.0, 3.0]


def test_what_is_shared_already_arrives_as_it_is():
    shared = torch.zeros(6).share_memory_()
    first = next(iter(DataLoader([shared[2:]], None, num_workers=1)))
    first += 1
    assert shared.tolist() == [0.0, 0.0, 1.0, 1.0, 1.0, 1.0]


def test_any_object_can_be_a_batch():
    samples = [
        {"words": "x" * 100_000, "array": np.arange(50_000), "empty": torch.empty(0, 3), "number": torch.tensor(3)}
    ]
    (found,) = DataLoader(samples, None, num_workers=1)
    assert found["words"] == "x" * 100_000
    assert found["array"][-1] == 49_999
    assert found["empty"].shape == (0, 3)
    assert found["number"].shape == ()


def test_very_many_tensors_fit_into_a_batch():
    batch = next(iter(DataLoader(TensorDataset(torch.arange(700.0)), 700, num_workers=1, collate_fn=list)))
    assert [each.item() for (each,) in batch] == list(range(700))
    large = [torch.full((20_000,), float(number)) for number in range(300)]
    (batch,) = DataLoader([large], None, num_workers=1)
    assert [each[-1].item() for each in batch] == list(range(300))


def test_requests_and_results_that_fill_every_buffer_do_not_wait_for_each_other():
    indices = [[index % 10 for index in range(3000)]] * 40
    loader = DataLoader(
        TEN, batch_sampler=indices, num_workers=1, prefetch_factor=40, collate_fn=lambda batch: "y" * 20_000
    )
    assert len(list(loader)) == 40


def test_streams_end_when_the_last_worker_does():
    assert sorted(each.item() for each in DataLoader(Shares(7), num_workers=2)) == list(range(7))
    assert [each.tolist() for each in DataLoader(Shares(6), 2, num_workers=3)] == [[0, 3], [1, 4], [2, 5]]


def test_workers_persist_over_epochs():
    loader = DataLoader(TEN, 3, num_workers=2, persistent_workers=True)
    first = numbers(loader)
    workers = [each.pid for each in loader._iterator._workers]
    next(iter(loader))
    assert numbers(loader) == first
    assert [each.pid for each in loader._iterator._workers] == workers
    streams = DataLoader(Shares(4), num_workers=2, persistent_workers=True)
    assert [[each.item() for each in streams] for _ in range(2)] == [[0, 1, 2, 3]] * 2


def test_what_comes_first_may_be_taken_first():
    class Slow(Acts):
        def __getitem__(self, index):
            time.sleep(0.5 if index == 0 else 0)
            return index

    loader = DataLoader(Slow(None, 6), num_workers=2, in_order=False)
    order = [each.item() for each in loader]
    assert sorted(order) == list(range(6))
    assert order[0] != 0


def test_an_error_is_raised_here_with_its_traceback_and_its_worker():
    iterator = iter(DataLoader(Acts(raise_key_error), 2, num_workers=2))
    next(iterator), next(iterator)
    with pytest.raises(KeyError, match="Caught KeyError in DataLoader worker process 0") as found:
        next(iterator)
    assert "raise KeyError" in str(found.value)
    assert next(iterator).tolist() == [6, 7]


@pytest.mark.parametrize(
    ("act", "kind", "words"),
    [
        (raise_particular, RuntimeError, "Caught Particular in DataLoader worker process 0"),
        (raise_local, RuntimeError, "from inside"),
        (a_function_without_name, (AttributeError, TypeError), "whose batch cannot be sent"),
    ],
)
def test_errors_that_cannot_be_sent_are_told_all_the_same(act, kind, words):
    with pytest.raises(kind, match=words):
        list(DataLoader(Acts(act), None, num_workers=1))


def test_a_worker_that_cannot_begin_is_told():
    with pytest.raises(ValueError, match=r"Caught ValueError in DataLoader worker process [01](.|\n)*no worker"):
        list(DataLoader(TEN, num_workers=2, worker_init_fn=fail_to_start))


@pytest.mark.parametrize(
    ("act", "words"), [(end_at_once, "ended with exit code 7"), (kill_itself, "was killed by signal SIGKILL")]
)
def test_a_worker_that_dies_is_told_at_once(act, words):
    start = time.monotonic()
    with pytest.raises(
        RuntimeError, match=rf"DataLoader worker \(pid\(s\) \d+\) exited unexpectedly: worker 1 {words}"
    ):
        list(DataLoader(Acts(act), 1, num_workers=2))
    assert time.monotonic() - start < 5


def test_a_worker_killed_while_its_batch_is_waited_for_is_told_within_two_seconds():
    iterator = iter(DataLoader(Acts(sleep_long), None, num_workers=2))
    moment = []

    def kill():
        moment.append(time.monotonic())
        os.kill(iterator._workers[1].pid, signal.SIGKILL)

    timer = threading.Timer(0.2, kill)
    timer.start()
    with pytest.raises(RuntimeError, match="exited unexpectedly: worker 1 was killed by signal SIGKILL"):
        list(iterator)
    assert time.monotonic() - moment[0] < 2
    timer.join()


def test_an_idle_worker_that_is_killed_is_told():
    loader = DataLoader(TEN, 5, num_workers=2, persistent_workers=True)
    list(loader)
    os.kill(loader._iterator._workers[1].pid, signal.SIGKILL)
    loader._iterator._workers[1].join()
    with pytest.raises(RuntimeError, match="exited unexpectedly: worker 1 was killed by signal SIGKILL"):
        list(loader)


def test_patience_ends():
    loader = DataLoader(Acts(sleep_long), None, num_workers=1, timeout=0.3)
    iterator = iter(loader)
    with pytest.raises(RuntimeError, match=r"DataLoader timed out after 0.3 seconds"):
        list(iterator)
    for worker in iterator._workers:
        worker.kill()


def left_behind():
    """Children, descriptors, and mappings of shared memory of this process."""
    gc.collect()
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        children = file.read().split()
    with open("/proc/self/maps") as file:
        mapped = sum("memfd:rushlight" in line for line in file)
    return len(children), len(os.listdir("/proc/self/fd")), mapped


def go_around(loops):
    for number in range(loops):
        loader = DataLoader(TEN, 2, num_workers=2, persistent_workers=number % 4 == 3)
        try:
            for place, _ in enumerate(loader):
                if number % 4 == 1 and place == 1:
                    break
                if number % 4 == 2 and place == 2:
                    raise ValueError
        except ValueError:
            pass


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_nothing_is_left_behind():
    go_around(4)
    before = left_behind()
    go_around(12)
    assert left_behind() == before


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_nothing_is_left_behind_after_a_hundred_loops():
    go_around(4)
    before = left_behind()
    go_around(100)
    assert left_behind() == before


class Troubled(Dataset):
    """Samples of all sizes, and at some indices trouble."""

    def __init__(self, rng):
        self.trouble = {rng.randrange(40): rng.choice(TROUBLE) for _ in range(rng.choice([0, 1, 3]))}
        self.sizes = [rng.choice([0, 1, 5000, 30_000]) for _ in range(3)]

    def __len__(self):
        return 40

    def __getitem__(self, index):
        if index in self.trouble:
            self.trouble[index]()
        size = self.sizes[index % 3]
        return torch.full((size,), float(index)), "s" * size


TROUBLE = (raise_key_error, raise_local, end_at_once, kill_itself, lambda: sys.exit(2), lambda: time.sleep(0.05))


def go_through_trouble(seed):
    """Two epochs of a random loader, whatever happens in them."""
    rng = random.Random(seed)
    loader = DataLoader(
        Troubled(rng),
        rng.choice([None, 1, 3]),
        num_workers=rng.choice([1, 2]),
        prefetch_factor=rng.choice([1, 2, 8]),
        persistent_workers=rng.random() < 0.4,
        in_order=rng.random() < 0.8,
        collate_fn=list,
    )
    for _ in range(2):
        try:
            iterator = iter(loader)
            for number in range(rng.choice([1, 5, 100])):
                if number == 4 and rng.random() < 0.3:
                    os.kill(iterator._workers[0].pid, signal.SIGKILL)
                try:
                    next(iterator)
                except StopIteration:
                    break
                except (KeyError, RuntimeError):
                    pass
        except (RuntimeError, ProcessLookupError):
            pass


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_trouble_of_any_kind_leaves_nothing_behind():
    go_through_trouble(0)
    before = left_behind()
    for seed in range(1, 9):
        start = time.monotonic()
        go_through_trouble(seed)
        assert left_behind() == before, seed
        assert time.monotonic() - start < 30, seed


def test_a_forked_process_leaves_its_parents_iterator_alone():
    iterator = iter(DataLoader(TEN, 5, num_workers=1))
    child = os.fork()
    if child == 0:
        # what pytest has in memory is not this process's to clean up
        try:
            iterator._shutdown_workers()
        finally:
            os._exit(0 if not iterator._shutdown else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert [batch[1].tolist() for batch in iterator] == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]


SCRIPT = """
    import os, signal, sys, time
    import rushlight as torch

    # where tests run in the background of a shell, the signal is ignored
    signal.signal(signal.SIGINT, signal.default_int_handler)

    class Slow(torch.utils.data.Dataset):
        def __len__(self):
            return 1000

        def __getitem__(self, index):
            time.sleep(0.02)
            return torch.ones(20000)

    if __name__ == "__main__":
        import warnings
        warnings.simplefilter("ignore")
        iterator = iter(torch.utils.data.DataLoader(Slow(), 2, num_workers=2))
        next(iterator)
        print(*[each.pid for each in iterator._workers], flush=True)
"""


def is_running(number):
    try:
        with open(f"/proc/{number}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize(
    ("rest", "sent", "words"),
    [
        ("", None, ""),
        ("raise ValueError('in the loop')", None, "ValueError: in the loop"),
        ("for _ in iterator: pass", signal.SIGINT, "KeyboardInterrupt"),
        ("for _ in iterator: pass", signal.SIGKILL, ""),
        ("for _ in iterator: pass", signal.SIGTERM, ""),
    ],
)
def test_workers_end_with_their_program(tmp_path, rest, sent, words):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT) + "    " + rest)
    process = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    workers = [int(each) for each in process.stdout.readline().split()]
    assert len(workers) == 2
    if sent == signal.SIGINT:
        os.killpg(process.pid, sent)
    elif sent is not None:
        process.send_signal(sent)
    _, said = process.communicate(timeout=30)
    assert words in said
    end = time.monotonic() + 10
    while any(map(is_running, workers)) and time.monotonic() < end:
        time.sleep(0.02)
    assert not any(map(is_running, workers))
