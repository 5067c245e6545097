"""Fourier transforms over several dimensions, and the gradients of all transforms; SciPy computes them.

The adjoint of a transform is the transform the other way with the same factor. Half a spectrum stands for a whole one:
all its values but the first and, for an even number of points, the last have a mirror image that is left out.
"""

from __future__ import annotations

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.ops.fourier.library import transformed
from rushlight.ops.fourier.orders import TRANSFORMED
from rushlight.ops.fourier.points import SPECTRUM, on_grid, opposite, require_dims, require_real, scaling
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.view_words import OF_ALL_DIMS
from rushlight.ops.machine.transforms.words import ALONG
from rushlight.ops.shape.joining import cat


def samples(make):
    x, z = make.floats(3, 4, 2), make.complexes(3, 4, 2)
    found = [
        case(x),
        case(x, (2, 5)),
        case(x, (-1, 3), (0, 2), "ortho"),
        case(x, None, (1, 0), norm="forward"),
        case(x, s=3, dim=1, norm="backward"),
        case(x.T, None, (0, 1)),
        case(x.astype("float64"), dim=(-1, -2)),
        case(make.ints(3, 4)),
        case(make.bools(3, 4)),
        case(z, (3, 3)),
        case(z, None, (0, 1), "forward"),
        case(z[:, ::2].T, (5, 2), (2, 0), "ortho"),
    ]
    refused = [{"dim": (0, 3)}, {"dim": (0, 0)}, {"s": (0, 2)}, {"s": (2, 2, 2), "dim": (0, 1)}, {"norm": "none"}]
    odd = [make.floats(3), make.floats(), make.floats(0, 3), make.floats(2, 3, dtype="float16")]
    return [*found, *[case(x, **each) for each in refused], *[case(each) for each in odd]]


def last_step(input, s, dim):
    """The name of a node after half a spectrum was found: torch transforms the other dimensions, if there are any."""
    return "ConjBackward0" if len(on_grid(input.shape, s, dim)[0]) == 1 else "FftC2CBackward0"


@op(
    dtype=SPECTRUM,
    batch=OF_ALL_DIMS,
    linear=True,
    layout=TRANSFORMED,
    name="fft.fftn",
    samples=cases(samples),
    node="FftC2CBackward0",
)
def fftn(input, s=None, dim=None, norm=None, *, out=None):
    """The Fourier transform over all dimensions or those in `dim`, cut or padded with zeros to the sizes `s`.

    >>> torch.fft.fftn(torch.ones(2, 2, 2)).abs().flatten()
    tensor([8., 0., 0., 0., 0., 0., 0., 0.])
    """
    dims, sizes = on_grid(input.shape, s, dim)
    return complexes(transformed("fft", input, sizes, dims, scaling(norm)))


@op(
    dtype=SPECTRUM,
    batch=OF_ALL_DIMS,
    linear=True,
    layout=TRANSFORMED,
    name="fft.ifftn",
    samples=cases(samples),
    node="FftC2CBackward0",
)
def ifftn(input, s=None, dim=None, norm=None, *, out=None):
    """The inverse of `fftn`.

    >>> spectrum = torch.fft.fftn(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    >>> torch.fft.ifftn(spectrum).real
    tensor([[1., 2.],
            [3., 4.]])
    """
    dims, sizes = on_grid(input.shape, s, dim)
    return complexes(transformed("ifft", input, sizes, dims, scaling(norm)))


@op(
    dtype=SPECTRUM,
    batch=OF_ALL_DIMS,
    linear=True,
    layout=TRANSFORMED,
    name="fft.rfftn",
    samples=cases(samples),
    node="FftR2CBackward0",
)
def rfftn(input, s=None, dim=None, norm=None, *, out=None):
    """The Fourier transform of real input: the half of it along the last dimension that determines the rest.

    >>> torch.fft.rfftn(torch.zeros(4, 4, 6)).shape
    torch.Size([4, 4, 4])
    """
    require_real("rfftn", input, "real-valued")
    dims, sizes = on_grid(input.shape, s, dim)
    require_dims("rfftn", dims)
    return transformed("rfft", input, sizes, dims, scaling(norm))


@op(
    dtype=SPECTRUM,
    batch=OF_ALL_DIMS,
    linear=True,
    layout=TRANSFORMED,
    name="fft.irfftn",
    samples=cases(samples),
    node="FftC2RBackward0",
)
def irfftn(input, s=None, dim=None, norm=None, *, out=None):
    """The inverse of `rfftn`: real output; give `s` to get an odd size along the last dimension.

    >>> torch.fft.irfftn(torch.fft.rfftn(torch.full((2, 3), 0.5)), s=(2, 3))
    tensor([[0.5000, 0.5000, 0.5000],
            [0.5000, 0.5000, 0.5000]])
    """
    dims, sizes = on_grid(input.shape, s, dim, half=True)
    require_dims("irfftn", dims)
    return transformed("irfft", input, sizes, dims, scaling(norm))


@op(
    dtype=SPECTRUM,
    batch=OF_ALL_DIMS,
    linear=True,
    layout=TRANSFORMED,
    name="fft.hfftn",
    samples=cases(samples),
    node="FftC2RBackward0",
)
def hfftn(input, s=None, dim=None, norm=None, *, out=None):
    """The Fourier transform of a signal that is Hermitian, of which half is given: real output.

    >>> torch.fft.hfftn(torch.tensor([[3.0, 1.0], [0.0, 0.0]]), s=(2, 3))
    tensor([[5., 2., 2.],
            [5., 2., 2.]])
    """
    dims, sizes = on_grid(input.shape, s, dim, half=True)
    require_dims("hfftn", dims)
    return transformed("irfft", np.conjugate(input), sizes, dims, opposite(norm))


@op(
    dtype=SPECTRUM,
    batch=OF_ALL_DIMS,
    linear=True,
    layout=TRANSFORMED,
    name="fft.ihfftn",
    samples=cases(samples),
    node=last_step,
)
def ihfftn(input, s=None, dim=None, norm=None, *, out=None):
    """The inverse of `hfftn`: half of the Hermitian signal behind a real spectrum.

    >>> torch.fft.ihfftn(torch.tensor([[5.0, 3.0, 1.0, 3.0], [5.0, 3.0, 1.0, 3.0]])).real
    tensor([[3., 1., 0.],
            [0., 0., 0.]])
    """
    if input.dtype.kind == "c":
        kind = dtypes.from_numpy(input.dtype).scalar
        raise RuntimeError(f"Only supports floating-point dtypes, but found: {kind}: use hfftn for complex numbers")
    dims, sizes = on_grid(input.shape, s, dim)
    require_dims("ihfftn", dims)
    return np.conjugate(transformed("rfft", input, sizes, dims, opposite(norm)))


@op(
    dtype=SPECTRUM,
    batch=ALONG,
    linear=True,
    layout=TRANSFORMED,
    name="fft.fft2",
    samples=cases(samples),
    node="FftC2CBackward0",
)
def fft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    """The Fourier transform over the last two dimensions.

    >>> stripes = torch.tensor([[1.0, -1.0], [1.0, -1.0]])
    >>> torch.fft.fft2(stripes).real
    tensor([[0., 4.],
            [0., 0.]])
    """
    return fftn.op.body(input, s, plane(dim), norm)


@op(
    dtype=SPECTRUM,
    batch=ALONG,
    linear=True,
    layout=TRANSFORMED,
    name="fft.ifft2",
    samples=cases(samples),
    node="FftC2CBackward0",
)
def ifft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    """The inverse of `fft2`.

    >>> torch.fft.ifft2(torch.tensor([[0.0, 4.0], [0.0, 0.0]])).real
    tensor([[ 1., -1.],
            [ 1., -1.]])
    """
    return ifftn.op.body(input, s, plane(dim), norm)


@op(
    dtype=SPECTRUM,
    batch=ALONG,
    linear=True,
    layout=TRANSFORMED,
    name="fft.rfft2",
    samples=cases(samples),
    node="FftR2CBackward0",
)
def rfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    """The Fourier transform of real input over the last two dimensions, as half a spectrum.

    >>> torch.fft.rfft2(torch.ones(2, 4))
    tensor([[8.+0.j, 0.+0.j, 0.+0.j],
            [0.+0.j, 0.+0.j, 0.+0.j]])
    """
    return rfftn.op.body(input, s, plane(dim), norm)


@op(
    dtype=SPECTRUM,
    batch=ALONG,
    linear=True,
    layout=TRANSFORMED,
    name="fft.irfft2",
    samples=cases(samples),
    node="FftC2RBackward0",
)
def irfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    """The inverse of `rfft2`; give `s` to get an odd size along the last dimension.

    >>> torch.fft.irfft2(torch.tensor([[3.0, 0.0], [0.0, 0.0]]), s=(2, 3))
    tensor([[0.5000, 0.5000, 0.5000],
            [0.5000, 0.5000, 0.5000]])
    """
    return irfftn.op.body(input, s, plane(dim), norm)


@op(
    dtype=SPECTRUM,
    batch=ALONG,
    linear=True,
    layout=TRANSFORMED,
    name="fft.hfft2",
    samples=cases(samples),
    node="FftC2RBackward0",
)
def hfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    """The Fourier transform over the last two dimensions of a Hermitian signal, of which half is given.

    >>> torch.fft.hfft2(torch.tensor([[1.0, 0.0], [1.0, 0.0]]), s=(2, 3))
    tensor([[2., 2., 2.],
            [0., 0., 0.]])
    """
    return hfftn.op.body(input, s, plane(dim), norm)


@op(
    dtype=SPECTRUM,
    batch=ALONG,
    linear=True,
    layout=TRANSFORMED,
    name="fft.ihfft2",
    samples=cases(samples),
    node=last_step,
)
def ihfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    """The inverse of `hfft2`.

    >>> torch.fft.ihfft2(torch.ones(2, 4)).real
    tensor([[1., 0., 0.],
            [0., 0., 0.]])
    """
    return ihfftn.op.body(input, s, plane(dim), norm)


def complexes(spectrum: np.ndarray) -> np.ndarray:
    """The result of a transform over no dimension at all is still complex, and a copy."""
    return spectrum if spectrum.dtype.kind == "c" else spectrum.astype(np.promote_types(spectrum.dtype, np.complex64))


def plane(dim):
    """The dimensions of a transform that has no default for all of them."""
    if dim is None:
        raise TypeError("argument 'dim' must be tuple of ints, not NoneType; use the transform that ends in n")
    return dim


def fftn_gradient(grad, input_shape, s, dim, norm):
    dims, _ = on_grid(input_shape, s, dim)
    return fitted(ifftn(grad, None, dims, opposite(norm)), input_shape)


def ifftn_gradient(grad, input_shape, s, dim, norm):
    dims, _ = on_grid(input_shape, s, dim)
    return fitted(fftn(grad, None, dims, opposite(norm)), input_shape)


def rfftn_gradient(grad, input_shape, s, dim, norm):
    dims, sizes = on_grid(input_shape, s, dim)
    halved = weighed(grad, dims[-1], sizes[-1], 0.5)
    return fitted(irfftn(halved, sizes, dims, opposite(norm)), input_shape)


def irfftn_gradient(grad, input_shape, s, dim, norm):
    dims, sizes = on_grid(input_shape, s, dim, half=True)
    half = rfftn(grad, None, dims, opposite(norm))
    return fitted(weighed(half, dims[-1], sizes[-1], 2), input_shape)


def hfftn_gradient(grad, input_shape, s, dim, norm):
    return irfftn_gradient(grad, input_shape, s, dim, opposite(norm)).conj()


def ihfftn_gradient(grad, input_shape, s, dim, norm):
    return rfftn_gradient(grad.conj(), input_shape, s, dim, opposite(norm))


def weighed(half: Tensor, dim: int, points: int, weight: float) -> Tensor:
    """Half a spectrum, the values with a mirror image times `weight`."""
    weights = half.new_full((points // 2 + 1,), weight, dtype=half.dtype.to_real())
    weights[0] = 1
    if points % 2 == 0:
        weights[-1] = 1
    return half * weights.reshape(-1, *[1] * (half.ndim - 1 - dim))


def fitted(tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The tensor cut, or padded with zeros, to a shape."""
    for dim, size in enumerate(shape):
        there = tensor.shape[dim]
        if size < there:
            tensor = tensor.narrow(dim, 0, size)
        elif size > there:
            zeros = tensor.new_zeros((*tensor.shape[:dim], size - there, *tensor.shape[dim + 1 :]))
            tensor = cat([tensor, zeros], dim)
    return tensor


for transforms, formula in [
    ((fftn, fft2), fftn_gradient),
    ((ifftn, ifft2), ifftn_gradient),
    ((rfftn, rfft2), rfftn_gradient),
    ((irfftn, irfft2), irfftn_gradient),
    ((hfftn, hfft2), hfftn_gradient),
    ((ihfftn, ihfft2), ihfftn_gradient),
]:
    for each in transforms:
        each.gradient(input=formula)
