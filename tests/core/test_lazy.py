"""Names that are loaded on demand, and words for those that are not there."""

import pytest

import rushlight as torch


def test_utilities_are_loaded_when_asked_for():
    assert torch.utils.checkpoint.checkpoint is not None
    assert torch.utils.hooks.RemovableHandle is type(torch.ones(1, requires_grad=True).register_hook(print))


@pytest.mark.parametrize(
    ("package", "name"),
    [
        (torch, "jit"),
        (torch.nn, "NoSuchLayer"),
        (torch.nn.functional, "no_such_function"),
        (torch.optim, "NoSuchMethod"),
        (torch.distributions, "NoSuchFamily"),
        (torch.linalg, "no_such_function"),
        (torch.utils, "no_such_module"),
        (torch.autograd, "no_such_name"),
    ],
)
def test_a_missing_name_is_said_to_be_missing(package, name):
    shown = package.__name__.replace("rushlight", "torch")
    with pytest.raises(AttributeError, match=f"module '{shown}' has no attribute '{name}': it is not in Rushlight"):
        getattr(package, name)
