"""Transposing: views with the dimensions in another order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rushlight.core.memory.strides import settled
from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.dims import axis, plain_size
from rushlight.ops.machine.gradients import conjugate
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.view_words import PERMUTED, TURNED
from rushlight.ops.machine.transforms.words import SHAPED

if TYPE_CHECKING:
    from rushlight.core.object.size import Size


@op(
    dtype=SAME,
    batch=SHAPED,
    view=True,
    aliases=["swapaxes", "swapdims"],
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), 0, 1),
            case(make.floats(2, 3, 4), -1, 0),
            case(make.floats(), 0, -1),
            case(make.floats(0, 3), 0, 1),
            case(make.bools(3, 2), 1, 1),
            case(make.floats(3, 4), 0, 2),
        ]
    ),
)
def transpose(input, dim0: int, dim1: int):
    """With two dimensions swapped.

    >>> torch.tensor([[1, 2, 3], [4, 5, 6]]).transpose(0, 1)
    tensor([[1, 4],
            [2, 5],
            [3, 6]])
    """
    first, second = axis(dim0, input.ndim), axis(dim1, input.ndim)
    return settled(input).swapaxes(first, second) if input.ndim else input


transpose.gradient(input=lambda grad, dim0, dim1: grad.transpose(dim0, dim1))


@op(
    dtype=SAME,
    batch=TURNED,
    view=True,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4)),
            case(make.floats(4)),
            case(make.floats()),
            case(make.floats(0, 3)),
            case(make.floats(2, 3, 4)),
        ]
    ),
)
def t(input):
    """A matrix transposed; vectors and numbers as they are.

    >>> torch.tensor([[1, 2]]).t()
    tensor([[1],
            [2]])
    """
    if input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return settled(input).T


t.gradient(input=lambda grad: grad.t())


@op(
    dtype=SAME,
    batch=PERMUTED,
    view=True,
    samples=cases(
        lambda make: [
            case(make.floats(2, 3, 4), (2, 0, 1)),
            case(make.floats(2, 3, 4), (-1, 0, 1)),
            case(make.floats(0, 3), (1, 0)),
            case(make.floats(), ()),
            case(make.floats(3, 4), (0,)),
            case(make.floats(3, 4), (0, 0)),
            case(make.floats(3, 4), (0, 2)),
        ]
    ),
)
def permute(input, dims: Size):
    """With the dimensions in the given order.

    >>> images = torch.zeros(8, 32, 32, 3)
    >>> images.permute(0, 3, 1, 2).shape
    torch.Size([8, 3, 32, 32])
    """
    dims = plain_size(dims)
    if len(dims) != input.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the "
            f"desired ordering of dimensions i.e. input.dim() = {input.ndim} is not equal to len(dims) = "
            f"{len(dims)}"
        )
    order = [axis(dim, input.ndim) for dim in dims]
    if len(set(order)) != len(order):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return settled(input).transpose(order)


permute.gradient(input=lambda grad, dims: grad.permute(inverse(dims)))


def inverse(dims: tuple[int, ...]) -> list[int]:
    """The order that undoes an order of dimensions."""
    found = [0] * len(dims)
    for place, dim in enumerate(plain_size(dims)):
        found[dim] = place
    return found


@composed(
    aliases=["moveaxis"],
    samples=cases(
        lambda make: [
            case(make.floats(2, 3, 4), 0, -1),
            case(make.floats(2, 3, 4), (0, 1), (2, 0)),
            case(make.floats(2, 3), 0, 0),
            case(make.floats(2, 3), (0, 1), (1,)),
            case(make.floats(2, 3), (0, 0), (1, 0)),
            case(make.floats(2, 3), (0, 1), (1, 1)),
            case(make.floats(2, 3), 0, 2),
        ]
    ),
)
def movedim(input, source, destination):
    """With the dimensions `source` moved to the places `destination`, the others in their order.

    >>> torch.zeros(8, 32, 16, 3).movedim(-1, 1).shape
    torch.Size([8, 3, 32, 16])
    """
    source, destination = plain_size(source), plain_size(destination)
    if len(source) != len(destination):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(source)} dims) should contain the "
            f"same number of dims as destination ({list(destination)} dims)"
        )
    ndim = input._array.ndim
    start = [axis(dim, ndim) for dim in source]
    end = [axis(dim, ndim) for dim in destination]
    for name, places, given in (("source", start, source), ("destination", end, destination)):
        if len(set(places)) != len(places):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({list(given)})")
    if not ndim:
        return input[...]
    rest = iter([dim for dim in range(ndim) if dim not in start])
    moved = dict(zip(end, start, strict=True))
    return permute(input, [moved[place] if place in moved else next(rest) for place in range(ndim)])


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(2, 3)),
            case(make.complexes(2, 2, 3)),
            case(make.floats(0, 2)),
            case(make.floats(3)),
        ]
    )
)
def adjoint(input):
    """Matrices transposed and conjugated.

    >>> torch.tensor([[1 + 2j, 3]]).adjoint()
    tensor([[1.-2.j],
            [3.-0.j]])
    """
    return conjugate(matrices_transposed(input, "adjoint()"))


def matrices_transposed(input: Tensor, name: str) -> Tensor:
    if input._array.ndim == 1:
        raise RuntimeError(f"tensor.{name} is only supported on matrices or batches of matrices. Got 1-D tensor.")
    return transpose(input, -2, -1) if input._array.ndim else input


def T(self: Tensor) -> Tensor:
    """With its dimensions in reverse order.

    >>> torch.tensor([[1, 2, 3]]).T
    tensor([[1],
            [2],
            [3]])
    """
    ndim = self._array.ndim
    if ndim == 2:
        return permute(self, (1, 0))
    if ndim:
        warn_reverse(ndim)
    return permute(self, tuple(range(ndim))[::-1])


def mT(self: Tensor) -> Tensor:
    """Its matrices transposed: the last two dimensions swapped.

    >>> torch.zeros(5, 2, 3).mT.shape
    torch.Size([5, 3, 2])
    """
    return matrices_transposed(self, "mT")


def H(self: Tensor) -> Tensor:
    """A matrix transposed and conjugated.

    >>> torch.tensor([[1j, 2]]).H
    tensor([[0.-1.j],
            [2.-0.j]])
    """
    if self._array.ndim not in (0, 2):
        more = " For batches of matrices, consider using tensor.mH" if self._array.ndim > 2 else ""
        raise RuntimeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {self._array.ndim}-D tensor.{more}"
        )
    return conjugate(matrices_transposed(self, "H"))


def mH(self: Tensor) -> Tensor:
    """Its matrices transposed and conjugated.

    >>> torch.zeros(5, 2, 3, dtype=torch.complex64).mH.shape
    torch.Size([5, 3, 2])
    """
    return conjugate(matrices_transposed(self, "mH"))


def warn_reverse(ndim: int) -> None:
    import warnings

    warnings.warn(
        "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated; this "
        f"one has {ndim}. Use `x.mT` to transpose batches of matrices or `x.permute(*torch.arange(x.ndim - "
        "1, -1, -1))` to reverse the dimensions.",
        UserWarning,
        stacklevel=3,
    )


for each in (T, mT, H, mH):
    setattr(Tensor, each.__name__, property(each))
