"""A name that is not there says what may have been meant."""

import subprocess
import sys

import pytest

import rushlight as torch


@pytest.mark.parametrize(
    ("package", "name", "meant"),
    [
        (torch, "sotfmax", "did you mean torch.softmax?"),
        (torch, "quantil", "did you mean torch.quantile?"),
        (torch, "cross_entropy", "it is torch.nn.functional.cross_entropy"),
        (torch, "Linear", "it is torch.nn.Linear"),
        (torch, "item", "it is a method, Tensor.item"),
        (torch.nn, "Lineer", "did you mean torch.nn.Linear?"),
        (torch.nn, "Relu", "did you mean torch.nn.ReLU?"),
        (torch.nn, "linear", "it is torch.nn.functional.linear"),
        (torch.nn.functional, "sofmax", "did you mean torch.nn.functional.softmax?"),
        (torch.nn.functional, "Dropout", "it is torch.nn.Dropout"),
        (torch.optim, "Adan", "did you mean torch.optim.Adam?"),
        (torch.optim, "StepLR", "it is torch.optim.lr_scheduler.StepLR"),
        (torch.distributions, "Nromal", "did you mean torch.distributions.Normal?"),
        (torch.linalg, "solv", "did you mean torch.linalg.solve?"),
    ],
)
def test_a_misspelt_or_misplaced_name_suggests_the_right_one(package, name, meant):
    place = package.__name__.replace("rushlight", "torch")
    with pytest.raises(AttributeError) as caught:
        getattr(package, name)
    assert str(caught.value) == f"module '{place}' has no attribute '{name}': {meant}"
    assert type(caught.value).__name__ == "AttributeError"
    assert caught.value.name == name


def test_a_name_that_looks_like_none_suggests_nothing():
    with pytest.raises(AttributeError, match=r"'zqxjkv': it is not in Rushlight$"):
        torch.zqxjkv  # noqa: B018


def test_a_name_that_is_left_out_says_why_before_what_looks_like_it():
    with pytest.raises(
        AttributeError, match="'sparse_coo_tensor': it is not in Rushlight: sparse layouts are left out"
    ):
        torch.sparse_coo_tensor  # noqa: B018


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("torch.ones(2).sotfmax", "'Tensor' object has no attribute 'sotfmax'. Did you mean: 'softmax'?"),
        ("torch.nn.Linear(1, 1).wieght", "'Linear' object has no attribute 'wieght'. Did you mean: 'weight'?"),
        ("torch.sotfmax", "module 'torch' has no attribute 'sotfmax': did you mean torch.softmax?"),
    ],
)
def test_a_traceback_suggests_once_also_for_attributes_of_tensors_and_modules(statement, words):
    # Python itself looks for what is near, among fewer than 750 names
    command = [sys.executable, "-c", f"import rushlight as torch; {statement}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == f"AttributeError: {words}"
