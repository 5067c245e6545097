"""Every float32 function stays within the error that tools/accuracy states for it, and every one has a row there."""

import pytest

import rushlight as torch
from rushlight.ops.machine.late import registry
from tools.accuracy.errors import error_of
from tools.accuracy.functions import FUNCTIONS
from tools.accuracy.reductions import FAMILIES, REDUCTIONS, reduction_errors
from tools.accuracy.samples import ALLOWED, LEFT_OUT, USUAL, others, sample_error, sample_errors

ROWS = {row.name for row in FUNCTIONS}


@pytest.mark.parametrize("row", FUNCTIONS, ids=lambda row: row.call)
def test_function_is_within_its_bound(row):
    assert error_of(torch, row) <= row.bound


def test_reductions_of_a_million_numbers_are_within_their_bounds():
    found, bounds = reduction_errors(torch), {row.name: row.bound for row in REDUCTIONS}
    assert {name: error for name, error in found.items() if not error <= bounds[name]} == {}


@pytest.mark.filterwarnings("ignore")
def test_all_other_functions_are_exact_on_their_samples():
    found = sample_errors(torch)
    assert {name: error for name, error in found.items() if not error <= ALLOWED.get(name, USUAL)} == {}


def public(op):
    return op.samples is not None and not op.name.rpartition(".")[2].startswith("_")


@pytest.mark.filterwarnings("ignore")
def test_every_function_of_single_elements_has_a_row():
    """A new one is measured over its whole domain: give it a row in tools/accuracy/functions.py."""
    pointwise = [op for op in registry().values() if public(op) and getattr(op.samples, "pointwise", False)]
    assert [op.name for op in pointwise if op.name not in ROWS and sample_error(torch, op) is not None] == []


@pytest.mark.filterwarnings("ignore")
def test_every_reduction_has_a_row_unless_it_is_exact():
    """A new one is measured over a million numbers: give it a row in tools/accuracy/reductions.py."""
    rows = {row.op for row in REDUCTIONS}
    files = {f"rushlight.ops.{name}" for name in FAMILIES}
    family = {name: op for name, op in registry().items() if op.body.__module__ in files}
    assert [name for name, op in family.items() if public(op) and name not in rows and sample_error(torch, op)] == []


def test_tables_name_functions_that_are_there():
    known = set(registry())
    names = [*ROWS, *LEFT_OUT, *ALLOWED, *(row.op for row in REDUCTIONS)]
    assert [name for name in names if name not in known] == []
    assert not ROWS & {op.name for op in others()}


@pytest.mark.parametrize("size", [1e30, 1e-30, 1e-42])
@pytest.mark.parametrize("order", [1.5, 2, 3])
def test_norms_neither_overflow_nor_vanish(size, order):
    x = torch.tensor([3.0, -4.0, 0.0]) * size
    expected = torch.tensor([3.0, -4.0, 0.0]).double().mul(float(x[0]) / 3).norm(order)
    assert x.norm(order).item() == pytest.approx(expected.item(), rel=1e-3 if size < 1e-38 else 1e-6)
    rows = torch.stack([x, torch.zeros(3), torch.ones(3)])
    assert rows.norm(order, dim=1)[1:].tolist() == pytest.approx([0, 3 ** (1 / order)])


def test_norms_of_infinities_and_nan_are_so():
    inf, nan = float("inf"), float("nan")
    assert torch.tensor([1.0, -inf]).norm().item() == inf
    assert torch.isnan(torch.tensor([inf, nan]).norm())
    assert torch.zeros(0).norm().item() == 0
    assert torch.zeros(2, 0).norm(dim=1).tolist() == [0, 0]
    assert torch.zeros(0, 2).norm(dim=1).shape == (0,)


def test_extreme_logits_and_offsets_lose_nothing():
    x = torch.tensor([1e5, -1e5, 1e5])
    assert x.softmax(0).tolist() == [0.5, 0, 0.5]
    assert x.logsumexp(0).item() == pytest.approx(1e5 + 0.6931472, rel=1e-7)
    assert (torch.tensor([1.0, 2.0, 3.0]) + 1e6).var().item() == 1
    assert torch.nn.functional.softplus(torch.tensor([100.0, -100.0]), threshold=1000).tolist()[0] == 100
