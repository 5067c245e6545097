"""Every float32 function stays within the error that tools/accuracy.py states for it."""

import importlib.util
from pathlib import Path

import pytest

import rushlight as torch

TOOL = Path(__file__).resolve().parents[2] / "tools" / "accuracy.py"


def load():
    spec = importlib.util.spec_from_file_location("accuracy", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


accuracy = load()


@pytest.mark.parametrize("row", [*accuracy.FUNCTIONS, *accuracy.PAIRS], ids=lambda row: row.name)
def test_function_is_within_its_bound(row):
    assert accuracy.error_of(torch, row) <= row.bound


def test_reductions_of_a_million_numbers_are_within_their_bounds():
    found = accuracy.reduction_errors(torch)
    assert {name: error for name, error in found.items() if not error <= accuracy.REDUCTIONS[name][1]} == {}


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
