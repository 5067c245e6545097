"""Copies of views: `permute_copy` and kin, which are the view functions with results of their own memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.autograd.graph import OpNode
from rushlight.autograd.modes import no_grad, state
from rushlight.core.memory.layout import contiguous_format
from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.declare import composed
from rushlight.ops.machine.samples import Samples, case, cases
from rushlight.ops.pointwise.complex import view_as_complex, view_as_real
from rushlight.ops.shape.broadcasting import expand
from rushlight.ops.shape.copying import clone
from rushlight.ops.shape.diagonals import diagonal
from rushlight.ops.shape.shape import reshape, squeeze, unsqueeze, view
from rushlight.ops.shape.slicing import narrow, select, take_slice, unfold
from rushlight.ops.shape.splitting import split, split_with_sizes, unbind
from rushlight.ops.shape.strided import as_strided
from rushlight.ops.shape.transposing import permute, t, transpose


def own(found: Any, input: Tensor, node_name: str | None) -> Any:
    """The results of a view function in memory of their own, with the view's history under the copy's name."""
    views = list(found) if isinstance(found, tuple) else [found]
    with no_grad():
        copies = [clone(each, memory_format=contiguous_format) for each in views]
    recorded = [each for each in views if each.requires_grad and each is not input]
    node = renamed(recorded[0].grad_fn, node_name) if recorded and state.grad else None
    for copy, each in zip(copies, views, strict=True):
        copy._cut = each._cut
        if node is not None:
            copy._node, copy._output, copy._requires_grad = node, each._output, True
    return tuple(copies) if isinstance(found, tuple) else copies[0]


def renamed(view: Any, name: str | None) -> OpNode:
    """The node of a view as that of a copy: `ExpandBackward0_copy`."""
    name = name or type(view).__name__ + "_copy"
    kind = view.op.node_classes.get(name) or view.op.add_node_class(name)
    node = kind.__new__(kind)
    for field in ("plan", "place", "edges", "numbers", "outputs", "number", "saved", "versions"):
        setattr(node, field, getattr(view, field))
    return node


# torch has derivatives of these copies for real numbers only
REAL = {"view_as_complex", "select", "slice"}


def declare_copy(function: Callable, samples: Samples, example: str) -> Callable:
    """The `_copy` form of a view function; `example` shows it at work."""
    node_name = {"narrow": "NarrowCopyBackward0", "alias": "AliasBackward0_copy", "view": "ViewBackward0_copy"}.get(
        function.__name__
    )

    def copied(input, *args, out=None, **kwargs):
        viewed = function(input, *args, **kwargs)
        if function.__name__ in REAL and viewed.is_complex() and input.requires_grad and state.grad:
            name = function.__name__
            raise RuntimeError(
                f"{name}_copy does not support automatic differentiation for outputs with complex dtype.: use "
                f"{name}(x).clone()"
            )
        found = own(viewed, input, node_name)
        if out is None:
            return found
        if isinstance(found, Tensor):
            return out.resize_(found.shape).copy_(found)
        for target, each in zip(out, found, strict=True):
            target.resize_(each.shape).copy_(each)
        return None

    copied.__name__ = copied.__qualname__ = function.__name__ + "_copy"
    copied.__doc__ = f"Like `{function.__name__}`, with results in memory of their own.\n{example}"
    return composed(samples=samples, method=function is narrow_part)(copied)


def slice_view(input, dim=0, start=None, end=None, step=1):
    return take_slice(input, dim, start, end, step)


def alias(input):
    return view(input, input._array.shape)


def narrow_part(input, dim, start, length):
    if input.ndim <= dim:
        # in torch an inner check fails, which is no IndexError
        raise RuntimeError(f"Expected dim < static_cast<int64_t>(self_sizes.size()) to be true, but got false: {dim}")
    return narrow(input, dim, start, length)


slice_view.__name__, narrow_part.__name__ = "slice", "narrow"
as_strided_copy = declare_copy(
    as_strided,
    cases(lambda make: [case(make.floats(3, 4), (2, 2), (1, 4))]),
    """
    >>> torch.as_strided_copy(torch.arange(4), (3, 2), (1, 1))
    tensor([[0, 1],
            [1, 2],
            [2, 3]])
    """,
)
alias_copy = declare_copy(
    alias,
    cases(lambda make: [case(make.floats(3, 4).T)]),
    """
    >>> x = torch.zeros(2)
    >>> torch.alias_copy(x).data_ptr() == x.data_ptr()
    False
    """,
)
diagonal_copy = declare_copy(
    diagonal,
    cases(lambda make: [case(make.floats(3, 4), 1)]),
    """
    >>> torch.diagonal_copy(torch.tensor([[1, 2], [3, 4]]), 1)
    tensor([2])
    """,
)
expand_copy = declare_copy(
    expand,
    cases(lambda make: [case(make.floats(3, 1), (2, 3, 4))]),
    """
    >>> torch.expand_copy(torch.tensor([[1], [2]]), (2, 3)).stride()  # a view would stand still along the second
    (3, 1)
    """,
)
narrow_copy = declare_copy(
    narrow_part,
    cases(lambda make: [case(make.floats(3, 4), 1, 1, 2)]),
    """
    >>> torch.tensor([1, 2, 3, 4]).narrow_copy(0, 1, 2)
    tensor([2, 3])
    """,
)
permute_copy = declare_copy(
    permute,
    cases(lambda make: [case(make.floats(2, 3, 4), (2, 0, 1))]),
    """
    >>> torch.permute_copy(torch.zeros(2, 3, 4), (2, 0, 1)).is_contiguous()
    True
    """,
)
select_copy = declare_copy(
    select,
    cases(lambda make: [case(make.floats(3, 4), 1, 2)]),
    """
    >>> torch.select_copy(torch.tensor([[1, 2], [3, 4]]), 0, 1)
    tensor([3, 4])
    """,
)
slice_copy = declare_copy(
    slice_view,
    cases(lambda make: [case(make.floats(3, 4), 1, 1, 4, 2)]),
    """
    >>> torch.slice_copy(torch.arange(6), start=1, end=6, step=2)
    tensor([1, 3, 5])
    """,
)
split_copy = declare_copy(
    split,
    cases(lambda make: [case(make.floats(5, 2), 2)]),
    """
    >>> torch.split_copy(torch.arange(5), 3)
    (tensor([0, 1, 2]), tensor([3, 4]))
    """,
)
split_with_sizes_copy = declare_copy(
    split_with_sizes,
    cases(lambda make: [case(make.floats(5, 2), [2, 3])]),
    """
    >>> torch.split_with_sizes_copy(torch.arange(5), [4, 1])
    (tensor([0, 1, 2, 3]), tensor([4]))
    """,
)
squeeze_copy = declare_copy(
    squeeze,
    cases(lambda make: [case(make.floats(1, 3, 1)), case(make.floats(1, 3), 0)]),
    """
    >>> torch.squeeze_copy(torch.zeros(1, 3, 1), 0).shape
    torch.Size([3, 1])
    """,
)
t_copy = declare_copy(
    t,
    cases(lambda make: [case(make.floats(3, 4))]),
    """
    >>> torch.t_copy(torch.tensor([[1, 2], [3, 4]]))
    tensor([[1, 3],
            [2, 4]])
    """,
)
transpose_copy = declare_copy(
    transpose,
    cases(lambda make: [case(make.floats(3, 4), 0, 1)]),
    """
    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> y = torch.transpose_copy(x, 0, 1).zero_()
    >>> x
    tensor([[1, 2],
            [3, 4]])
    """,
)
unbind_copy = declare_copy(
    unbind,
    cases(lambda make: [case(make.floats(3, 4), 1)]),
    """
    >>> torch.unbind_copy(torch.tensor([[1, 2], [3, 4]]), 1)
    (tensor([1, 3]), tensor([2, 4]))
    """,
)
unfold_copy = declare_copy(
    unfold,
    cases(lambda make: [case(make.floats(5, 3), 0, 2, 1)]),
    """
    >>> torch.unfold_copy(torch.arange(4), 0, 2, 1)
    tensor([[0, 1],
            [1, 2],
            [2, 3]])
    """,
)
unsqueeze_copy = declare_copy(
    unsqueeze,
    cases(lambda make: [case(make.floats(3, 4), 1)]),
    """
    >>> torch.unsqueeze_copy(torch.tensor([1, 2]), 1)
    tensor([[1],
            [2]])
    """,
)
view_as_complex_copy = declare_copy(
    view_as_complex,
    cases(lambda make: [case(make.floats(3, 2))]),
    """
    >>> torch.view_as_complex_copy(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([1.+2.j, 3.+4.j])
    """,
)
view_as_real_copy = declare_copy(
    view_as_real,
    cases(lambda make: [case(make.complexes(3))]),
    """
    >>> torch.view_as_real_copy(torch.tensor([1 + 2j]))
    tensor([[1., 2.]])
    """,
)


def view_anyway(input, *args):
    """A view, or a copy where there is none: the copy of it is the same."""
    if input._array.flags.c_contiguous:
        return view(input, *args)
    try:
        return view(input, *args)
    except RuntimeError:
        return reshape(input, *args)


view_anyway.__name__ = "view"
view_copy = declare_copy(
    view_anyway,
    cases(lambda make: [case(make.floats(3, 4), (2, 6))]),
    """
    >>> torch.view_copy(torch.arange(4), (2, 2))
    tensor([[0, 1],
            [2, 3]])
    """,
)
