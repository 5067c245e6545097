"""Hostile calls beside torch: the same type of error for most, and never another result than torch's."""

import random
import warnings
from collections import Counter

import numpy as np
import pytest

import rushlight
from rushlight.ops.machine.late import registry
from tests import hostile

torch = pytest.importorskip("torch")

CALLS = 6
# torch may run out of memory on these
TOO_LARGE = ("10000000000", "2147483648", "9223372036854775808")
# our dtype means nothing to torch; NumPy's bool makes a float tensor, and of a complex scalar half is lost
ODD_IN_TORCH = ("torch.float16", "np.True_", "np.False_", "np.complex64")
RANDOM = "multinomial bernoulli rrelu poisson normal dropout lowrank".split()
# where results differ, with the reason
KNOWN = {
    "polygamma": "at poles and infinities SciPy's zeta gives inf, torch NaN or noise",
    "special.zeta": "of infinities",
    "special.chebyshev_polynomial_u": "torch returns 0 for NaN",
    "special.laguerre_polynomial_l": "torch leaves the value of the element before where x is NaN",
    "special.legendre_polynomial_p": "torch returns uninitialised memory where x is NaN",
    "searchsorted": "NaN among the boundaries, which are then not sorted",
    "bucketize": "as searchsorted",
    "mode": "NaN beside infinities",
    "nanmedian": "the position where all elements are NaN",
    "nn.functional.gelu": "of infinities: torch gives NaN",
    "logit": "an eps of 1",
    "logaddexp": "complex numbers far apart: torch overflows to NaN",
    "linalg.eigh": "the signs of vectors",
    "linalg.svd": "the signs of vectors",
    "svd": "the signs of vectors",
    "lobpcg": "the signs of vectors",
    "kthvalue": "the position among equal elements, which torch leaves open",
}


def torch_function(name):
    found = torch
    for part in name.split("."):
        found = getattr(found, part, None)
    return found or getattr(torch.Tensor, name, None)


def hostile_calls():
    """(name, our function, torch's, arguments), the same ones each time."""
    for name, op in sorted(registry().items()):
        theirs = torch_function(name)
        if name.startswith("_") or op.samples is None or theirs is None:
            continue
        draw = random.Random(name)
        samples = op.samples()
        for _ in range(CALLS):
            changes = [(draw.randrange(6), draw.randrange(hostile.CHOICES)) for _ in range(draw.choice([1, 1, 2]))]
            args, kwargs = hostile.mutated(draw.choice(samples), changes)
            if not any(word in f"{args}{kwargs}" for word in (*TOO_LARGE, *ODD_IN_TORCH)):
                yield name, op.function, theirs, args, kwargs


def run(function, args, kwargs, library):
    args = [hostile.as_tensors(each, library) for each in args]
    kwargs = {name: hostile.as_tensors(each, library) for name, each in kwargs.items()}
    return hostile.outcome(function, args, kwargs)


def difference(ours, theirs):
    """What differs between two results, or None."""
    if isinstance(ours, rushlight.Tensor) and isinstance(theirs, torch.Tensor):
        if tuple(ours.shape) != tuple(theirs.shape) or str(ours.dtype) != str(theirs.dtype):
            return f"{ours.dtype}{list(ours.shape)}, torch {theirs.dtype}{list(theirs.shape)}"
        one, two = (
            ours.detach().resolve_conj().resolve_neg().numpy(),
            theirs.detach().resolve_conj().resolve_neg().numpy(),
        )
        near = {"float16": 2e-2, "float32": 1e-4, "complex64": 1e-4}.get(str(one.dtype), 1e-7)
        with np.errstate(all="ignore"):
            return None if np.allclose(one, two, near, near, equal_nan=True) else f"{one}, torch {two}"
    if isinstance(ours, (tuple, list)) and isinstance(theirs, (tuple, list)) and len(ours) == len(theirs):
        return next((found for found in map(difference, ours, theirs) if found), None)
    return None if type(ours).__name__ == type(theirs).__name__ else f"{type(ours)}, torch {type(theirs)}"


def builtin(error):
    """The nearest of Python's own types; where torch stumbles over a missing attribute, we say TypeError."""
    found = next(each for each in type(error).__mro__ if each.__module__ == "builtins")
    return TypeError if found is AttributeError else found


def verdict(error, refused):
    """How two errors compare; we look at the kinds of arguments first, where Python code of torch's stumbles later."""
    if isinstance(error, builtin(refused)):
        return "same error"
    return "kind first" if isinstance(error, TypeError) else "other error"


@pytest.mark.slow
def test_hostile_calls_end_as_in_torch():
    counts, wrong = Counter(), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, ours, theirs, args, kwargs in hostile_calls():
            result, error = run(ours, args, kwargs, rushlight)
            expected, refused = run(theirs, args, kwargs, torch)
            if error is not None and refused is not None:
                counts[verdict(error, refused)] += 1
            elif refused is not None:
                counts["only torch refuses"] += 1
            elif error is not None:
                counts["only we refuse"] += 1
            else:
                skipped = name in KNOWN or any(word in name for word in RANDOM)
                found = None if skipped else difference(result, expected)
                counts["same result"] += found is None
                wrong += [] if found is None else [f"{name}{tuple(args)} {kwargs}: {found}"]
    print(counts)
    assert not wrong, "\n".join(wrong)
    assert counts["other error"] < 0.05 * counts["same error"]
    assert counts["kind first"] < 0.05 * counts["same error"]
    assert counts["only torch refuses"] + counts["only we refuse"] < 0.04 * sum(counts.values())
