"""Threads of the native layer: the same bits for any number of them, across fork, and a quiet exit."""

import os
import threading

import pytest

import rushlight as torch
from rushlight.native import extension
from tests.native.processes import run

native = pytest.mark.skipif(extension is None, reason="no native layer")
SIZE = 53 * 18_869  # above the work threshold of every op, and no multiple of a grain


@pytest.fixture(autouse=True)
def same_count_after():
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def pointwise_and_sums() -> bytes:
    """Bits of large results, forward and backward."""
    torch.manual_seed(0)
    x = torch.randn(SIZE, requires_grad=True)
    y = torch.rand(SIZE, requires_grad=True)
    loss = (x.tanh() * y + torch.exp(x) / (y + 1)).sum() + (x * x).mean() + x.reshape(-1, 53).softmax(0)[0].sum()
    loss.backward()
    parts = [loss.detach(), x.grad, y.grad, x.detach().reshape(-1, 53).sum(0), x.detach().reshape(53, -1).sum(1)]
    return b"".join(part.numpy().tobytes() for part in parts)


@native
def test_results_have_the_same_bits_for_any_number_of_threads():
    torch.set_num_threads(1)
    expected = pointwise_and_sums()
    for count in (2, 3, 8):
        torch.set_num_threads(count)
        assert pointwise_and_sums() == expected


@native
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("rows", "inner", "columns"), [(256, 1000, 256), (513, 385, 511), (100, 700, 300)])
def test_products_have_the_same_bits_for_any_number_of_threads(rows, inner, columns, dtype):
    torch.manual_seed(0)
    a = torch.randn(rows, inner, dtype=dtype)
    b = torch.randn(inner, columns, dtype=dtype)
    torch.set_num_threads(1)
    expected = (a @ b).numpy().tobytes()
    for count in (2, 5):
        torch.set_num_threads(count)
        assert (a @ b).numpy().tobytes() == expected


@native
def test_the_number_of_threads_is_that_of_the_blas_too():
    before = extension.blas_info()
    if before is None:
        pytest.skip("no BLAS of NumPy's to ask")
    torch.set_num_threads(1)
    assert torch.get_num_threads() == 1
    assert extension.blas_info() == (before[0], 1)


@native
@pytest.mark.parametrize("count", [2**31, 10**30, -(2**40)])
def test_a_count_beyond_all_bounds_is_refused(count):
    with pytest.raises(ValueError, match="Overflow when unpacking long"):
        torch.set_num_threads(count)


@native
def test_more_threads_than_cores_work():
    torch.set_num_threads(100)
    assert (torch.ones(SIZE) + 1).sum() == 2 * SIZE


@native
def test_the_environment_sets_the_count():
    assert run("print(torch.get_num_threads())", OMP_NUM_THREADS="3") == "3"
    assert run("print(torch.get_num_threads())", OMP_NUM_THREADS="5,2") == "5"


@native
@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="cores cannot be counted here")
def test_the_default_is_the_number_of_usable_cores():
    code = "import os; print(torch.get_num_threads() == len(os.sched_getaffinity(0)))"
    assert run("import os; os.environ.pop('OMP_NUM_THREADS', None)\n" + code, OMP_NUM_THREADS="") == "True"


@native
def test_callers_in_several_threads_share_the_workers():
    torch.set_num_threads(3)
    expected = pointwise_and_sums()
    results = []
    threads = [threading.Thread(target=lambda: results.append(torch.ones(SIZE).exp().sum())) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len({result.item() for result in results}) == 1
    assert pointwise_and_sums() == expected


@native
def test_workers_that_were_stopped_start_again():
    torch.set_num_threads(2)
    for _ in range(3):
        assert (torch.ones(SIZE) + 1).sum() == 2 * SIZE
        extension.stop_threads()


@native
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.parametrize("leave", ["os._exit(0)", "sys.exit(0)"])
def test_a_child_of_fork_has_threads_of_its_own(leave):
    code = f"""
import os, sys, warnings
warnings.simplefilter("ignore")
torch.set_num_threads(2)
def total():
    return (torch.ones({SIZE}) + 1).exp().sum().item()
expected = total()
for _ in range(5):
    child = os.fork()
    if child == 0:
        assert total() == expected
        {leave}
    assert os.waitpid(child, 0)[1] == 0
    assert total() == expected
print("whole", flush=True)
"""
    assert run(code) == "whole"


@native
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_fork_while_another_thread_computes():
    code = f"""
import os, threading, warnings
warnings.simplefilter("ignore")
torch.set_num_threads(2)
def work():
    while not done.is_set():
        (torch.ones({SIZE}) + 1).exp()
done = threading.Event()
thread = threading.Thread(target=work)
thread.start()
for _ in range(10):
    child = os.fork()
    if child == 0:
        assert (torch.ones({SIZE}) + 1).sum() == {2 * SIZE}
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
done.set()
thread.join()
print("whole")
"""
    assert run(code) == "whole"


@native
def test_worker_processes_compute():
    code = f"""
import multiprocessing
if "fork" in multiprocessing.get_all_start_methods():
    torch.set_num_threads(2)
    (torch.ones({SIZE}) + 1).sum()
    def total(size):
        return (torch.ones(size) + 1).sum().item()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(total, [{SIZE}] * 6) == [{2 * SIZE}] * 6
print("whole")
"""
    assert run("import warnings; warnings.simplefilter('ignore')\n" + code) == "whole"


@native
@pytest.mark.parametrize("leave", ["", "sys.exit(0)", "os._exit(0)", "torch = None"])
def test_exit_does_not_wait_for_workers(leave):
    run(f"import os, sys\ntorch.set_num_threads(4)\n(torch.ones({SIZE}) + 1).exp()\n{leave}")


@native
def test_exit_while_a_daemon_computes():
    code = f"""
import threading, time
torch.set_num_threads(4)
def work():
    while True:
        (torch.ones({SIZE}) + 1).exp()
threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
"""
    run(code)
