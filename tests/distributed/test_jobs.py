"""Programs in several processes: collectives, training, and what happens when a process fails."""

import os
import sys

import pytest

from tests.distributed.jobs import needs_mpi, start

pytestmark = needs_mpi


def test_every_collective_on_every_dtype_with_three_processes():
    done = start("collectives.py", 3)
    assert done.code == 0, done.err
    assert sorted(done.out.replace("results", "results\n").split("\n"))[-1].startswith("rank 2 of 3: ")
    assert "the backend 'gloo' is carried by MPI" in done.err


def test_training_on_two_processes_is_that_of_one_on_the_joined_batch():
    done = start("training.py", 2, 5)
    assert done.code == 0, done.err


def test_a_job_has_the_variables_of_torchrun_and_lines_with_ranks():
    done = start("failing.py", 2, "no", "a word", options=["--tee", "3"])
    assert done.code == 0, done.err
    lines = sorted(line for line in done.out.splitlines() if line)
    assert lines == [f"[default{rank}]:variables {rank} {rank} 2 2 0 ['a word']" for rank in range(2)]


def test_plain_mpiexec_starts_the_same_program():
    from rushlight.distributed import mpiexec

    done = start("failing.py", 2, "no", launcher=plain(mpiexec.find(), 2), TORCHELASTIC_RESTART_COUNT="0")
    assert done.code == 0, done.err
    assert sorted(done.out.replace("variables", "\nvariables").split("\n"))[-1].startswith("variables 1 1 2 2 0")


def plain(program, count):
    variables = dict(os.environ)
    from rushlight.distributed.mpiexec import Plan

    words = Plan(program, count, count, 1, None).command([sys.executable, "-m", "rushlight"], variables)
    os.environ.update({name: value for name, value in variables.items() if name.startswith("OMPI")})
    return words


@pytest.mark.parametrize(
    ("how", "code", "words"),
    [
        ("raise", 1, ["[rank1]: ValueError: something broke", "rank 1 of 3 failed at", "failing.py:"]),
        ("exit with 3", 3, ["rank 1 of 3 failed at", "SystemExit: 3"]),
        ("exit", 1, ["waits for rank 1, which has ended"]),
        ("kill", None, ["rank 1 of 3", "ended without a word"]),
        ("vanish", None, ["rank 1 of 3", "ended without a word"]),
        ("sleep", 1, ["all_reduce timed out after 1.5 s", "rank 1 did not come: it is at", "time.sleep(60)"]),
        ("before", 1, ["ValueError: before the start", "rank 1 of 3 failed at"]),
    ],
)
def test_a_process_that_fails_ends_the_job_in_ten_seconds(how, code, words):
    done = start("failing.py", 3, how)
    assert done.code == code if code is not None else done.code != 0
    assert [word for word in words if word not in done.err] == [], done.err
    assert done.took < 10
    assert not done.left_behind()


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("other shape", ["shapes differ", "all_reduce(torch.float32 [2])", "all_reduce(torch.float32 [3])"]),
        ("other collective", ["collective", "broadcast(torch.float32 [2])", "dist.broadcast(ones, 0)"]),
    ],
)
def test_collectives_that_do_not_go_together_are_named_with_both_lines(how, words):
    done = start("failing.py", 2, how, TORCH_DISTRIBUTED_DEBUG="DETAIL")
    assert done.code == 1 and "Detected mismatch between collectives on ranks" in done.err
    assert [word for word in words if word not in done.err] == [], done.err


def test_a_timeout_can_be_caught_and_names_who_did_not_come():
    done = start("failing.py", 2, "caught")
    assert "caught: monitored_barrier timed out after 0.3 s" in done.out and "rank 1 did not come: it is at" in done.out


def test_a_job_that_failed_is_started_again():
    done = start("failing.py", 2, "restart", options=["--max_restarts", "2"])
    assert done.code == 0 and "starting all 2 processes again (1 of 2)" in done.err
    assert done.out.count("variables") == 2 and "variables 1 1 2 2 1 []" in done.out
