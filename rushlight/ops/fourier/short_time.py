"""Short-time spectra: the Fourier transforms of overlapping pieces of a signal, and the signal put together again."""

from __future__ import annotations

from typing import Any

from rushlight.core.creation.options import integer
from rushlight.core.creation.ranges import arange
from rushlight.core.object.conversion import require_tensor
from rushlight.core.object.tensor import Tensor
from rushlight.errors.warning import first_time, warn
from rushlight.ops.fourier.lines import fft, ifft, irfft, rfft
from rushlight.ops.images.padding import constant_pad_nd
from rushlight.ops.machine.declare import composed
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.level import all_numbers
from rushlight.ops.shape.joining import cat
from rushlight.ops.shape.slicing import unfold_backward

# sums of squared windows below this cannot be divided out
SMALLEST = 1e-11


def spectrogram_samples(make):
    x, z, window = make.floats(2, 40), make.complexes(40), make.floats(8, low=0.5)
    options = [
        {"center": False},
        {"hop_length": 3, "win_length": 5},
        {"window": window, "normalized": True, "onesided": False},
        {"window": window, "pad_mode": "replicate"},
        {"window": window[:7], "win_length": 7, "center": False, "align_to_window": True},
        {"pad_mode": "circular"},
        {"pad_mode": "constant"},
        {"window": make.complexes(8)},
        {"window": window[:4]},
        {"hop_length": 0},
        {"win_length": 9},
        {"pad_mode": "mirror"},
        {"align_to_window": True},
    ]
    others = [case(z, 8, onesided=True), case(make.ints(40), 8, return_complex=True), case(x[None], 8), case(x, 8)]
    return [
        *[case(x, 8, return_complex=True, **each) for each in options],
        *[case(x, count, return_complex=True) for count in (0, 90, 7)],
        case(x[0], 8, window=window, return_complex=False),
        case(z, 8, window=window),
        case(make.floats(40, dtype="float64"), 8, 2, window=window, return_complex=True),
        *others,
    ]


@composed(samples=cases(spectrogram_samples))
def stft(
    input,
    n_fft,
    hop_length=None,
    win_length=None,
    window=None,
    center=True,
    pad_mode="reflect",
    normalized=False,
    onesided=None,
    return_complex=None,
    align_to_window=None,
):
    """The Fourier transforms of pieces of `n_fft` samples, `hop_length` apart: (B, N, T) from a signal (B, L).

    N is `n_fft // 2 + 1`, or `n_fft` with `onesided=False`. With `center` the signal is padded at both ends so that
    piece t is centered at sample `t * hop_length`.

    >>> beats = torch.tensor([1.0, -1.0]).repeat(4)
    >>> torch.stft(beats, 4, hop_length=2, window=torch.ones(4), center=False, return_complex=True).abs()
    tensor([[0., 0., 0.],
            [0., 0., 0.],
            [4., 4., 4.]])
    """
    require_tensor(input, "stft")
    hop, length = sizes("stft", n_fft, hop_length, win_length, window)
    if center:
        if align_to_window is not None:
            raise RuntimeError("stft align_to_window should only be set when center = false: leave one of them out")
        input = padded(input, n_fft // 2, pad_mode)
    check_signal(input, n_fft, hop, length, window)
    is_complex = input.is_complex() or (window is not None and window.is_complex())
    if return_complex is None and not is_complex:
        raise RuntimeError(
            "stft requires the return_complex parameter be given for real inputs, and will further require that "
            "return_complex=True in a future PyTorch release. Give return_complex=True."
        )
    if onesided and is_complex:
        raise RuntimeError("Cannot have onesided output if window or input is complex: leave onesided out")
    if window is None:
        warn_of_rectangle("stft", "which blurs the spectrum; a window such as torch.hann_window(n_fft) does it less")
    if align_to_window:
        missing = n_fft - length
        input = extended(input, missing // 2, missing - missing // 2)
    single = input.ndim == 1
    pieces = (input.unsqueeze(0) if single else input).unfold(-1, n_fft, hop)
    window = widened(window, length, n_fft, input)
    if window is not None:
        pieces = pieces * window
    transform = fft if is_complex or onesided is False else rfft
    spectrum = transform(pieces, None, -1, "ortho" if normalized else None).transpose_(1, 2)
    if single:
        spectrum.squeeze_(0)
    return spectrum if return_complex is not False else as_pairs(spectrum)


def as_pairs(spectrum: Tensor) -> Tensor:
    """The old form of the result: real and imaginary parts in a last dimension."""
    from rushlight.ops.pointwise.complex import view_as_real

    if first_time("stft with return_complex=False"):
        warn(
            "stft with return_complex=False is deprecated. Give return_complex=True, and take torch.view_as_real of "
            "the result where pairs are needed."
        )
    return view_as_real(spectrum)


def check_signal(input: Tensor, n_fft: int, hop: int, length: int, window: Any) -> None:
    """Refuse what torch refuses, in its words."""
    given = f"stft(input {list(input.shape)}, n_fft={n_fft}, hop_length={hop}, win_length={length})"
    if not input.dtype.differentiable:
        raise RuntimeError(f"{given}: expected a tensor of floating point or complex values, got {input.dtype}")
    if input.ndim not in (1, 2):
        raise RuntimeError(f"{given}: expected a 1D or 2D tensor")
    if not 0 < n_fft <= input.shape[-1]:
        raise RuntimeError(f"{given}: expected 0 < n_fft < {input.shape[-1]}, but got n_fft={n_fft}")
    if hop < 1:
        raise RuntimeError(f"{given}: expected hop_length > 0, but got hop_length={hop}")
    if not 0 < length <= n_fft:
        raise RuntimeError(f"{given}: expected 0 < win_length <= n_fft, but got win_length={length}")
    if window is not None and (window.ndim != 1 or window.shape[0] != length):
        raise RuntimeError(
            f"{given}: expected a 1D window tensor of size equal to win_length={length}, but got window with size "
            f"{list(window.shape)}"
        )


def signal_samples(make):
    z, window = make.complexes(2, 5, 7), make.floats(8, low=0.5)
    options = [
        {},
        {"center": False},
        {"hop_length": 3, "win_length": 6},
        {"window": window, "normalized": True},
        {"window": window, "length": 9},
        {"window": window, "length": 50},
        {"window": window, "onesided": True},
        {"onesided": False},
        {"return_complex": True},
        {"window": window[:4]},
        {"window": make.complexes(8)},
        {"hop_length": 9},
        {"win_length": 9},
        {"length": 0},
    ]
    return [
        *[case(z, 8, **each) for each in options],
        case(make.complexes(8, 5), 8, window=window),
        case(make.complexes(8, 5), 8, window=window, return_complex=True),
        case(make.complexes(8, 5, dtype="complex128"), 8, window=make.complexes(8), return_complex=True),
        case(z[0], 9),
        case(z[0], 8, window=window * 0),
        case(make.floats(5, 7), 8),
        case(z[:, :, :0], 8),
        case(z[None], 8),
    ]


@composed(samples=cases(signal_samples))
def istft(
    input,
    n_fft,
    hop_length=None,
    win_length=None,
    window=None,
    center=True,
    normalized=False,
    onesided=None,
    length=None,
    return_complex=False,
):
    """The signal behind short-time spectra, (B, L) from (B, N, T): the inverse of `stft` with the same options.

    >>> window = torch.hann_window(4)
    >>> spectra = torch.stft(torch.tensor([0.5, 1.5, 2.5, 3.5, 4.5]), 4, window=window, return_complex=True)
    >>> torch.istft(spectra, 4, window=window)
    tensor([0.5000, 1.5000, 2.5000, 3.5000, 4.5000])
    """
    require_tensor(input, "istft")
    hop, width = sizes("istft", n_fft, hop_length, win_length, window)
    onesided = check_spectrum(input, n_fft, hop, width, window, onesided)
    if window is None:
        warn_of_rectangle("istft", "as is right if `stft` had none; give it the same window otherwise")
    single = input.ndim == 2
    input = input.unsqueeze(0) if single else input
    pieces = input.transpose(-2, -1)
    norm = "ortho" if normalized else None
    if return_complex:
        if onesided:
            raise RuntimeError("Cannot have onesided output if window or input is complex: leave return_complex out")
        pieces = ifft(pieces, None, -1, norm)
    else:
        if window is not None and window.is_complex():
            raise RuntimeError("Complex windows are incompatible with return_complex=False: set it to True")
        pieces = irfft(pieces, n_fft, -1, norm)
    window = widened(window, width, n_fft, pieces)
    if window is None:
        window = pieces.new_ones(n_fft)
    whole = n_fft + hop * (input.shape[-1] - 1)
    squares = (window * window).expand(input.shape[-1], n_fft)
    begin = n_fft // 2 if center else 0
    end = whole - begin if length is None else begin + integer(length, "istft", "length", 9)
    signal = unfold_backward(pieces * window, (*input.shape[:-2], whole), input.ndim - 2, n_fft, hop)
    weight = unfold_backward(squares, (whole,), 0, n_fft, hop)[begin : max(begin, end)]
    check_weight(weight)
    found = signal[..., begin : max(begin, end)] / weight
    return lengthened(found.squeeze(0) if single else found, end - whole)


def check_spectrum(input: Tensor, n_fft: int, hop: int, width: int, window: Any, onesided: bool | None) -> bool:
    """Refuse what torch refuses, in its words; returns whether the spectra are halves."""
    if not input.is_complex():
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with return_complex=True."
            " torch.view_as_complex makes one of pairs."
        )
    given = f"istft(input {list(input.shape)}, n_fft={n_fft}, hop_length={hop}, win_length={width})"
    if not input.numel():
        raise RuntimeError(f"{given}: input tensor cannot be empty.")
    if input.ndim == 1:
        raise IndexError("Dimension out of range (expected to be in range of [-2, 1], but got -3)")
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"{given}: expected a tensor with 3 or 4 dimensions, but got {input.ndim + 1}: N, T and pairs"
        )
    count = input.shape[-2]
    onesided = count != n_fft if onesided is None else onesided
    if count != (n_fft // 2 + 1 if onesided else n_fft):
        wanted = "n_fft / 2 + 1 when onesided=True" if onesided else "n_fft when onesided=False"
        raise RuntimeError(f"{given}: expected the frequency dimension of the input to match {wanted}, but got {count}")
    if not 0 < hop <= width:
        raise RuntimeError(f"{given}: expected 0 < hop_length <= win_length")
    if not 0 < width <= n_fft:
        raise RuntimeError(f"{given}: expected 0 < win_length <= n_fft")
    if window is not None and (window.ndim != 1 or window.shape[0] != width):
        raise RuntimeError(f"{given}: Invalid window shape. window has to be 1D and length of `win_length`")
    return onesided


def check_weight(weight: Tensor) -> None:
    """Refuse windows that leave a sample of the signal out."""
    if not weight.numel():
        raise RuntimeError("min(): Expected reduction dim to be specified: there are no samples left of the signal")
    if abs(all_numbers(weight)).min() < SMALLEST:
        raise RuntimeError(
            "istft: window overlap add min: 1: the windows add up to zero somewhere. Use center=True, a window that is "
            "nowhere zero, or a smaller hop_length."
        )


def lengthened(signal: Tensor, missing: int) -> Tensor:
    """The signal with as many zeros at its end as are missing."""
    if missing <= 0:
        return signal
    warn(
        "The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail. "
        "Check `center` and `hop_length`."
    )
    return constant_pad_nd(signal, (0, missing))


def sizes(name: str, n_fft: Any, hop_length: Any, win_length: Any, window: Any) -> tuple[int, int]:
    """The distance between pieces and the length of the window, with torch's defaults."""
    if window is not None and not isinstance(window, Tensor):
        raise TypeError(f"{name}(): argument 'window' (position 5) must be Tensor, not {type(window).__name__}")
    count = integer(n_fft, name, "n_fft", 2)
    hop = count // 4 if hop_length is None else integer(hop_length, name, "hop_length", 3)
    return hop, count if win_length is None else integer(win_length, name, "win_length", 4)


def widened(window: Tensor | None, length: int, n_fft: int, like: Tensor) -> Tensor | None:
    """The window with zeros at both ends; None if it is one everywhere."""
    if length == n_fft:
        return window
    left = (n_fft - length) // 2
    return extended(like.new_ones(length) if window is None else window, left, n_fft - length - left)


def extended(tensor: Tensor, left: int, right: int) -> Tensor:
    """The tensor with zeros at both ends of its last dimension."""
    ends = [tensor.new_zeros((*tensor.shape[:-1], count)) for count in (left, right)]
    return cat([ends[0], tensor, ends[1]], -1)


def padded(input: Tensor, pad: int, mode: str) -> Tensor:
    """The signal with `pad` more samples at both ends."""
    count = input.shape[-1] if input.ndim else 1
    if mode == "constant":
        return extended(input, pad, pad)
    places = arange(-pad, count + pad)
    if mode == "replicate":
        places = places.clamp(0, count - 1)
    elif mode == "circular":
        places = places % count
    elif mode == "reflect":
        places = (count - 1) - ((count - 1) - places.abs()).abs()
    else:
        raise NotImplementedError(f"Unrecognised padding mode {mode}: use constant, reflect, replicate or circular")
    if pad >= count + (mode == "circular") and mode != "replicate":
        raise RuntimeError(
            "Padding size should be less than the corresponding input dimension, but got: padding "
            f"({pad}, {pad}) for {count} samples: n_fft is too large for the signal, or set center=False"
        )
    return input.index_select(-1, places)


def warn_of_rectangle(name: str, words: str) -> None:
    if first_time(f"{name} without window"):
        warn(f"A window was not provided. A rectangular window will be applied, {words}.")
