"""Recurrences: products and weighted sums along a dimension, which gradients of running products rest on."""

from __future__ import annotations

import numpy as np

from rushlight.core.memory.strides import packed
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.gradients import conjugate
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.transforms.words import ALONG


def product_of_others(input, dim):
    """For each element the product of all the others along `dim`, without a division."""
    if not input.ndim:
        return input.new_ones(())
    later = chain(one_at(input, dim, -1), input.narrow(dim, 1, input.shape[dim] - 1), dim, True)
    return product_of_earlier(input, dim) * later


def product_of_earlier(input, dim):
    """For each element the product of those before it along `dim`."""
    return chain(one_at(input, dim, 0), input.narrow(dim, 0, input.shape[dim] - 1), dim, False)


def one_at(like, dim, place):
    """Ones in the first or last place of `dim`, zeros elsewhere."""
    found = like.new_zeros(like.shape)
    found.select(dim, place).fill_(1)
    return found


@op(dtype=SAME, batch=ALONG, name="_chain", samples=None)
def chain(input, links, dim: int, backwards: bool):
    """The recurrence s[k] = input[k] + links[k - 1] s[k - 1], or input[k] + links[k] s[k + 1] `backwards`.

    There is one link fewer than elements. Its gradient is the same recurrence the other way round.
    """
    found = np.moveaxis(input.astype(np.result_type(input, links)), dim, 0)
    links = np.moveaxis(links, dim, 0)
    count = len(found)
    if backwards:
        for place in range(count - 2, -1, -1):
            found[place] += links[place] * found[place + 1]
    else:
        for place in range(1, count):
            found[place] += links[place - 1] * found[place - 1]
    return packed(np.moveaxis(found, 0, dim))


chain.gradient(
    input=lambda grad, links, dim, backwards: chain(grad, conjugate(links), dim, not backwards),
    links=lambda grad, links, result, dim, backwards: links_gradient(
        chain(grad, conjugate(links), dim, not backwards), conjugate(result), dim, backwards
    ),
)


def links_gradient(grad, result, dim, backwards):
    rest = result.shape[dim] - 1
    if backwards:
        return grad.narrow(dim, 0, rest) * result.narrow(dim, 1, rest)
    return grad.narrow(dim, 1, rest) * result.narrow(dim, 0, rest)
