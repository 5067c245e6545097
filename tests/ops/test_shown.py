"""Signatures: what `inspect.signature` says of functions and methods."""

import inspect
import pickle

import pytest

import rushlight as torch
from tests.ops.samples import SAMPLED, arguments, outcome


@pytest.mark.parametrize(
    ("called", "signature"),
    [
        (torch.add, "(input, other, *, alpha=1, out=None)"),
        (torch.Tensor.add, "(self, other, *, alpha=1)"),
        (torch.Tensor.add_, "(self, other, *, alpha=1)"),
        (torch.reshape, "(input, shape)"),
        (torch.Tensor.reshape, "(self, *shape)"),
        (torch.ones(1).reshape, "(*shape)"),
        (torch.permute, "(input, dims)"),
        (torch.Tensor.permute, "(self, *dims)"),
        (torch.cat, "(tensors, dim=0, *, out=None)"),
        (torch.Tensor.median, "(self, dim=None, keepdim=False, *, axis=None, keepdims=None)"),
        (torch.einsum, "(*args)"),
        (torch.nn.functional.relu, "(input, inplace=False)"),
        (
            torch.nn.functional.cross_entropy,
            "(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean', "
            "label_smoothing=0.0)",
        ),
        (torch.Tensor.unflatten, "(self, dim, sizes)"),
    ],
)
def test_signatures_are_those_of_torch(called, signature):
    assert str(inspect.signature(called)) == signature


def test_every_function_and_method_of_a_tensor_has_a_signature():
    for place in (torch.Tensor, torch, torch.nn.functional, torch.linalg, torch.fft, torch.special):
        for name in dir(place):
            called = getattr(place, name)
            if not name.startswith("_") and callable(called) and not isinstance(called, type):
                inspect.signature(called)


def test_native_methods_show_the_signature_of_their_python_form():
    assert list(inspect.signature(torch.Tensor.size).parameters) == ["self", "dim"]
    assert str(inspect.signature(torch.ones(1).size)).startswith("(dim")
    assert list(inspect.signature(torch.Tensor.backward).parameters) == [
        "self",
        "gradient",
        "retain_graph",
        "create_graph",
        "inputs",
    ]
    assert torch.Tensor.size.__doc__ == "The shape, or the size of one dimension."


@pytest.mark.filterwarnings("ignore")
def test_every_sample_that_is_accepted_fits_the_signature_that_is_shown():
    # torch takes sizes one by one in methods only, these functions do so too
    sizes = {"flip", "permute", "repeat", "expand", "reshape", "tile", "view", "sum_to_size", "broadcast_to"}
    for op in SAMPLED:
        signature = inspect.signature(op.function)
        for sample in op.samples():
            if op.name not in sizes and not isinstance(outcome(op.function, *arguments(sample)), type):
                signature.bind(*sample.args, **sample.kwargs)


def test_a_signature_can_be_changed_compared_and_pickled():
    found = inspect.signature(torch.add)
    assert found == inspect.signature(torch.add)
    assert str(found.replace(parameters=list(found.parameters.values())[:1])) == "(input)"
    assert str(pickle.loads(pickle.dumps(found))) == str(found)
    assert found.bind(1, 2).arguments == {"input": 1, "other": 2}
