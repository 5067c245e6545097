"""Families that are declared late: nobody can tell, except by how short the import is."""

import pytest

import rushlight as torch
from rushlight.ops.machine import bind, late
from tests.fresh import run
from tools.stubs.late_names import is_late

late.load()


def test_every_late_method_is_promised():
    found = [name for name, method in vars(torch.Tensor).items() if is_late(method)]
    assert list(late.METHODS) == sorted(found)


def test_every_late_function_is_promised():
    found = [name for name, function in bind.public("").items() if is_late(function)]
    assert set(found) == late.FUNCTIONS


def test_a_late_method_has_its_signature_and_its_sentence_before_it_is_loaded():
    program = (
        "doc = torch.Tensor.inverse.__doc__; import sys; assert 'rushlight.ops.linalg' not in sys.modules; "
        "import inspect; print(inspect.signature(torch.Tensor.sum_to_size)); print(doc); "
        "print('rushlight.ops.linalg' in sys.modules)"
    )
    assert run(program).splitlines() == ["(self, *size)", "The inverse of a square matrix: `linalg.inv`.", "True"]


@pytest.mark.parametrize(
    "program",
    [
        "print(torch.quantile(torch.tensor([0.0, 1, 2]), 0.5).item())",
        "print(torch.tensor([0.0, 1, 2]).quantile(0.5).item())",
        "from rushlight import quantile; print(quantile(torch.tensor([0.0, 1, 2]), 0.5).item())",
        "print(torch.linalg.pinv(torch.ones(1, 1)).item())",
        "print(torch.special.bessel_j0(torch.zeros(1)).item())",
        "print(torch.nn.functional.cosine_similarity(torch.ones(4), torch.ones(4), 0).item())",
    ],
)
def test_a_late_name_is_found_at_once(program):
    assert run(program) == "1.0"


def test_a_name_that_nobody_declares_is_refused():
    with pytest.raises(AttributeError, match=r"torch.*has no attribute 'quantil'"):
        torch.quantil  # noqa: B018
    with pytest.raises(AttributeError, match="linalg"):
        torch.linalg.nothing  # noqa: B018
