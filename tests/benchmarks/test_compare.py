"""The benchmarks run, and compare only what computes the same. No test here has a limit on time."""

import os
import subprocess
import sys

import pytest

from benchmarks import compare, limits, report, startup
from benchmarks.libraries import LIBRARIES, ROOT, command_of, find_libraries
from benchmarks.measure import Plan, Result, disagreements, measure
from benchmarks.runner import Runner, RunnerError
from benchmarks.workloads import FAMILIES, QUICK, WORKLOADS

SHORT = Plan(rounds=1, turn=1e-3)
HERE = {name: sys.executable for name in ("numpy", "rushlight", "rushlight_plain", "floor")}


def test_a_measured_process_looks_into_this_tree_last():
    command = command_of(sys.executable, "print(*sys.path, sep='\\n')")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    path = ran.stdout.splitlines()
    assert path[-1] == str(ROOT)
    assert path[0] not in ("", str(ROOT))


ADAM = ("adam_50", "adam_50_clipped")
AGENTS = ("policy_forward", "policy_sample", "actor_critic", "sac")


@pytest.mark.parametrize(
    "names", [pytest.param(QUICK, marks=pytest.mark.slow), ADAM, pytest.param(AGENTS, marks=pytest.mark.slow)]
)
def test_rushlight_and_numpy_by_hand_agree(names):
    results = list(measure(names, HERE, 1, SHORT))
    assert [result.workload for result in results] == list(names)
    for result in results:
        assert result.failed == {}
        assert {"numpy", "rushlight", "rushlight_plain"} <= set(result.values)
        assert all(value > 0 for values in result.values.values() for value in values)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lenet", "dqn", "gpt", "lstm"])
def test_networks_train_the_same_with_native_code_and_without(name):
    libraries = {library: sys.executable for library in ("rushlight", "rushlight_plain", "floor")}
    (result,) = measure([name], libraries, 1, SHORT)
    assert result.failed == {} and set(result.values) == set(libraries)


@pytest.mark.slow
def test_transforms_give_the_same_with_native_code_and_without():
    names = [name for name, workload in WORKLOADS.items() if workload.family == "transforms"]
    for result in measure(names, {name: sys.executable for name in ("rushlight", "rushlight_plain")}, 1, SHORT):
        assert result.failed == {} and set(result.values) == {"rushlight", "rushlight_plain"}


@pytest.mark.slow
def test_the_resnet_trains():
    # natively alone: a step without takes seconds
    (result,) = measure(["resnet"], {"rushlight": sys.executable, "floor": sys.executable}, 1, SHORT)
    assert result.failed == {} and set(result.values) == {"rushlight", "floor"}


def test_the_backward_of_a_chain_is_timed_alone():
    (result,) = measure(["backward_10000"], {"rushlight": sys.executable}, 1, SHORT)
    assert result.failed == {} and len(result.values["rushlight"]) == 1


def test_other_results_are_noticed():
    workload = WORKLOADS["mlp_1_64"]
    checks = {"torch": [1.0, 0.5], "numpy": [1.0, 0.5001], "rushlight": [1.0, 0.6], "floor": [None, None]}
    assert list(disagreements(checks, workload)) == ["rushlight"]
    assert list(disagreements({"torch": [1.0], "rushlight": [None]}, workload)) == ["rushlight"]
    # where random numbers differ the mean counts
    checks = {"torch": [1.0, 3.0], "numpy": [2.0, 2.0], "rushlight": [3.0, 3.0]}
    assert list(disagreements(checks, WORKLOADS["policy_sample"])) == ["rushlight"]


def test_a_process_that_fails_says_why():
    runner = Runner("rushlight", sys.executable)
    with pytest.raises(RunnerError, match="no_such_workload"):
        runner.prepare("no_such_workload")
    runner.close()


def test_a_library_without_an_environment_is_left_out(monkeypatch):
    monkeypatch.setattr("benchmarks.libraries.find_python", lambda module: None if module == "jax" else sys.executable)
    found, missing = find_libraries(["jax", "rushlight"])
    assert list(found) == ["rushlight"]
    assert len(missing) == 1 and missing[0].startswith("JAX jit is left out")


@pytest.mark.thorough
def test_fresh_processes_are_measured():
    here = {"numpy": sys.executable, "rushlight": sys.executable}
    assert startup.measure_import(here, 1).ratio("rushlight", "numpy") > 0
    started, memory, *_ = startup.measure_runs({"rushlight": sys.executable}, 1)
    assert started.failed == {} and started.best("rushlight") > 0
    assert memory.unit == "MB" and 10 < memory.best("rushlight") < 10_000


def test_limits_and_columns_name_what_there_is():
    fresh = {"import", *(f"start_{workload}" for workload, _ in startup.RUNS)}
    for limit in limits.LIMITS:
        assert limit.workload in WORKLOADS or limit.workload in fresh
        assert limit.threads == 1 or WORKLOADS[limit.workload].large
        assert all(base in LIBRARIES for base in limits.BASES[limit.base])
    assert all(workload.family in FAMILIES for workload in WORKLOADS.values())


def test_ratios_refer_to_the_best_of_torch_eager():
    result = Result("add", "a + b", "tiny", values={"torch": [2.0, 3.0], "torch_fused": [4.0], "rushlight": [0.2, 0.3]})
    assert result.ratio("rushlight", "torch", "torch_fused") == pytest.approx(0.1)
    limit, ratio = next(limits.check([result]))
    assert (limit.workload, limit.verdict(ratio)) == ("add", "holds")
    assert limit.verdict(0.2) == "does not hold" and limit.verdict(None) == "not measured"


@pytest.mark.thorough
def test_a_run_writes_numbers_page_and_picture(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    numbers = tmp_path / "numbers.json"
    words = ["add", "--rounds", "1", "--turn", "0.001", "--libraries", "numpy", "rushlight", "--json", str(numbers)]
    assert compare.main(words) == 0
    assert "a + b, 4 floats, recording" in capsys.readouterr().out
    results, about = report.load(numbers)
    # a stand-in for torch, so that there are ratios to draw and to check
    results[0].values["torch"] = [1e6]
    report.save(numbers, results, about)
    assert compare.main(["--load", "--limits", "--json", str(numbers), "--report", str(tmp_path)]) == 0
    assert "holds" in capsys.readouterr().out
    assert "| a + b, 4 floats, recording | 1,000,000 (1.00) |" in (tmp_path / "benchmarks.md").read_text()
    assert (tmp_path / "benchmarks.png").stat().st_size > 1000
