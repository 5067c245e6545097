"""Half precision, integers and odd layouts that kernels take: torch's answers, with and without native code."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.native import extension

HALVES = (torch.float16, torch.bfloat16)


SLOPES = {
    "softmax": lambda grad, result: result * (grad - (grad * result).sum(1, True)),
    "log_softmax": lambda grad, result: grad - result.exp() * grad.sum(1, True),
    "cumsum": lambda grad, result: grad.flip(1).cumsum(1).flip(1),
}


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("name", SLOPES)
@pytest.mark.skipif(extension is None, reason="Python's formulas round each step")
def test_gradients_of_half_precision_are_computed_in_float32(name, dtype):
    x = torch.linspace(-2, 2, 600).reshape(20, 30).to(dtype).requires_grad_()
    pull = torch.linspace(-1, 1, 600).reshape(20, 30).to(dtype)
    result = getattr(x, name)(1)
    result.backward(pull)
    expected = SLOPES[name](pull.float(), result.detach().float())
    assert x.grad.dtype is dtype
    assert (x.grad.float() - expected).abs().max() <= torch.finfo(dtype).eps * expected.abs().max()


@pytest.mark.parametrize("dtype", HALVES)
def test_reductions_of_half_precision_are_rounded_once(dtype):
    x = torch.linspace(0.1, 1, 4096).reshape(64, 64).to(dtype)
    for each in (x, x.T, x[:, ::2], x[:1].expand(64, 64)):
        for name in ("sum", "nansum", "amax", "amin"):
            assert getattr(each, name)(1).equal(getattr(each.float(), name)(1).to(dtype)), name
        assert each.norm().equal(each.float().norm().to(dtype))
        assert each.count_nonzero().item() == each.numel()


def test_nansum_leaves_out_nan_and_keeps_opposite_infinities():
    nan, inf = float("nan"), float("inf")
    x = torch.tensor([[1.0, nan, 2.0], [inf, -inf, 1.0], [nan, nan, nan]])
    assert x.nansum(1)[0] == 3 and x.nansum(1)[1].isnan() and x.nansum(1)[2] == 0
    assert torch.tensor([[True, False], [True, True]]).nansum(0).tolist() == [2, 1]


def test_running_sums_and_products_of_integers_and_bools():
    x = torch.arange(1, 13).reshape(3, 4)
    assert x.T.cumsum(1).tolist() == np.cumsum(x.numpy().T, 1).tolist()
    assert x.cumprod(0).tolist() == np.cumprod(x.numpy(), 0).tolist()
    mask = x % 3 != 0
    assert mask.cumsum(1).dtype is torch.int64 and mask.cumsum(1).tolist() == np.cumsum(mask.numpy(), 1).tolist()
    assert mask.cumprod(1).tolist() == np.cumprod(mask.numpy().astype(int), 1).tolist()
    turned = x.clone().T
    assert turned.cumsum_(1) is turned and turned.tolist() == np.cumsum(x.numpy().T, 1).tolist()
    assert (torch.full((2,), 2**62) * 2).cumsum(0).tolist() == [-(2**63), 0]


def test_running_products_of_a_transposed_tensor_are_contiguous():
    found = torch.rand(3, 4).T.cumprod(1)
    assert found.is_contiguous() and found.shape == (4, 3)


@pytest.mark.parametrize("dtype", [*HALVES, torch.float32, torch.int64])
def test_selections_agree_in_every_dtype(dtype):
    # few values, so that many are equal; torch's places of these do not depend on the dtype
    x = (torch.arange(900) * 37 % 11).reshape(9, 100)
    for call in (
        lambda each: each.kthvalue(40),
        lambda each: each.mode(),
        lambda each: each.topk(1),
        lambda each: each.topk(30),
        lambda each: each.kthvalue(3, 0, True),
    ):
        values, places = call(x.to(dtype))
        expected, expected_places = call(x.double())
        assert values.dtype is dtype and values.double().equal(expected) and places.equal(expected_places)


@pytest.mark.parametrize("dtype", [*HALVES, torch.float32, torch.int64])
def test_runs_of_equal_elements(dtype):
    x = torch.tensor([[1, 1, 2], [2, 2, 1]]).to(dtype)
    values, inverse, counts = x.unique_consecutive(return_inverse=True, return_counts=True)
    assert values.tolist() == [1, 2, 1] and values.dtype is dtype
    assert inverse.tolist() == [[0, 0, 1], [1, 1, 2]] and counts.tolist() == [2, 3, 1]
    assert x.T.unique_consecutive().tolist() == [1, 2, 1, 2, 1]


@pytest.mark.parametrize("dtype", HALVES)
def test_tensors_of_half_precision_are_equal_as_numbers(dtype):
    zero, nan = torch.zeros(5, dtype=dtype), torch.full((5,), float("nan"), dtype=dtype)
    assert torch.equal(zero, -zero) and not torch.equal(nan, nan)
    wide = torch.arange(10.0).to(dtype)
    assert torch.equal(wide[::2], wide[::2].clone()) and not torch.equal(wide[::2], wide[1::2])


@pytest.mark.parametrize("dtype", HALVES)
def test_comparisons_in_place_give_ones_and_zeros(dtype):
    x = torch.arange(6.0).to(dtype)
    assert x.clone().lt_(3).tolist() == [1, 1, 1, 0, 0, 0]
    assert x.clone().reshape(2, 3).T.ge_(torch.ones((), dtype=dtype)).tolist() == [[0, 1], [1, 1], [1, 1]]


@pytest.mark.parametrize("dtype", HALVES)
def test_a_feature_of_half_precision_meets_all_of_its_elements(dtype):
    x, scale = torch.arange(24.0).reshape(2, 3, 4).to(dtype), torch.tensor([[[1.0], [0.5], [2.0]]]).to(dtype)
    assert (x * scale).equal((x.float() * scale.float()).to(dtype))


def test_polynomials_of_several_degrees():
    x, n = torch.linspace(-1.5, 1.5, 7, dtype=torch.float64), torch.arange(-1, 10).reshape(-1, 1)
    found = torch.special.chebyshev_polynomial_t(x, n)
    inside = x.abs() < 1
    expected = torch.cos(n * torch.acos(x))
    assert (found[1:, inside] - expected[1:, inside]).abs().max() < 1e-13 and not found[0].any()
    assert torch.special.hermite_polynomial_h(x, 3).allclose(8 * x**3 - 12 * x)
    assert torch.special.laguerre_polynomial_l(x, torch.tensor(2.9)).allclose((x * x - 4 * x + 2) / 2)
    assert torch.special.legendre_polynomial_p(torch.tensor(True), torch.tensor([True, False])).tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="too high"):
        torch.special.legendre_polynomial_p(x, torch.tensor([1e6]))


def test_quotients_of_half_precision_are_rounded_down():
    x, y = torch.tensor([7, -7, 7, -7, 0, 1], dtype=torch.float16), torch.tensor([2, 2, -2, -2, 3, 0]).half()
    assert (x // y).tolist() == [3, -4, -4, 3, 0, float("inf")]
    # 2048 / 0.1 in half precision: 0.1 is a little less there, and quotients are 16 apart
    assert (torch.tensor([2048.0]).half() // torch.tensor([0.1]).half()).item() == 20480


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize(
    "product",
    [
        lambda one, other: torch.nn.functional.linear(one, other),
        lambda one, other: torch.nn.functional.linear(one, one, other[0]),
        lambda one, other: one @ other,
        lambda one, other: one @ other[0],
        lambda one, other: torch.dot(one[0], other[0]),
        lambda one, other: torch.bmm(one[None], other[None]),
    ],
)
def test_products_of_half_precision_and_float32_are_refused_from_either_side(dtype, product):
    half, single = torch.ones(3, 3, dtype=dtype), torch.ones(3, 3)
    for one, other in ((half, single), (single, half)):
        with pytest.raises(RuntimeError, match=r"dtype|scalar type"):
            product(one, other)


IMAGES = {
    "avg_pool2d": lambda x: torch.nn.functional.avg_pool2d(x, 2),
    "max_pool2d": lambda x: torch.nn.functional.max_pool2d(x, 3, 2),
    "adaptive_avg_pool2d": lambda x: torch.nn.functional.adaptive_avg_pool2d(x, 3),
    "adaptive_max_pool2d": lambda x: torch.nn.functional.adaptive_max_pool2d(x, 2),
    "interpolate": lambda x: torch.nn.functional.interpolate(x, scale_factor=2, mode="bilinear"),
    "conv2d": lambda x: torch.nn.functional.conv2d(x, x[:, :, :3, :3]),
    "unfold": lambda x: torch.nn.functional.unfold(x, 3),
    "layer_norm": lambda x: torch.nn.functional.layer_norm(x, (8,), x[0, 0, 0], x[0, 0, 1]),
    "rms_norm": lambda x: torch.nn.functional.rms_norm(x, (8,)),
    "group_norm": lambda x: torch.nn.functional.group_norm(x, 2),
    "addmm": lambda x: torch.addmm(x[0, 0], x[0, 1], x[0, 2], beta=0.5, alpha=2),
}


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("name", IMAGES)
def test_images_of_half_precision_are_computed_in_float32(name, dtype):
    torch.manual_seed(0)
    x = torch.randn(4, 4, 8, 8).to(dtype).requires_grad_()
    wide = x.detach().float().requires_grad_()
    found, expected = IMAGES[name](x), IMAGES[name](wide)
    assert found.dtype is dtype and found.shape == expected.shape and found.stride() == expected.stride()
    assert torch.allclose(found.float(), expected, rtol=torch.finfo(dtype).eps, atol=1e-4)
    found.sum().backward()
    expected.sum().backward()
    assert torch.allclose(x.grad.float(), wide.grad, rtol=0.05, atol=0.1 if dtype is torch.bfloat16 else 0.02)


def test_running_statistics_of_half_precision_are_kept():
    layer = torch.nn.BatchNorm1d(3).half()
    layer(torch.randn(40, 3).half() + 5)
    assert (layer.running_mean > 0.3).all() and layer.running_mean.dtype is torch.float16
