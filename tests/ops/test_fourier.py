"""Fourier transforms, short-time spectra, windows and masked functions: what their samples do not say."""

import math

import numpy as np
import pytest

import rushlight as torch


def test_a_transform_keeps_single_precision():
    signal = torch.rand(8)
    assert torch.fft.fft(signal).dtype is torch.complex64
    assert torch.fft.irfft(torch.fft.rfft(signal)).dtype is torch.float32


def test_the_inverse_of_half_a_spectrum_needs_the_number_of_points():
    signal = torch.rand(7)
    spectrum = torch.fft.rfft(signal)
    assert torch.fft.irfft(spectrum).shape == (6,)
    np.testing.assert_allclose(torch.fft.irfft(spectrum, 7), signal, atol=1e-6)


def test_the_inverse_of_real_numbers_is_a_conjugate_view():
    signal = torch.tensor([1.0, 2.0, 4.0], requires_grad=True)
    for transform, size in ((torch.fft.ifft, 3), (torch.fft.ihfft, 2)):
        found = transform(signal)
        assert found.is_conj() and found._is_view() and found.shape == (size,)
        assert found.grad_fn.name() == "ConjBackward0"
        assert found._base.grad_fn.name() == "FftR2CBackward0"
        with pytest.raises(RuntimeError, match="Can't detach views in-place"):
            found.detach_()
        out = torch.empty(0, dtype=torch.complex64)
        assert not transform(signal.detach(), out=out).is_conj()
    assert not torch.fft.ifft(signal + 0j).is_conj()


def test_the_real_points_of_a_real_spectrum_have_a_positive_zero():
    assert not torch.signbit(torch.fft.fft(torch.tensor([1.0, 2.0])).imag).any()
    assert torch.signbit(torch.fft.ifft(torch.tensor([1.0, 2.0])).imag).all()


def test_axis_means_dim():
    x = torch.rand(3, 4)
    assert torch.equal(torch.fft.fft(x, axis=0), torch.fft.fft(x, dim=0))


def test_a_transform_of_an_empty_batch_is_empty():
    assert torch.fft.rfft(torch.zeros(0, 8)).shape == (0, 5)


def test_the_energy_is_the_same_before_and_after():
    signal = torch.rand(9, dtype=torch.float64, requires_grad=True)
    (torch.fft.fft(signal, norm="ortho").abs() ** 2).sum().backward()
    np.testing.assert_allclose(signal.grad, 2 * signal.detach())


def test_istft_gives_the_signal_back():
    signal, window = torch.rand(2, 100), torch.hann_window(16)
    spectra = torch.stft(signal, 16, window=window, return_complex=True)
    np.testing.assert_allclose(spectra.istft(16, window=window, length=100), signal, atol=1e-5)


def test_stft_without_window_warns_once_a_line():
    with pytest.warns(UserWarning, match="A window was not provided"):
        torch.stft(torch.rand(50), 8, return_complex=True)


def test_istft_pads_a_signal_that_is_too_short():
    window = torch.ones(8)
    spectra = torch.stft(torch.rand(40), 8, window=window, return_complex=True)
    with pytest.warns(UserWarning, match="padded with zeros"):
        assert torch.istft(spectra, 8, window=window, length=60)[-1] == 0


def test_a_window_that_requires_grad_is_a_leaf():
    window = torch.signal.windows.hann(8, requires_grad=True)
    (window * 2).sum().backward()
    assert window.grad is not None


def test_a_narrow_kaiser_window_does_not_overflow():
    window = torch.signal.windows.kaiser(9, beta=2000.0)
    assert torch.isfinite(window).all()
    assert window[4] == 1


def test_masked_tensors_are_left_out_on_purpose():
    for make in (torch.masked.masked_tensor, torch.masked.MaskedTensor, torch.masked.as_masked_tensor):
        with pytest.raises(NotImplementedError, match="on purpose"):
            make(torch.ones(2), torch.tensor([True, False]))
    assert not torch.masked.is_masked_tensor(torch.ones(2))


def test_masked_means_of_nothing_are_nan():
    assert math.isnan(torch.masked.mean(torch.ones(3), mask=torch.zeros(3)))


def test_masked_elements_get_no_gradient():
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    torch.masked.softmax(x, 0, mask=torch.tensor([True, True, False]))[0].backward()
    assert x.grad[2] == 0


def test_special_functions_at_the_edges():
    edges = torch.tensor([math.inf, -math.inf])
    assert torch.special.spherical_bessel_j0(edges).tolist() == [0, 0]
    assert torch.special.airy_ai(torch.tensor(1e30)) == 0
    assert math.copysign(1, torch.special.erfinv(torch.tensor(-0.0))) == -1
