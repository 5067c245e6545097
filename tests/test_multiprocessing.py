"""Processes: Python's module under torch's name, with `spawn`."""

import os

import pytest

import rushlight as torch

multiprocessing = torch.multiprocessing


def work(number, folder):
    with open(os.path.join(folder, str(number)), "w", encoding="utf-8") as file:
        file.write(str(torch.ones(number + 1).sum().item()))


def fail(number):
    raise ValueError(f"from {number}")


def leave(number):
    os._exit(3)


def test_processes_run_a_function(tmp_path):
    multiprocessing.spawn(work, (str(tmp_path),), nprocs=2)
    assert [(tmp_path / name).read_text() for name in ("0", "1")] == ["1.0", "2.0"]


def test_what_a_process_raises_is_raised_here():
    with pytest.raises(multiprocessing.ProcessRaisedException, match="ValueError: from 0") as found:
        multiprocessing.start_processes(fail, nprocs=1, start_method="fork")
    assert found.value.error_index == 0


def test_a_process_that_exits_is_told():
    context = multiprocessing.start_processes(leave, nprocs=1, join=False, start_method="fork")
    assert len(context.pids()) == 1
    with pytest.raises(multiprocessing.ProcessExitedException, match="terminated with exit code 3") as found:
        while not context.join():
            pass
    assert found.value.exit_code == 3


def test_tensors_go_through_queues_as_copies():
    queue = multiprocessing.SimpleQueue()
    queue.put(torch.arange(3))
    assert queue.get().tolist() == [0, 1, 2]


def test_strategies_are_kept():
    assert multiprocessing.get_sharing_strategy() in multiprocessing.get_all_sharing_strategies()
    multiprocessing.set_sharing_strategy("file_system")
    assert multiprocessing.get_sharing_strategy() == "file_system"
    multiprocessing.set_sharing_strategy("file_descriptor")
    with pytest.raises(AssertionError, match="'hope' is not one of"):
        multiprocessing.set_sharing_strategy("hope")
