"""What starts a job: options, the environment, mpiexec's command line, and output with ranks; no MPI is needed."""

import io
import json
import os
import signal
import socket
import subprocess
import sys

import pytest

from rushlight.distributed import environment, failures, launch, mpiexec, process, run, watch
from rushlight.distributed.job import Job


def python(program):
    """The command of a small process; there need not be others, not even a shell."""
    return [sys.executable, "-S", "-c", program]


def options(*words):
    return run.parse_args([*words, "train.py", "--epochs", "3"])


def test_options_are_torchruns():
    found = options("--nproc-per-node", "4", "--nnodes=1", "--master_addr", "here", "--standalone", "--tee", "3")
    assert (found.nproc_per_node, found.master_addr, found.standalone, found.tee) == ("4", "here", True, "3")
    assert found.training_script == "train.py" and found.training_script_args == ["--epochs", "3"]
    assert run.parse_args(["-m", "package.train", "-x"]).module


def test_the_command_of_a_process_runs_the_program_for_torch():
    words, program = run.command(options("--tee", "1"))
    assert words[:4] == [sys.executable, "-u", "-m", "rushlight.distributed.process"]
    assert program == ["train.py", "--epochs", "3"]
    assert run.command(run.parse_args(["--no_python", "echo", "a"])) == (["echo"], ["a"])
    assert run.command(run.parse_args(["-m", "train", "a"]))[0][-1] == "-m"


def test_the_number_of_processes_is_a_number_or_that_of_cores():
    assert run.per_node("3") == 3 and run.per_node("cpu") == run.per_node("auto") >= 1
    for word in ("gpu", "0", "-1"):
        with pytest.raises(ValueError, match=f"Unsupported nproc_per_node value: {word}"):
            run.per_node(word)


def test_other_nodes_leave_the_start_to_the_first(capsys):
    assert run.run(options("--node_rank", "1")) == 0
    assert "the first node starts the processes of all" in capsys.readouterr().out


def test_wrong_options_are_told_without_a_traceback(capsys, monkeypatch):
    monkeypatch.setattr(mpiexec, "find", lambda given: "mpiexec")
    for words, said in ((["--max_restarts", "-1"], "max_restarts has to be 0"), (["--nproc_per_node", "x"], "Unsupp")):
        with pytest.raises(SystemExit, match="2"):
            run.main([*words, "train.py"])
        assert said in capsys.readouterr().err


def test_a_missing_mpiexec_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr(mpiexec.shutil, "which", lambda name: None)
    monkeypatch.setattr(mpiexec.os, "access", lambda path, mode: False)
    with pytest.raises(RuntimeError, match=r"there is no mpiexec: pip install 'rushlight\[distributed\]'"):
        mpiexec.find()
    with pytest.raises(RuntimeError, match="there is no /nowhere/mpiexec"):
        mpiexec.find("/nowhere/mpiexec")
    with pytest.raises(SystemExit, match="2"):
        launch.main(["--use_env", "train.py"]) if launch.launch(["--node_rank", "1", "x"]) else run.main(["train.py"])
    assert "there is no mpiexec" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (mpiexec.MPICH, ["mpiexec", "-n", "4", "-ppn", "2", "-disable-auto-cleanup", "-f", "hosts", "python"]),
        (mpiexec.OTHER, ["mpiexec", "-n", "4", "-f", "hosts", "python"]),
        (
            mpiexec.OPEN_MPI,
            "mpiexec -n 4 --map-by ppr:2:node:OVERSUBSCRIBE --bind-to none --hostfile hosts python".split(),
        ),
    ],
)
def test_the_command_line_is_that_of_the_mpi(monkeypatch, kind, words):
    monkeypatch.setattr(mpiexec, "flavour", lambda program: kind)
    variables = {}
    assert mpiexec.Plan("mpiexec", 4, 2, 2, "hosts").command(["python"], variables) == words
    assert ("OMPI_ALLOW_RUN_AS_ROOT" in variables) is (kind == mpiexec.OPEN_MPI)


def test_several_machines_need_their_names(monkeypatch):
    monkeypatch.setattr(mpiexec, "flavour", lambda program: mpiexec.MPICH)
    with pytest.raises(ValueError, match="--nnodes 2 needs --hostfile"):
        mpiexec.Plan("mpiexec", 4, 2, 2, None).command(["python"], {})
    assert mpiexec.Plan("mpiexec", 4, 2, 2, None).command(["python"], {"SLURM_JOB_ID": "1"})[0] == "mpiexec"


@pytest.mark.parametrize(
    ("given", "rank", "size"),
    [
        ({"RANK": "2", "WORLD_SIZE": "4"}, "2", "4"),
        ({"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "3", "OMPI_COMM_WORLD_LOCAL_RANK": "0"}, "1", "3"),
        ({"PMI_RANK": "0", "PMI_SIZE": "2"}, "0", "2"),
        ({"SLURM_PROCID": "5", "SLURM_NTASKS": "8", "SLURM_LOCALID": "1"}, "5", "8"),
    ],
)
def test_ranks_are_read_from_whoever_started_the_process(given, rank, size):
    found = dict(given)
    environment.complete(found)
    assert found["RANK"] == rank and found["WORLD_SIZE"] == size
    assert found["MASTER_ADDR"] == "127.0.0.1" and found["MASTER_PORT"] == "29500"
    if len(given) == 3:
        assert found["LOCAL_RANK"] == list(given.values())[2]


def test_lines_carry_the_rank_and_go_into_a_file_too():
    shown, copy = io.StringIO(), io.StringIO()
    stream = process.Marked(shown, "[default1]:", copy)
    print("one\ntwo", end="", file=stream)
    stream.write(" more\nlast")
    stream.close()
    assert shown.getvalue() == "[default1]:one\n[default1]:two more\n[default1]:last\n"
    assert copy.getvalue() == "one\ntwo more\nlast" and stream.getvalue() == shown.getvalue()
    assert process.chosen("3", 1) == 3 and process.chosen("0:1,1:2", 1) == 2 and process.chosen("0:1", 1) == 0


def test_streams_are_marked_and_written_as_the_options_say(tmp_path, monkeypatch):
    monkeypatch.setenv("RUSHLIGHT_LOG_DIR", str(tmp_path))
    shown = io.StringIO()
    monkeypatch.setattr(sys, "stdout", shown)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    made = process.mark_streams("1", "2", 3)
    print("out")
    print("err", file=sys.stderr)
    process.finish(made)
    for each in made:
        each.copy.close()
    assert shown.getvalue() == "[default3]:out\n"
    assert [(tmp_path / "3" / f"{name}.log").read_text() for name in ("stdout", "stderr")] == ["out\n", "err\n"]


def test_an_error_is_printed_with_the_rank_noted_and_ends_all(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(environment.JOB_FOLDER, str(tmp_path))
    ended = []
    hook = failures.with_rank(sys.__excepthook__, 2, ended.append)
    try:
        raise ValueError("broken")
    except ValueError as error:
        hook(type(error), error, error.__traceback__)
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1] == "[rank2]: ValueError: broken" and all(line.startswith("[rank2]: ") for line in lines)
    said = json.loads((tmp_path / "rank-2.error").read_text())
    assert said["error"] == "ValueError: broken" and said["where"].startswith(__file__) and ended == [1]


def test_a_process_is_known_to_run_or_to_have_ended():
    assert watch.is_alive(os.getpid()) and watch.signals_reach(os.getpid())
    assert not watch.is_alive(2**22 - 3) and not watch.signals_reach(2**22 - 3)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="this system does not tell when other processes end")
def test_of_processes_that_ended_at_once_each_may_have_been_the_first(tmp_path, capfd):
    processes = [subprocess.Popen(python("import time; time.sleep(60)")) for _ in range(2)]
    for rank, each in enumerate(processes):
        (tmp_path / f"rank-{rank}.pid").write_text(f"{each.pid} {socket.gethostname()}")
        each.kill()
        os.waitid(os.P_PID, each.pid, os.WEXITED | os.WNOWAIT)
    job = Job(subprocess.Popen(python("import time; time.sleep(0.1)"), start_new_session=True), str(tmp_path), 2)
    assert job.wait() == 1
    first, second = (f"rank {rank} of 2 (process {each.pid})" for rank, each in enumerate(processes))
    assert f"{first} or {second} ended without a word" in capfd.readouterr().err
    assert [each.wait() for each in processes] == [-signal.SIGKILL] * 2


def test_a_process_that_is_killed_after_its_end_is_told_of(tmp_path, capfd):
    (tmp_path / "rank-0.pid").write_text(f"{os.getpid()} elsewhere")
    (tmp_path / "rank-0.done").write_text("yes")
    assert Job(subprocess.Popen(python("raise SystemExit(9)"), start_new_session=True), str(tmp_path), 1).wait() == 9
    assert "mpiexec ended with 9 after every rank had come to its end" in capfd.readouterr().err
