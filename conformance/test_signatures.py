"""Signatures beside PyTorch's: the same parameters, wherever `inspect` finds PyTorch's."""

import inspect
import operator

import pytest
import torch

import rushlight

PLACES = (
    "",
    "Tensor",
    "autograd",
    "distributions",
    "distributions.Distribution",
    "fft",
    "functional",
    "linalg",
    "nn",
    "nn.Module",
    "nn.functional",
    "nn.init",
    "nn.utils",
    "optim",
    "optim.Optimizer",
    "optim.lr_scheduler",
    "special",
)
# what one may give here besides: see docs/differences.md
MORE = {"clip_norm", "clip_value", "inplace", "out", "split_size"}
# classes of the inside, functions that were removed and only say so, and what is written otherwise
DIFFERENT = set(
    """
    Size TypedStorage UntypedStorage dtype layout memory_format enable_grad no_grad autograd.enable_grad
    autograd.no_grad eig lstsq matrix_rank solve symeig Tensor.eig Tensor.lstsq Tensor.reinforce Tensor.solve
    Tensor.symeig Tensor.to_sparse_coo sym_float sym_sqrt sym_sum nn.Module.to nn.Softplus
    nn.functional.embedding_bag split functional.split Tensor.split
    """.split()
)


def signatures(library, place):
    """The parameters of each public name of a place that has a signature: (name, default)."""
    home = operator.attrgetter(place)(library) if place else library
    found = {}
    for name in dir(home):
        called = getattr(home, name, None)
        if name.startswith("_") or not callable(called):
            continue
        try:
            parameters = inspect.signature(called).parameters.values()
        except (TypeError, ValueError):
            continue
        found[f"{place}.{name}".removeprefix(".")] = [shown(each) for each in parameters if each.name not in MORE]
    return found


def shown(parameter):
    plain = isinstance(parameter.default, (bool, int, float, str, type(None)))
    required = parameter.default is parameter.empty or parameter.name == "params"
    return parameter.name, "required" if required else parameter.default if plain else "an object"


@pytest.mark.parametrize("place", PLACES)
def test_parameters_and_defaults_are_those_of_torch(place):
    ours, theirs = signatures(rushlight, place), signatures(torch, place)
    anything = [("args", "required"), ("kwargs", "required")]
    compared = [name for name in theirs if name in ours and name not in DIFFERENT and theirs[name] != anything]
    assert {name: (ours[name], theirs[name]) for name in compared if ours[name] != theirs[name]} == {}
