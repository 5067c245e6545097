"""Processes: Python's module under torch's name; tensors travel by shared memory, and `spawn`."""

import gc
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time

import pytest

import rushlight as torch

multiprocessing = torch.multiprocessing
pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning"),
]


def work(number, folder):
    with open(os.path.join(folder, str(number)), "w", encoding="utf-8") as file:
        file.write(str(torch.ones(number + 1).sum().item()))


def fail(number):
    raise ValueError(f"from {number}")


def fail_at_length(number):
    raise ValueError("x" * 300_000)


def leave(number):
    os._exit(3)


def be_killed(number):
    os.kill(os.getpid(), signal.SIGKILL)


def wait_or_fail(number):
    if number == 1:
        raise ValueError("from 1")
    time.sleep(60)


def add_one(tensor, done):
    tensor += 1
    done.put(True)


def echo(take, give):
    """Send back what comes, changed in place if it is a tensor."""
    while (value := take.get()) is not None:
        if isinstance(value, torch.Tensor):
            with torch.no_grad():
                value.add_(1)
        give.put(value)


def train(model, optimizer_class):
    optimizer = optimizer_class(model.parameters(), lr=0.1)
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()


def square(tensor):
    return tensor * tensor


def send_and_end(queue):
    queue.put(torch.arange(3))


@pytest.fixture
def other():
    """A process that sends back what it is sent."""
    context = multiprocessing.get_context("fork")
    there, back = context.SimpleQueue(), context.SimpleQueue()
    process = context.Process(target=echo, args=(there, back))
    process.start()

    def ask(value):
        there.put(value)
        return back.get()

    yield ask
    there.put(None)
    process.join()
    there.close()
    back.close()


def test_processes_run_a_function(tmp_path):
    multiprocessing.spawn(work, (str(tmp_path),), nprocs=2)
    assert [(tmp_path / name).read_text() for name in ("0", "1")] == ["1.0", "2.0"]


def test_what_a_process_raises_is_raised_here():
    words = "-- Process 0 terminated with the following error:\n(.|\n)*ValueError: from 0"
    with pytest.raises(multiprocessing.ProcessRaisedException, match=words) as found:
        multiprocessing.start_processes(fail, nprocs=1, start_method="fork")
    assert found.value.error_index == 0
    assert found.value.error_pid > 0
    again = pickle.loads(pickle.dumps(found.value))
    assert (again.msg, again.error_pid) == (found.value.msg, found.value.error_pid)


def test_the_others_end_with_one_that_fails():
    start = time.monotonic()
    with pytest.raises(multiprocessing.ProcessRaisedException, match="ValueError: from 1"):
        multiprocessing.start_processes(wait_or_fail, nprocs=2, start_method="fork")
    assert time.monotonic() - start < 20


def test_a_long_traceback_arrives():
    with pytest.raises(multiprocessing.ProcessRaisedException, match=r"x{300000}"):
        multiprocessing.start_processes(fail_at_length, nprocs=1, start_method="fork")


def test_a_process_that_exits_is_told():
    context = multiprocessing.start_processes(leave, nprocs=1, join=False, start_method="fork")
    assert len(context.pids()) == 1
    with pytest.raises(
        multiprocessing.ProcessExitedException, match=r"^process 0 terminated with exit code 3$"
    ) as found:
        while not context.join():
            pass
    assert (found.value.exit_code, found.value.signal_name) == (3, None)


def test_a_process_that_is_killed_is_told():
    with pytest.raises(
        multiprocessing.ProcessExitedException, match=r"^process 0 terminated with signal SIGKILL$"
    ) as found:
        multiprocessing.start_processes(be_killed, nprocs=1, start_method="fork")
    assert (found.value.exit_code, found.value.signal_name) == (-9, "SIGKILL")
    assert pickle.loads(pickle.dumps(found.value)).signal_name == "SIGKILL"


def test_spawn_starts_afresh_whatever_it_is_told():
    with pytest.warns(FutureWarning, match="This method only supports start_method=spawn"):
        multiprocessing.spawn(work, (os.devnull,), nprocs=0, start_method="fork")
    with pytest.warns(UserWarning, match="SpawnContext is renamed to ProcessContext"):
        assert multiprocessing.SpawnContext([], []).join()


def test_strategies_are_kept():
    assert multiprocessing.get_sharing_strategy() in multiprocessing.get_all_sharing_strategies()
    multiprocessing.set_sharing_strategy("file_system")
    assert multiprocessing.get_sharing_strategy() == "file_system"
    multiprocessing.set_sharing_strategy("file_descriptor")
    with pytest.raises(AssertionError, match="invalid sharing strategy 'hope'"):
        multiprocessing.set_sharing_strategy("hope")


def test_what_is_sent_is_shared(other):
    tensor = torch.zeros(4)
    row = tensor[1:]
    back = other(row)
    assert tensor.tolist() == [0.0, 1.0, 1.0, 1.0]
    assert tensor.is_shared() and row.is_shared() and back.is_shared()
    assert back.data_ptr() == row.data_ptr()
    back[0] = 7
    assert row[0] == 7


def test_every_kind_of_tensor_travels(other):
    parameter = torch.nn.Parameter(torch.ones(2, 2))
    back = other(parameter)
    assert isinstance(back, torch.nn.Parameter) and back.requires_grad
    assert parameter.tolist() == [[2.0, 2.0], [2.0, 2.0]]
    assert other(torch.tensor(3)).item() == 4
    assert other(torch.empty(0, 2)).shape == (0, 2)
    assert other(torch.ones(2, 3).t()).stride() == (1, 3)
    assert other(torch.ones(2, dtype=torch.bfloat16)).tolist() == [2.0, 2.0]
    assert other(torch.tensor([1 + 2j]).conj()).tolist() == [2 - 2j]
    assert other(torch.tensor([1 + 2j]).real).tolist() == [2.0]


def test_tensors_in_one_message_still_share_memory(other):
    base = torch.zeros(3)
    first, second = other([base, base[1:]])
    first[2] = 5
    assert second.tolist() == [0.0, 5.0]
    assert base.tolist() == [0.0, 0.0, 5.0]


def test_modules_travel(other):
    model = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.BatchNorm1d(1))
    back = other(model)
    with torch.no_grad():
        back[0].weight.fill_(3)
    assert model[0].weight.tolist() == [[3.0, 3.0]]
    assert all(each.is_shared() for each in model.state_dict().values())


def test_what_has_a_history_stays_at_home():
    queue = multiprocessing.SimpleQueue()
    result = torch.ones(2, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match="Cowardly refusing to serialize non-leaf tensor which requires_grad"):
        queue.put(result)
    leaf = torch.ones(2, requires_grad=True)
    leaf.register_hook(lambda grad: grad)
    with pytest.warns(UserWarning, match="backward hook .* on tensor will not be serialized"):
        queue.put(leaf)
    queue.close()


@pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.Adam, torch.optim.Adagrad])
def test_a_model_is_trained_in_other_processes(optimizer):
    torch.manual_seed(0)
    model = torch.nn.Linear(2, 2)
    before = model.weight.tolist()
    model.share_memory()
    assert model.weight.is_shared() and model.bias.is_shared()
    processes = [multiprocessing.get_context("fork").Process(target=train, args=(model, optimizer)) for _ in range(2)]
    for each in processes:
        each.start()
    for each in processes:
        each.join()
    moved = (torch.tensor(before) - model.weight).detach()
    assert torch.all(moved > 0.14)


def test_a_fresh_process_shares_its_arguments():
    context = multiprocessing.get_context("spawn")
    tensor, done = torch.zeros(3), context.SimpleQueue()
    process = context.Process(target=add_one, args=(tensor, done))
    process.start()
    assert done.get()
    process.join()
    done.close()
    assert tensor.tolist() == [1.0, 1.0, 1.0]


def test_pools_and_queues_take_tensors():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        results = pool.map(square, [torch.full((2,), float(number)) for number in range(4)])
    assert [each.tolist() for each in results] == [[0.0, 0.0], [1.0, 1.0], [4.0, 4.0], [9.0, 9.0]]
    from rushlight.multiprocessing import pool, queue

    context = multiprocessing.get_context("fork")
    with pool.Pool(1, context=context) as own:
        assert own.apply(square, (torch.tensor(3.0),)).item() == 9
    for made in (queue.SimpleQueue(ctx=context), queue.Queue(ctx=context)):
        made.put(torch.arange(2))
        assert made.get().tolist() == [0, 1]
        made.close()


def test_a_process_may_end_before_its_tensor_is_taken():
    queue = multiprocessing.get_context("fork").SimpleQueue()
    process = multiprocessing.get_context("fork").Process(target=send_and_end, args=(queue,))
    process.start()
    time.sleep(0.3)
    assert queue.get().tolist() == [0, 1, 2]
    process.join()
    queue.close()


def test_a_tensor_of_a_process_that_is_gone_is_told():
    queue = multiprocessing.get_context("fork").SimpleQueue()
    process = multiprocessing.get_context("fork").Process(target=send_and_end, args=(queue,))
    process.start()
    while queue.empty():
        time.sleep(0.01)
    process.kill()
    process.join()
    with pytest.raises(ConnectionError, match="the process that sent this tensor no longer has it"):
        queue.get()
    queue.close()


def test_storages_travel(other):
    tensor = torch.zeros(2)
    untyped, typed = other((tensor.untyped_storage(), tensor.storage()))
    untyped[3] = 64
    assert tensor.tolist() == [2.0, 0.0]
    assert typed.tolist() == [2.0, 0.0]


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_nothing_is_left_behind(other):
    def left():
        gc.collect()
        return len(os.listdir("/proc/self/fd"))

    other(torch.zeros(3))
    before = left()
    for _ in range(50):
        other([torch.zeros(3), torch.zeros(1000)])
    assert left() == before


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /dev/shm and /proc")
def test_a_killed_process_leaves_no_memory_and_no_file(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            """
            import os, signal
            import rushlight as torch
            shared = torch.zeros(1000).share_memory_()
            queue = torch.multiprocessing.SimpleQueue()
            queue.put(torch.ones(1000))
            os.kill(os.getpid(), signal.SIGKILL)
            """
        )
    )
    before = set(os.listdir("/dev/shm"))
    found = subprocess.run([sys.executable, str(script)], env={**os.environ, "TMPDIR": str(tmp_path)}, check=False)
    assert found.returncode == -signal.SIGKILL
    # other programs have names there too, for a moment
    end = time.monotonic() + 10
    while not set(os.listdir("/dev/shm")) <= before and time.monotonic() < end:
        time.sleep(0.05)
    assert set(os.listdir("/dev/shm")) <= before
    assert os.listdir(tmp_path) == ["script.py"]
