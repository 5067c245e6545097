"""Families that are declared late: nobody can tell, except by how short the import is."""

import subprocess
import sys

import pytest

import rushlight as torch
from rushlight.ops.machine import late

late.load()


def is_late(method):
    place = getattr(method, "__module__", None) or ""
    return place.removeprefix("rushlight.ops.").startswith(late.FAMILIES)


def test_every_late_method_is_promised():
    found = [name for name, method in vars(torch.Tensor).items() if is_late(method)]
    assert late.METHODS.split() == sorted(found)


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
    done = subprocess.run(
        [sys.executable, "-c", f"import rushlight as torch; {program}"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "1.0"


def test_a_name_that_nobody_declares_is_refused():
    with pytest.raises(AttributeError, match=r"torch.*has no attribute 'quantil'"):
        torch.quantil  # noqa: B018
    with pytest.raises(AttributeError, match="linalg"):
        torch.linalg.nothing  # noqa: B018
