"""Fourier transforms along one dimension; SciPy computes them."""

from __future__ import annotations

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.ops.fourier.grids import (
    fftn_gradient,
    hfftn_gradient,
    ifftn_gradient,
    irfftn_gradient,
    rfftn_gradient,
)
from rushlight.ops.fourier.library import transformed
from rushlight.ops.fourier.orders import TRANSFORMED
from rushlight.ops.fourier.points import SPECTRUM, on_line, opposite, require_real, scaling
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.words import ALONG
from rushlight.ops.pointwise.complex import conj


def samples(make):
    x, z = make.floats(3, 5), make.complexes(3, 4)
    found = [
        case(x),
        case(x, 4),
        case(x, 8, 0, "ortho"),
        case(x, n=6, dim=1, norm="forward"),
        case(x.T, norm="backward"),
        case(x[0].astype("float64"), dim=0),
        case(make.ints(6)),
        case(make.bools(6)),
        case(make.floats(1), 1),
        case(z),
        case(z, 3, 0, "ortho"),
        case(z[:, ::2].T, 7, norm="forward"),
    ]
    refused = [{"n": 0}, {"n": -1}, {"n": 2.5}, {"dim": 2}, {"dim": (0, 1)}, {"norm": "none"}, {"norm": 3}]
    odd = [make.floats(), make.floats(0), make.floats(3, dtype="float16")]
    return [*found, *[case(x, **each) for each in refused], *[case(each) for each in odd]]


def node_of(input: Tensor) -> str:
    return "FftC2CBackward0" if input.is_complex() else "FftR2CBackward0"


@op(dtype=SPECTRUM, batch=ALONG, linear=True, layout=TRANSFORMED, name="fft.fft", samples=cases(samples), node=node_of)
def fft(input, n=None, dim=-1, norm=None, *, out=None):
    """The discrete Fourier transform along `dim`, of the input cut or padded with zeros to `n` points.

    >>> torch.fft.fft(torch.tensor([1.0, 2.0, 3.0, 4.0]))
    tensor([10.+0.j, -2.+2.j, -2.+0.j, -2.-2.j])
    """
    points, along = on_line("fft", input.shape, n, dim)
    found = transformed("fft", input, [points], [along], scaling(norm))
    if input.dtype.kind != "c":
        imag = found.imag
        imag += 0.0  # SciPy leaves -0 where the spectrum of real numbers is real; its conjugate is -0
    return found


@composed(name="fft.ifft", samples=cases(samples))
def ifft(input, n=None, dim=-1, norm=None, *, out=None):
    """The inverse of `fft`; of real input it is a conjugate view, as in torch.

    >>> torch.fft.ifft(torch.fft.fft(torch.tensor([1.0, 2.0, 3.0, 4.0]))).real
    tensor([1., 2., 3., 4.])
    """
    if out is not None or input.is_complex():
        return inverse(input, n, dim, norm, out=out)
    points, along = on_line("ifft", input.shape, n, dim)
    return conj(fft(input, points, along, opposite(norm)))


@op(
    dtype=SPECTRUM, batch=ALONG, linear=True, layout=TRANSFORMED, name="_fft.ifft", samples=None, node="FftC2CBackward0"
)
def inverse(input, n=None, dim=-1, norm=None, *, out=None):
    """`fft.ifft` in memory of its own."""
    points, along = on_line("ifft", input.shape, n, dim)
    return transformed("ifft", input, [points], [along], scaling(norm))


@op(
    dtype=SPECTRUM,
    batch=ALONG,
    linear=True,
    layout=TRANSFORMED,
    name="fft.rfft",
    samples=cases(samples),
    node="FftR2CBackward0",
)
def rfft(input, n=None, dim=-1, norm=None, *, out=None):
    """The Fourier transform of real input along `dim`: the half of it that determines the rest.

    >>> torch.fft.rfft(torch.tensor([1.0, -1.0, 1.0, -1.0]))
    tensor([0.+0.j, 0.+0.j, 4.+0.j])
    """
    require_real("rfft", input)
    points, along = on_line("rfft", input.shape, n, dim)
    return transformed("rfft", input, [points], [along], scaling(norm))


@op(
    dtype=SPECTRUM,
    batch=ALONG,
    linear=True,
    layout=TRANSFORMED,
    name="fft.irfft",
    samples=cases(samples),
    node="FftC2RBackward0",
)
def irfft(input, n=None, dim=-1, norm=None, *, out=None):
    """The inverse of `rfft`: real output; give `n` to get an odd number of points.

    >>> torch.fft.irfft(torch.tensor([1.5, 0.0]), n=3)
    tensor([0.5000, 0.5000, 0.5000])
    """
    points, along = on_line("irfft", input.shape, n, dim, half=True)
    return transformed("irfft", input, [points], [along], scaling(norm))


@op(
    dtype=SPECTRUM,
    batch=ALONG,
    linear=True,
    layout=TRANSFORMED,
    name="fft.hfft",
    samples=cases(samples),
    node="FftC2RBackward0",
)
def hfft(input, n=None, dim=-1, norm=None, *, out=None):
    """The Fourier transform of a signal that is Hermitian along `dim`, of which half is given: real output.

    >>> torch.fft.hfft(torch.tensor([0.0, 1.0, 0.0]))
    tensor([ 2.,  0., -2.,  0.])
    """
    points, along = on_line("hfft", input.shape, n, dim, half=True)
    return transformed("irfft", np.conjugate(input), [points], [along], opposite(norm))


@composed(name="fft.ihfft", samples=cases(samples))
def ihfft(input, n=None, dim=-1, norm=None, *, out=None):
    """The inverse of `hfft`: half of the Hermitian signal behind a real spectrum, as a conjugate view.

    >>> torch.fft.ihfft(torch.tensor([0.0, 2.0, 0.0, -2.0]))
    tensor([0.-0.j, 0.+1.j, 0.-0.j])
    """
    if out is not None or input.is_complex():
        return half_inverse(input, n, dim, norm, out=out)
    points, along = on_line("ihfft", input.shape, n, dim)
    return conj(rfft(input, points, along, opposite(norm)))


@op(dtype=SPECTRUM, batch=ALONG, linear=True, layout=TRANSFORMED, name="_fft.ihfft", samples=None)
def half_inverse(input, n=None, dim=-1, norm=None, *, out=None):
    """`fft.ihfft` in memory of its own."""
    require_real("ihfft", input)
    points, along = on_line("ihfft", input.shape, n, dim)
    return np.conjugate(transformed("rfft", input, [points], [along], opposite(norm)))


fft.gradient(input=lambda grad, input_shape, n, dim, norm: fftn_gradient(grad, input_shape, n, dim, norm))
inverse.gradient(input=lambda grad, input_shape, n, dim, norm: ifftn_gradient(grad, input_shape, n, dim, norm))
rfft.gradient(input=lambda grad, input_shape, n, dim, norm: rfftn_gradient(grad, input_shape, n, dim, norm))
irfft.gradient(input=lambda grad, input_shape, n, dim, norm: irfftn_gradient(grad, input_shape, n, dim, norm))
hfft.gradient(input=lambda grad, input_shape, n, dim, norm: hfftn_gradient(grad, input_shape, n, dim, norm))
