"""The public surface: every function, method and class says in a sentence what it does."""

import functools
import inspect

import pytest

import rushlight as torch

PLACES = (
    torch,
    torch.Tensor,
    torch.nn,
    torch.nn.functional,
    torch.nn.init,
    torch.nn.utils,
    torch.optim,
    torch.optim.lr_scheduler,
    torch.distributions,
    torch.autograd,
    torch.linalg,
    torch.fft,
    torch.special,
    torch.masked,
    torch.signal.windows,
)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
def test_every_public_name_has_a_sentence(place):
    silent = []
    # Python's own functions under torch's names
    borrowed = (int, float)
    for name in getattr(place, "__all__", None) or dir(place):
        kind = inspect.getattr_static(place, name, None)
        value = kind if isinstance(kind, property) else getattr(place, name)
        if not name.startswith("_") and value not in borrowed and (callable(value) or isinstance(value, property)):
            doc = (value.__doc__ or "").strip()
            silent += [] if doc.split("\n\n")[0].endswith((".", ":", "?", ")", "`")) else [name]
    assert silent == []


@pytest.mark.parametrize("name", ["", "nn", "nn.functional", "optim", "distributions", "linalg", "fft", "special"])
def test_what_a_module_is_built_with_is_not_shown(name):
    module = functools.reduce(getattr, name.split("."), torch) if name else torch
    assert {"names_of", "namespace", "public", "import_module", "promise", "Any"}.isdisjoint(dir(module))
