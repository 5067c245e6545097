"""The table of ops is whole, its calls run, and what is slow is named."""

import math
import sys

import pytest

import rushlight as torch
from benchmarks import ops
from benchmarks.calls import CALLS, SIZES
from benchmarks.measure import Plan, Result, measure
from benchmarks.ways.torchlike import TorchLike
from benchmarks.workloads import OPS


def result(name, size, ours, theirs, direction="forward"):
    return Result(f"{name}/{size}/{direction}", "call", "ops", values={"rushlight": [ours], "torch": [theirs]})


def test_there_are_150_ops():
    assert len(CALLS) == 150
    assert len(OPS) == sum(len(SIZES) * (2 if differentiable else 1) for _, differentiable in CALLS.values())


@pytest.mark.parametrize("name", [name for name in OPS if f"/{SIZES[-1]}/" not in name])
def test_every_call_gives_a_number_to_compare(name):
    before, step = OPS[name].make().torch(TorchLike(torch))
    checked = before()
    assert math.isfinite(checked)
    assert step(checked) == checked


def test_ops_are_measured():
    (found,) = measure(["exp/4/backward"], {"rushlight": sys.executable}, 1, Plan(rounds=1, turn=1e-4))
    assert found.failed == {} and found.best("rushlight") > 0


def test_slow_ops_are_named():
    results = [
        result("exp", 4, 1, 2),
        result("exp", 1000, 3, 2, "backward"),
        result("exp", SIZES[-1], 12, 10),
        result("log", 4, 1, 2),
        result("log", SIZES[-1], 14, 10),
    ]
    assert ops.misses(results) == {"small": [("exp", 1.5)], "large": [("log", 1.4)]}
    first, second, *_ = ops.summary(results)
    assert first.startswith("1 of 2 ") and first.endswith("exp (1.50)")
    assert second.endswith("log (1.40)")
    assert ops.holds(results)
    assert not ops.holds([result(name, 4, 2, 1) for name in list(CALLS)[:11]])


def test_the_page_has_a_row_for_each_call():
    about = {"machine": "a machine", "versions": {"torch": "torch 2.13.0"}}
    page = ops.page([result("exp", 4, 1, 2), result("log", 4, 1, 2)], about)
    assert "| `torch.exp(x)` | 1.00 (0.50) |  |" in page
    assert "| `torch.log(p)` |" in page


def test_an_op_that_is_not_there_is_refused(capsys):
    with pytest.raises(SystemExit):
        ops.main(["no_such_op"])
    assert "no_such_op" in capsys.readouterr().err
