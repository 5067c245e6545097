"""Every op, from its own samples: forward mode agrees with reverse mode, and `vmap` with one sample after the other."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

import rushlight as torch
from rushlight.func import jvp, vjp
from tests.ops.samples import RANDOM, SAMPLED, arguments, differentiable_calls, flat, outcome

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")

# what depends on memory that nobody has filled, or on how the samples lie in it
BY_MEMORY = ("as_strided", "empty", "resize")
STEADY = [op for op in SAMPLED if op.name not in RANDOM and not op.name.startswith(BY_MEMORY)]
# vectors that have no sign of their own: two samples at once may get others than one
UNSIGNED = {"linalg.eig", "linalg.eigh", "linalg.svd", "svd", "linalg.qr", "qr", "geqrf", "lobpcg"}
# refused inside of vmap, in torch's words: sizes, control flow and numbers that depend on values
REFUSED = ("dynamic shape", "data-dependent", ".item() on a Tensor", "data pointer", "view size is not compatible",
           "stride 1", "inplace arithmetic", "random operation", "differently shaped Tensor",
           "explicit positive num_classes", "which will be updated in place, were not batched")  # fmt: skip


def each_of(ops):
    return pytest.mark.parametrize("op", ops, ids=[op.name for op in ops])


def swapped(value, known):
    if isinstance(value, torch.Tensor):
        return known.get(id(value), value)
    return type(value)([swapped(each, known) for each in value]) if type(value) in (list, tuple) else value


def mapped(function, batches) -> tuple | None:
    """What `vmap` gives; None where it refuses what torch's refuses too."""
    try:
        return torch.vmap(function)(*batches)
    except (RuntimeError, NotImplementedError) as error:
        if any(words in str(error) for words in REFUSED):
            return None
        raise


def smooth_calls(op) -> Iterator[tuple]:
    """For the first samples that have a gradient: the op as a function of the inputs that get one, and these."""
    for _, call, points in itertools.islice(differentiable_calls(op), 3):
        outputs = call(*points)
        moving = [place for place, each in enumerate(outputs) if each.requires_grad]
        yield (
            lambda *values, call=call, moving=moving: tuple([call(*values)[place] for place in moving]),
            [each.detach() for each in points],
        )


def directions(tensors, seed) -> tuple:
    """Random tensors like these."""
    random = np.random.default_rng(seed)
    found = []
    for each in tensors:
        values = random.standard_normal(tuple(each.shape))
        values = values + 1j * random.standard_normal(values.shape) if each.is_complex() else values
        found.append(torch.from_numpy(np.asarray(values)).to(each.dtype))
    return tuple(found)


def product(ones, others) -> float:
    """The real part of the sum of products, the first conjugated: what a gradient and a direction have together."""
    return sum(torch.view_as_real((one.conj() * other).resolve_conj())[..., 0].sum().item() if one.is_complex()
               else (one * other).sum().item() for one, other in zip(ones, others, strict=True))  # fmt: skip


SMOOTH = [op for op in STEADY if op.is_composed or op.differentiable]


@each_of(SMOOTH)
def test_forward_mode_agrees_with_reverse_mode(op):
    for function, points in smooth_calls(op):
        outputs, back = vjp(function, *points)
        tangents, cotangents = directions(points, 1), directions(outputs, 2)
        _, moved = jvp(function, tuple(points), tangents)
        forward, reverse = product(cotangents, moved), product(back(cotangents), tangents)
        scale = sum(each.abs().sum().item() for each in moved) + 1
        assert forward == pytest.approx(reverse, rel=1e-6, abs=1e-9 * scale, nan_ok=True)


@each_of([op for op in STEADY if op.name not in UNSIGNED])
def test_vmap_agrees_with_one_sample_after_the_other(op):
    for sample in op.samples()[:6]:
        args, kwargs = arguments(sample)
        given = flat((args, list(kwargs.values())))
        single = outcome(op.function, args, kwargs)
        if not given or isinstance(single, type) or not flat(single):
            continue
        for chosen in {tuple(range(len(given))), (0,)}:
            batches = [torch.stack([given[place], given[place]]) for place in chosen]

            def one(*values, chosen=chosen, args=args, kwargs=kwargs, given=given):
                known = {id(given[place]): value for place, value in zip(chosen, values, strict=True)}
                swap = lambda each: swapped(each, known)
                found = op.function(*map(swap, args), **{name: swap(each) for name, each in kwargs.items()})
                return tuple(flat(found))

            found = mapped(one, batches)
            for batch, expected in zip(found or (), flat(single), strict=found is not None):
                assert batch.dtype is expected.dtype and batch.shape[1:] == expected.shape, sample
                for row in batch:
                    torch.testing.assert_close(row, expected, equal_nan=True, rtol=1e-4, atol=1e-5)


@each_of(SMOOTH)
def test_transforms_of_transforms_agree(op):
    """Forward of reverse and reverse of forward mode, and `vmap` of both."""
    for function, points in itertools.islice(smooth_calls(op), 1):
        outputs, _ = vjp(function, *points)
        tangents, cotangents = directions(points, 1), directions(outputs, 2)

        def gradient(*values, function=function, cotangents=cotangents):
            return vjp(function, *values)[1](cotangents)

        def slope(*values, function=function, tangents=tangents):
            return jvp(function, values, tangents)[1]

        _, forward_of_reverse = jvp(gradient, tuple(points), tangents)
        reverse_of_forward = vjp(slope, *points)[1](cotangents)
        for one, two in zip(forward_of_reverse, reverse_of_forward, strict=True):
            torch.testing.assert_close(one, two, equal_nan=True, rtol=1e-5, atol=1e-7)
        rows = [torch.stack([each, each]) for each in points]
        for transformed in (gradient, slope):
            expected, found = transformed(*points), mapped(transformed, rows)
            for batch, single in zip(found or (), expected, strict=found is not None):
                torch.testing.assert_close(batch[1], single, equal_nan=True, rtol=1e-6, atol=1e-9)
