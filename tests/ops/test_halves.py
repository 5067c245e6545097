"""Half precision rounds where torch rounds; the numbers here are torch's."""

import math

import numpy as np
import pytest

import rushlight as torch
from rushlight.core.numbers.casting import by_float32
from rushlight.nn import functional as F

HALVES = [torch.float16, torch.bfloat16]
NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    "dtype, cut, floored",
    [(torch.float16, [-816, 3, -25], [-817, 3, -25]), (torch.bfloat16, [-820, 3, -24], [-820, 3, -25])],
)
def test_a_quotient_is_rounded_before_it_is_cut(dtype, cut, floored):
    dividend, divisor = (torch.tensor(row, dtype=dtype) for row in ([29.96875, 0.6, -7.5], [-0.0367, 0.2, 0.3]))
    assert torch.div(dividend, divisor, rounding_mode="trunc").tolist() == cut
    assert (dividend // divisor).tolist() == floored


@pytest.mark.parametrize("dtype", HALVES)
def test_rounded_quotients_by_zero_and_infinity(dtype):
    dividend, divisor = (torch.tensor(row, dtype=dtype) for row in ([1.0, -1.0, 0.0, 5.0], [0.0, 0.0, 0.0, -INF]))
    assert np.array_equal((dividend // divisor).float().numpy(), [INF, -INF, NAN, -1], equal_nan=True)
    cut = torch.div(dividend, divisor, rounding_mode="trunc")
    assert np.array_equal(cut.float().numpy(), [INF, -INF, NAN, 0], equal_nan=True)


@pytest.mark.parametrize(
    "dtype, losses, slopes",
    [
        (torch.float16, [INF, 0.048583984375], [NAN, -0.04742431640625]),
        (torch.bfloat16, [12, 0.048583984375], [-1, -0.047607421875]),
    ],
)
def test_soft_margin_loss_rounds_each_step(dtype, losses, slopes):
    x = torch.tensor([-12.0, 3.0], dtype=dtype, requires_grad=True)
    loss = F.soft_margin_loss(x, torch.ones(2, dtype=dtype), reduction="none")
    loss.backward(torch.ones(2, dtype=dtype))
    assert loss.tolist() == losses
    assert np.array_equal(x.grad.float().numpy(), slopes, equal_nan=True)


@pytest.mark.parametrize(
    "dtype, row",
    [
        (torch.float16, [0.40478515625, 0.52001953125, 0.75146484375]),
        (torch.bfloat16, [0.404296875, 0.51953125, 0.75]),
    ],
)
def test_shortened_embeddings_use_rounded_norms(dtype, row):
    table = torch.tensor([[0.7, 0.9, 1.3], [0.1, 0.2, 0.3]], dtype=dtype)
    F.embedding(torch.tensor([0, 1]), table, max_norm=1.0)
    assert table[0].tolist() == row


@pytest.mark.parametrize("dtype", HALVES)
def test_nan_is_close_to_nan_and_comes_last(dtype):
    x = torch.tensor([NAN, 1.0, NAN], dtype=dtype)
    assert torch.isclose(x, x, equal_nan=True).tolist() == [True, True, True]
    assert np.array_equal(torch.unique(x).float().numpy(), [1, NAN, NAN], equal_nan=True)


@pytest.mark.parametrize("dtype", HALVES)
def test_the_share_of_one_in_many_keeps_its_digits(dtype):
    x = torch.zeros(100_000, dtype=dtype, requires_grad=True)
    F.binary_cross_entropy_with_logits(x, torch.zeros(100_000, dtype=dtype)).backward()
    assert x.grad[0].item() == 5.0067901611328125e-06


def test_what_is_beyond_the_largest_number_is_infinity_without_a_warning():
    x = torch.tensor([12.0], dtype=torch.float16)
    assert x.exp().item() == INF
    assert torch.full((10,), 60000.0, dtype=torch.float16).sum().item() == INF
    assert [each.item() for each in torch.var_mean(torch.tensor([-60000.0, 60000.0], dtype=torch.float16))] == [INF, 0]


@pytest.mark.parametrize("dtype, rounded", [(torch.float16, 8.3984375), (torch.bfloat16, 8.375)])
def test_numbers_are_rounded_before_they_meet_half_precision(dtype, rounded):
    x, number = torch.tensor([1.0], dtype=dtype), 8.396163642458497
    assert (x * 0 + number).item() == rounded
    for wide in (number, torch.tensor(number)):
        assert torch.equal(wide - x, torch.tensor([rounded - 1], dtype=dtype))
        assert (x * rounded >= wide).item()
    # but a factor, or a divisor, that comes second is not
    assert (x * 64 / number).item() == torch.tensor(64 / number, dtype=dtype).item()
    assert (number * (x * 5)).item() == torch.tensor(number * 5, dtype=dtype).item()
    assert (torch.tensor(number) * (x * 5)).item() == torch.tensor(rounded * 5, dtype=dtype).item()


def test_integers_become_halves_before_they_multiply_or_divide():
    halves, whole = torch.tensor([0.0, 1.0, 0.5], dtype=torch.float16), torch.tensor([2147483647, 70000, 3])
    assert (halves * whole)[0].isnan() and (halves[0] * whole)[1].isnan()
    assert (halves / whole)[1].item() == 0.0
    # one number is taken as it is
    assert (halves * torch.tensor(2147483647)).tolist() == [0.0, INF, INF]
    brain = halves.bfloat16() / whole
    assert brain[1].item() == pytest.approx(1.4246e-05, rel=1e-4)


def test_every_float16_survives_a_way_through_float32():
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    back = torch.from_numpy(halves.copy()).float().half().numpy()
    assert np.array_equal(back, halves, equal_nan=True)
    assert np.array_equal(np.signbit(back), np.signbit(halves))


@pytest.mark.parametrize("dtype", HALVES)
def test_sums_and_products_are_rounded_once_to_the_nearest(dtype):
    # of two equally near the even one; below the smallest normal number; beyond the largest
    ones = torch.tensor([1.0, 1.0, 6e-8, 60000.0, 3e38, NAN, INF] * 40, dtype=dtype)
    others = torch.tensor([2**-11, 3 * 2**-11, 6e-8, 60000.0, 3e38, 1.0, -INF] * 40, dtype=dtype)
    for op in (torch.add, torch.mul, torch.sub):
        exact = op(ones.float(), others.float())
        assert torch.equal(op(ones, others).nan_to_num(1.5), exact.to(dtype).nan_to_num(1.5))


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("shape", [(300, 4), (4, 300)])
def test_half_precision_is_read_in_any_layout(dtype, shape):
    x = torch.arange(1200.0).reshape(shape).to(dtype) / 64
    row = x[:1].expand(shape)
    for each in (x.T, x[:, ::2], row, x[0, 0]):
        assert torch.equal(each * each + 1, (each.float() * each.float()).to(dtype) + 1)
        assert torch.equal(each > 2, each.float() > 2)
    y = x.clone()
    y.T.add_(1)
    assert torch.equal(y, (x.float() + 1).to(dtype))


def test_numbers_that_meet_half_precision_are_rounded_to_it():
    x = torch.full((300,), 1000.0, dtype=torch.float16)
    # 0.3 is 0.300048828125 there, and 1000.3 lies nearer to 1000.5 than to 1000
    assert (x + 0.3)[0].item() == 1000.5 and (x * 0.1)[0].item() == 100.0


@pytest.mark.parametrize("dtype", HALVES)
def test_kernels_serve_half_precision(dtype):
    x = (torch.arange(600.0).reshape(3, 200) % 17 / 8).to(dtype)
    assert torch.equal(x.softmax(1), x.float().softmax(1).to(dtype))
    assert torch.equal(x.sum(0), x.float().sum(0).to(dtype))
    for name in ("cummax", "sort", "topk"):
        options = (5, 1) if name == "topk" else (1,)
        found, wanted = getattr(x, name)(*options), getattr(x.float(), name)(*options)
        assert torch.equal(found[0], wanted[0].to(dtype)) and torch.equal(found[1], wanted[1])


@pytest.mark.parametrize("dtype", HALVES)
def test_infinity_becomes_the_largest_number_of_half_precision(dtype):
    x = torch.tensor([math.inf, -math.inf, math.nan, 1.0], dtype=dtype)
    largest = torch.finfo(dtype).max
    assert torch.nan_to_num(x).tolist() == [largest, -largest, 0.0, 1.0]
    assert torch.nan_to_num(x[0]).item() == largest
    assert x.nan_to_num_()[1].item() == -largest


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_half_precision_is_filled_and_made_finite_in_every_layout(dtype):
    limits = torch.finfo(dtype)
    for turn in (lambda x: x, lambda x: x.t(), lambda x: x[:, ::2]):
        x = turn(torch.tensor([[1.1, math.nan, math.inf, -2], [0, -math.inf, 3, math.nan]]).to(dtype))
        finite = torch.nan_to_num(x.float(), 0.0, limits.max, limits.min).to(dtype)
        assert torch.equal(torch.nan_to_num(x), finite)
        given = torch.nan_to_num(x.float(), *(float(torch.tensor(each).to(dtype)) for each in (0.1, 2.7, -3.3)))
        assert torch.equal(torch.nan_to_num(x, 0.1, 2.7, -3.3), given.to(dtype))
        value = torch.tensor(0.3).to(dtype)
        assert torch.equal(torch.fill(x, 0.3), value.expand(x.shape))
        assert torch.equal(x.fill_(0.3), value.expand(x.shape))


@pytest.mark.parametrize("shape", [(1,), (5, 1, 7), (1, 300, 3), (300, 1, 2)], ids=str)
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_dimensions_of_size_one_convert_as_numpy_converts_them(shape, dtype):
    wide = np.linspace(-70000, 70000, math.prod(shape)).astype("float32").reshape(shape)
    half = torch.tensor([], dtype=dtype)._array.dtype
    for array in (wide, wide.T, wide[::-1], np.broadcast_to(wide[:1], (4, *shape[1:]))):
        with np.errstate(all="ignore"):
            for given, kind in ((array, half), (array.astype(half), np.dtype("float32"))):
                found, expected = by_float32(given, kind), given.astype(kind)
                assert found.tobytes() == expected.tobytes() and found.strides == expected.strides


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_gradients_of_half_precision_add_up_rounded_each_time(dtype):
    x = torch.ones(300, dtype=dtype, requires_grad=True)
    steps = torch.linspace(0, 3, 300).to(dtype)
    for _ in range(3):
        (x * steps).sum().backward()
    held = x.grad
    x.backward(steps)
    assert x.grad is held and held._version == 3
    assert torch.equal(held, steps + steps + steps + steps)


def test_huber_loss_of_two_dtypes_has_the_dtype_of_the_input():
    target = torch.zeros(2, dtype=torch.float64)
    for kind in (torch.float16, torch.bfloat16, torch.float32):
        for reduction, expected in (("none", [2.5, 2.5]), ("mean", 2.5), ("sum", 5.0)):
            found = torch.nn.functional.huber_loss(torch.full((2,), 3.0, dtype=kind), target, reduction=reduction)
            assert found.dtype is kind and found.tolist() == expected
    with pytest.raises(RuntimeError, match=r"^result type Double can't be cast to the desired output type Long"):
        torch.nn.functional.huber_loss(torch.ones(2, dtype=torch.int64), target)
