"""Convolutions, borders, patches and shuffles: small cases that can be checked by hand, and what is refused."""

import math

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F


def test_a_kernel_is_slid_without_turning_it():
    x = torch.arange(5.0).reshape(1, 1, 5)
    w = torch.tensor([[[1.0, 0, -1]]])
    assert F.conv1d(x, w).tolist() == [[[-2, -2, -2]]]
    assert F.conv1d(x, w, padding=1).tolist() == [[[-1, -2, -2, -2, 3]]]
    assert F.conv1d(x, w, stride=2).tolist() == [[[-2, -2]]]
    assert F.conv1d(x, w, dilation=2).tolist() == [[[-4]]]
    assert F.conv1d(x, w, torch.tensor([1.0]), padding="same").shape == (1, 1, 5)


def test_a_transposed_convolution_spreads_the_kernel():
    x, w = torch.tensor([[[1.0, 2]]]), torch.tensor([[[1.0, 10, 100]]])
    assert F.conv_transpose1d(x, w).tolist() == [[[1, 12, 120, 200]]]
    assert F.conv_transpose1d(x, w, stride=2).tolist() == [[[1, 10, 102, 20, 200]]]
    assert F.conv_transpose1d(x, w, stride=2, output_padding=1).tolist() == [[[1, 10, 102, 20, 200, 0]]]
    assert F.conv_transpose1d(x, w, padding=1).tolist() == [[[12, 120]]]


def test_groups_keep_channels_apart():
    x = torch.ones(1, 2, 3)
    w = torch.tensor([[[1.0]], [[5.0]]])
    assert F.conv1d(x, w, groups=2)[0, :, 0].tolist() == [1, 5]


def test_single_images_and_batches():
    layer = nn.Conv2d(3, 4, 3)
    x = torch.randn(2, 3, 6, 7)
    np.testing.assert_allclose(layer(x[1]).detach().numpy(), layer(x)[1].detach().numpy(), rtol=1e-5, atol=1e-6)


def test_second_derivatives_of_convolutions():
    torch.manual_seed(0)
    make = lambda *shape: torch.randn(*shape, dtype=torch.float64, requires_grad=True)
    x, w, b = make(2, 2, 5, 4), make(4, 1, 3, 2), make(4)
    run = lambda *inputs: F.conv2d(*inputs, stride=(2, 1), padding=1, dilation=(1, 2), groups=2)
    assert torch.autograd.gradcheck(run, (x, w, b))
    assert torch.autograd.gradgradcheck(run, (x, w, b))
    x, w, b = make(1, 4, 3, 2), make(4, 2, 3, 2), make(4)
    run = lambda *inputs: F.conv_transpose2d(*inputs, 2, 1, (1, 0), 2, (1, 2))
    assert torch.autograd.gradcheck(run, (x, w, b))
    assert torch.autograd.gradgradcheck(run, (x, w, b))


def test_channels_last_stays_channels_last():
    x = torch.randn(2, 3, 5, 6).to(memory_format=torch.channels_last)
    y = nn.Conv2d(3, 4, 3)(x)
    assert y.is_contiguous(memory_format=torch.channels_last)
    assert F.pad(x, (1, 1)).is_contiguous(memory_format=torch.channels_last)


def test_borders():
    x = torch.arange(4.0).reshape(1, 4)
    assert F.pad(x, (1, 2)).tolist() == [[0, 0, 1, 2, 3, 0, 0]]
    assert F.pad(x, (1, 0), value=9.0).tolist() == [[9, 0, 1, 2, 3]]
    assert F.pad(x, (-1, -1)).tolist() == [[1, 2]]
    assert F.pad(x, (2, 1), "reflect").tolist() == [[2, 1, 0, 1, 2, 3, 2]]
    assert F.pad(x, (2, 1), "replicate").tolist() == [[0, 0, 0, 1, 2, 3, 3]]
    assert F.pad(x, (2, 1), "circular").tolist() == [[2, 3, 0, 1, 2, 3, 0]]


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
def test_the_gradient_of_a_border_goes_where_it_was_read(mode):
    x = torch.zeros(1, 2, 3, 4, requires_grad=True)
    border = F.pad(x, (1, 2, 2, 1), mode)
    border.sum().backward()
    assert x.grad.sum() == border.numel()
    assert x.grad.min() >= 1


def test_folding_what_was_unfolded_counts_overlaps():
    x = torch.ones(1, 1, 3, 3)
    patches = F.unfold(x, 2)
    assert patches.shape == (1, 4, 4)
    assert F.fold(patches, (3, 3), 2)[0, 0].tolist() == [[1, 2, 1], [2, 4, 2], [1, 2, 1]]


def test_shuffles_undo_each_other():
    x = torch.randn(2, 8, 3, 4)
    assert torch.equal(F.pixel_unshuffle(F.pixel_shuffle(x, 2), 2), x)
    assert torch.equal(F.channel_shuffle(F.channel_shuffle(x, 2), 4), x)
    assert F.channel_shuffle(torch.arange(4.0).reshape(1, 4, 1), 2).flatten().tolist() == [0, 2, 1, 3]


@pytest.mark.parametrize(
    ("run", "error", "words"),
    [
        (lambda x, w: F.conv2d(x[:, :2], w), RuntimeError, "expected input.* to have 3 channels, but got 2"),
        (lambda x, w: F.conv2d(x[0, 0], w), RuntimeError, "Expected 3D .* or 4D .* input to conv2d"),
        (lambda x, w: F.conv2d(x, w, torch.ones(5)), RuntimeError, "expected bias to be 1-dimensional with 4"),
        (lambda x, w: F.conv2d(x, w, stride=0), RuntimeError, "non-positive stride"),
        (lambda x, w: F.conv2d(x, w, stride=(1, 2, 3)), RuntimeError, "expected stride to be a single integer"),
        (lambda x, w: F.conv2d(x, w, padding=-1), RuntimeError, "negative padding"),
        (lambda x, w: F.conv2d(x, w, dilation=0), RuntimeError, "dilation should be greater than zero"),
        (lambda x, w: F.conv2d(x, w, dilation=9), RuntimeError, "Kernel size can't be greater"),
        (lambda x, w: F.conv2d(x, w, groups=3), RuntimeError, "divisible by 3 at dimension 0"),
        (lambda x, w: F.conv2d(x, w, groups=0), RuntimeError, "non-positive groups"),
        (lambda x, w: F.conv2d(x, w, groups=9), RuntimeError, "at least 9 at dimension 0"),
        (lambda x, w: F.conv2d(x, w, padding="some"), RuntimeError, "Invalid padding string"),
        (lambda x, w: F.conv2d(x, w, padding="same", stride=2), RuntimeError, "not supported for strided"),
        (lambda x, w: F.conv2d(x, w.double()), RuntimeError, "expected scalar type Float but found Double"),
        (lambda x, w: F.conv2d(x.bool(), w.bool()), NotImplementedError, "not implemented for 'Bool'"),
        (lambda x, w: torch.convolution(x, w[0]), RuntimeError, "Expected 3-dimensional input"),
        (lambda x, w: torch.convolution(x, w[0, 0]), RuntimeError, "at least three dimensions"),
        (lambda x, w: F.conv_transpose2d(x, w), RuntimeError, "Given transposed=1, weight of size"),
        (lambda x, w: F.conv_transpose2d(x, w[:3], output_padding=-1), RuntimeError, "negative output_padding"),
        (lambda x, w: F.conv_transpose2d(x, w[:3], output_padding=1), RuntimeError, "output padding must be smaller"),
        (lambda x, w: F.conv_transpose2d(x, w[:3], padding=9), RuntimeError, "Output size is too small"),
        (lambda x, w: F.unfold(x, (1, 2, 3)), RuntimeError, "It is expected kernel_size equals to 2"),
        (lambda x, w: nn.CircularPad2d(1)(x[0, 0]), ValueError, "expected 3D or 4D input"),
        (lambda x, w: F.pad(x, (1.5, 2)), TypeError, "must be tuple of ints"),
    ],
)
def test_what_does_not_fit_is_refused(run, error, words):
    with pytest.raises(error, match=words):
        run(torch.ones(2, 3, 6, 7), torch.ones(4, 3, 3, 3))


@pytest.mark.parametrize("dims", (1, 2, 3))
def test_gradients_of_convolutions_can_be_asked_for_alone(dims):
    torch.manual_seed(0)
    x = torch.randn(2, 4, *[6] * dims, requires_grad=True)
    weight = torch.randn(6, 2, *[3] * dims, requires_grad=True)
    output = getattr(torch.nn.functional, f"conv{dims}d")(x, weight, stride=2, padding=1, groups=2)
    grad = torch.randn_like(output)
    wanted = torch.autograd.grad(output, (x, weight), grad)
    found = (
        getattr(torch.nn.grad, f"conv{dims}d_input")(x.shape, weight, grad, 2, 1, 1, 2),
        getattr(torch.nn.grad, f"conv{dims}d_weight")(x, weight.shape, grad, 2, 1, 1, 2),
    )
    for one, two in zip(found, wanted, strict=True):
        # the native gradient adds in another order
        assert one.shape == two.shape and (one - two).abs().max() < 1e-4


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("sizes", [(9, 8), (5, 6, 7)], ids=str)
def test_a_convolution_of_channels_that_are_last_is_that_of_straight_images(sizes, dtype, transposed):
    x = torch.linspace(-1, 1, 2 * 4 * math.prod(sizes), dtype=dtype).sin().reshape(2, *sizes, 4).movedim(-1, 1)
    weight = torch.linspace(-1, 1, 4 * 2 * 3 ** len(sizes), dtype=dtype).cos().reshape(4, 2, *[3] * len(sizes))
    found = []
    for image in (x, x.contiguous()):
        leaves = image.detach().requires_grad_(), weight.clone().requires_grad_()
        name = f"conv_transpose{len(sizes)}d" if transposed else f"conv{len(sizes)}d"
        result = getattr(F, name)(*leaves, None, 2, 1, 1, 2)
        steps = (torch.arange(result.numel()) % 7).to(dtype).reshape(result.shape)
        found.append((result, *torch.autograd.grad(result, leaves, steps)))
    for odd, straight in zip(*found, strict=True):
        torch.testing.assert_close(odd, straight, rtol=1e-4, atol=1e-4)
    last = torch.channels_last if len(sizes) == 2 else torch.channels_last_3d
    assert found[0][0].is_contiguous(memory_format=last) == (len(sizes) == 2 or dtype == torch.float32)


def test_the_old_name_of_transposed_convolutions_can_be_asked_for():
    from rushlight.nn.modules.conv import _ConvTransposeMixin, _ConvTransposeNd

    assert issubclass(_ConvTransposeMixin, _ConvTransposeNd)
    assert not isinstance(torch.nn.ConvTranspose2d(1, 1, 1), _ConvTransposeMixin)


@pytest.mark.parametrize(
    ("kind", "shown"), [(torch.float32, "torch.FloatTensor"), (torch.complex128, "CPUComplexDoubleType")]
)
@pytest.mark.parametrize("form", [F.conv1d, F.conv_transpose1d])
def test_a_complex_input_wants_weights_of_its_own_dtype(form, kind, shown):
    words = rf"^Input type \(CPUComplexFloatType\) and weight type \({shown}\) should be the same"
    with pytest.raises(RuntimeError, match=words):
        form(torch.zeros(1, 3, 3, dtype=torch.complex64), torch.ones(3, 3, 1, dtype=kind))
