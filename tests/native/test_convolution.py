"""Native convolutions of any size, stride and padding against the NumPy body; the same bits on any threads."""

import os
import subprocess
import sys

import numpy as np
import pytest

import rushlight as torch
from rushlight.native import extension
from rushlight.ops.images.convolution import convolution, kernel_gradient

pytestmark = pytest.mark.skipif(extension is None, reason="there is no native layer here")

# a build from source has the best level of this machine and the lowest, a wheel all of them
OTHER_LEVELS = () if extension is None else extension.levels()[1:]

TOLERANCE = {"float32": 2e-5, "float64": 1e-12}


@pytest.fixture(autouse=True)
def same_count_after():
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def drawn_call(random, dtype):
    """A call of `convolution` with arbitrary options that fit."""
    dims = int(random.integers(1, 3))
    groups = int(random.choice([1, 1, 2, 3]))
    depthwise = random.random() < 0.15
    inside, outside = (int(each) for each in random.integers(1, [12, 24]))
    kernel = random.integers(1, 5, dims)
    options = [tuple(int(each) for each in random.integers(*bounds, dims)) for bounds in ((1, 4), (0, 3), (1, 3))]
    stride, padding, dilation = options
    transposed = bool(random.random() < 0.4)
    sizes = random.integers(1, 24, dims) + (kernel - 1) * dilation
    shape = (outside * groups, 1 if depthwise else inside, *kernel)
    if depthwise:
        groups = outside * groups
    channels = shape[0] if transposed else shape[1] * groups
    extra = tuple(int(random.integers(0, max(one, two))) for one, two in zip(stride, dilation, strict=True))
    input = random.standard_normal((int(random.integers(1, 6)), channels, *sizes)).astype(dtype)
    weight = random.standard_normal(shape).astype(dtype)
    bias = random.standard_normal(shape[1] * groups if transposed else shape[0]).astype(dtype)
    return (input, weight, bias), (stride, padding, dilation, transposed, extra if transposed else 0, groups)


def assert_close(found, expected, dtype):
    assert found.shape == expected.shape and found.dtype == expected.dtype
    scale = np.abs(expected).max(initial=1)
    assert np.abs(found - expected).max(initial=0) <= TOLERANCE[dtype] * scale


def fits(input, weight, options):
    stride, padding, dilation, transposed, _, _ = options
    for size, kernel, step, pad, far in zip(input.shape[2:], weight.shape[2:], stride, padding, dilation, strict=True):
        if transposed and (size - 1) * step - 2 * pad + far * (kernel - 1) + 1 < 1:
            return False
    return True


def assert_body(random, arrays, options, dtype):
    """Result and gradients are those of the body and of the formulas."""
    input, weight, bias = [torch.tensor(each, requires_grad=True) for each in arrays]
    result = convolution(input, weight, bias, *options)
    expected = convolution.op.body(*arrays, *options)
    assert_close(result.detach().numpy(), expected, dtype)
    grad = random.standard_normal(expected.shape).astype(dtype)
    result.backward(torch.from_numpy(grad))
    stride, padding, dilation, transposed, _, groups = options
    image, output = (grad, arrays[0]) if transposed else (arrays[0], grad)
    expected = kernel_gradient.op.body(image, output, arrays[1].shape[2:], stride, padding, dilation, groups)
    assert_close(weight.grad.numpy(), expected, dtype)
    assert_close(bias.grad.numpy(), grad.sum((0, *range(2, grad.ndim)), dtype=dtype), dtype)
    assert_close(input.grad.numpy(), image_gradient_in_python(arrays, options, grad), dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_convolutions_of_all_sizes_are_the_bodys(dtype):
    random = np.random.default_rng(7)
    for _ in range(150):
        arrays, options = drawn_call(random, dtype)
        if fits(*arrays[:2], options):
            assert_body(random, arrays, options, dtype)


def image_gradient_in_python(arrays, options, grad):
    """By the formula that the engine runs where no kernel does."""
    stride, padding, dilation, transposed, _, groups = options
    shape = arrays[0].shape
    if transposed:
        found = convolution.op.body(grad, arrays[1], None, stride, padding, dilation, False, 0, groups)
        return found[tuple(slice(size) for size in shape)]
    far = [step * (size - 1) + 1 for size, step in zip(arrays[1].shape[2:], dilation, strict=True)]
    least = [
        (count - 1) * step + reach - 2 * pad
        for count, step, reach, pad in zip(grad.shape[2:], stride, far, padding, strict=True)
    ]
    extra = tuple(size - one for size, one in zip(shape[2:], least, strict=True))
    return convolution.op.body(grad, arrays[1], None, stride, padding, dilation, True, extra, groups)


# (input, weight, stride, padding, groups): packed and flat, few outputs, many of them, single large images, depthwise,
# every second pixel, more images than are at hand at a time
SHAPES = [
    ((16, 1, 28, 28), (6, 1, 5, 5), 1, 2, 1),
    ((8, 4, 84, 84), (32, 4, 8, 8), 4, 0, 1),
    ((4, 64, 9, 9), (64, 64, 3, 3), 1, 0, 1),
    ((2, 160, 4, 4), (200, 160, 3, 3), 1, 1, 1),
    ((1, 3, 150, 170), (16, 3, 3, 3), 2, 1, 1),
    ((3, 40, 17, 19), (40, 1, 3, 3), 1, 1, 40),
    ((16, 128, 8, 8), (130, 128, 3, 3), 2, 1, 1),
    ((5, 64, 40, 40), (70, 64, 3, 3), 1, 1, 1),
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shapes", SHAPES)
def test_convolutions_of_usual_sizes_are_the_bodys(shapes, dtype):
    random = np.random.default_rng(8)
    input, weight, stride, padding, groups = shapes
    arrays = [random.standard_normal(shape).astype(dtype) for shape in (input, weight, weight[:1])]
    assert_body(random, arrays, ((stride, stride), (padding, padding), (1, 1), False, 0, groups), dtype)


def bits(shapes):
    torch.manual_seed(0)
    input, weight, stride, padding, groups = shapes
    x, w = torch.randn(*input, requires_grad=True), torch.randn(*weight, requires_grad=True)
    b = torch.randn(weight[0], requires_grad=True)
    y = torch.conv2d(x, w, b, stride, padding, 1, groups)
    y.backward(torch.randn(*y.shape))
    return [each.detach().numpy().tobytes() for each in (y, x.grad, w.grad, b.grad)]


@pytest.mark.parametrize("shapes", SHAPES)
def test_threads_do_not_change_a_bit(shapes):
    found = []
    for count in (1, 2, 3, 5):
        torch.set_num_threads(count)
        found.append(bits(shapes))
    assert found[0] == found[1] == found[2] == found[3]


def test_nan_and_infinity_stay_where_a_kernel_sees_them():
    x = torch.zeros(1, 2, 6, 7)
    x[0, 0, 0, 6] = float("inf")
    x[0, 1, 5, 0] = float("nan")
    x.requires_grad_()
    w = torch.ones(3, 2, 3, 3, requires_grad=True)
    y = torch.conv2d(x, w)
    assert y.isinf().sum() == 3 and y[:, :, 0, 4].isinf().all()
    assert y.isnan().sum() == 3 and y[:, :, 3, 0].isnan().all()
    grad = torch.ones(1, 3, 4, 5)
    (found,) = torch.autograd.grad(y, w, grad)
    assert found.isinf().sum() == 3 and found[:, 0, 0, 2].isinf().all()
    assert found.isnan().sum() == 3 and found[:, 1, 2, 0].isnan().all()


@pytest.mark.slow
@pytest.mark.parametrize("level", OTHER_LEVELS)
def test_other_processors(level):
    """The same tests on the loops of older processors."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__, "-k", "sizes or nan"],
        env=os.environ | {"RUSHLIGHT_LEVEL": level},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-2000:]
