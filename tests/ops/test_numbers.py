"""Numbers and dtypes that meet tensors: what they become, and what torch refuses, in its order."""

import math

import numpy as np
import pytest

import rushlight as torch

inf, nan = math.inf, math.nan
half, complexes = torch.tensor([1.5, -2.0], dtype=torch.float16), torch.tensor([1 + 2j, 3])
floats, bools, ints = torch.tensor([1.5, -2.0]), torch.tensor([True, False]), torch.tensor([3, 0])
bytes_ = torch.tensor([1, 2], dtype=torch.uint8)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: torch.clamp(half, min=1e10), "value cannot be converted to type c10::Half without overflow"),
        (lambda: torch.clamp(half, max=70000), "value cannot be converted to type c10::Half without overflow"),
        (lambda: torch.clamp(floats, 0.0, 1e300), "value cannot be converted to type float without overflow"),
        (lambda: half**1e10, "value cannot be converted to type c10::Half without overflow"),
        (lambda: torch.add(half, half, alpha=1e10), "value cannot be converted to type c10::Half without overflow"),
        (lambda: torch.sub(floats, floats, alpha=1e300), "value cannot be converted to type float without overflow"),
        (lambda: torch.addcmul(half, half, half, value=1e300), "value cannot be converted to type float without"),
        (lambda: torch.addcmul(bytes_, bytes_, bytes_, value=-0.25), "value cannot be converted to type uint8_t"),
        (lambda: torch.addcdiv(floats, floats, floats, value=1e300), "value cannot be converted to type float"),
        (lambda: torch.lerp(floats, floats, 1e300), "value cannot be converted to type float without overflow"),
        (lambda: torch.where(bools, floats, 1e300), "value cannot be converted to type float without overflow"),
        (lambda: torch.tensor([-0.25, 1], dtype=torch.uint8), "value cannot be converted to type uint8 without"),
    ],
)
def test_numbers_that_do_not_fit_are_refused(call, words):
    with pytest.raises(RuntimeError) as raised:
        call()
    assert str(raised.value).startswith(words)


def test_infinite_numbers_fit_every_float():
    assert torch.clamp(half, max=inf).tolist() == [1.5, -2.0]
    assert (half**inf).tolist() == [inf, inf]
    assert (floats**1e300).tolist() == [inf, inf]
    assert torch.addcmul(bytes_, bytes_, bytes_, value=2.7).tolist() == [3, 10]


def test_one_element_alone_becomes_infinite_in_half_precision():
    assert torch.full((), 1e10, dtype=torch.float16).item() == inf
    assert torch.full_like(half[:1], 70000).tolist() == [inf]
    assert torch.scalar_tensor(1e300, dtype=torch.float16).item() == inf
    with pytest.raises(RuntimeError, match="value cannot be converted to type c10::Half without overflow"):
        torch.full((2,), 1e10, dtype=torch.float16)


def test_integers_beside_half_precision_are_rounded_to_it():
    assert (half**2049).tolist() == [inf, inf]
    assert np.isnan((70000 % half).numpy()).all()
    assert torch.xlogy(half, 70000).tolist() == [inf, -inf]
    assert torch.xlogy(floats, 1e300).tolist() == [inf, -inf]


def test_infinite_complex_terms_are_multiplied_by_alpha():
    for found in (complexes + inf, inf + complexes, torch.add(complexes, inf)):
        assert found.real.tolist() == [inf, inf] and found.imag.isnan().all()
    assert (complexes - inf).imag.isnan().all()
    assert (complexes + 1).tolist() == [2 + 2j, 4 + 0j]


def test_complex_powers_of_zero():
    zero = torch.zeros(3, dtype=torch.complex64)
    found = zero ** torch.tensor([0j, 2, -1])
    assert found[0].isnan() and found[1] == 0 and found[2].real == inf and found[2].imag.isnan()
    assert (zero**0).tolist() == [1, 1, 1]
    assert (torch.tensor([inf + 0j, -inf]) ** torch.tensor([-3.0 + 0j, -3])).tolist() == [0, 0]
    assert (torch.tensor([-4.0 + 0j]) ** 0.5).tolist() == [2j]


def test_ldexp_scales_without_overflow_and_rounds_powers_to_the_dtype_of_the_exponent():
    assert torch.ldexp(torch.tensor(1e-30), torch.tensor(130)).item() == pytest.approx(1.361129e9)
    assert torch.ldexp(floats, torch.tensor([1.25, 0.0], dtype=torch.float16)).tolist() == [3.568359375, -2.0]
    assert torch.ldexp(ints, bools).tolist() == [6.0, 0.0]
    with pytest.raises(NotImplementedError, match="\"ldexp_cpu_exp\" not implemented for 'Bool'"):
        torch.ldexp(floats, bools)


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_running_sums_of_bools_need_another_dtype(name):
    with pytest.raises(NotImplementedError, match=f"\"{name}_out_cpu\" not implemented for 'Bool'"):
        getattr(torch, name)(floats, 0, dtype=torch.bool)
    with pytest.raises(NotImplementedError, match=f"\"{name}_out_cpu\" not implemented for 'Bool'"):
        getattr(bools.clone(), name + "_")(0)
    assert getattr(torch.tensor(True), name + "_")(0).tolist() is True
    assert getattr(torch.zeros(0, dtype=torch.bool), name + "_")(0).dtype is torch.bool
    assert getattr(torch.tensor([100, 100], dtype=torch.int8), name + "_")(0).dtype is torch.int8
    with pytest.raises(TypeError, match=rf"{name}\(\) missing 1 required positional arguments: \"dim\""):
        getattr(torch, name)(floats)


def test_nansum_in_complex_numbers():
    with pytest.raises(RuntimeError, match="nansum on CPU does not support complex inputs"):
        torch.nansum(complexes, dtype=torch.uint8)
    with pytest.raises(NotImplementedError, match="\"nansum_cpu\" not implemented for 'ComplexFloat'"):
        torch.nansum(floats, dtype=torch.complex64)
    assert torch.nansum(ints, dtype=torch.complex64).item() == 3
    with pytest.raises(RuntimeError, match=r"nanmean\(\): could not infer output dtype"):
        torch.nanmean(floats, dtype=torch.int64)


def test_lengths_of_complex_numbers_are_cast_to_out():
    out = torch.zeros(2, dtype=torch.complex64)
    assert torch.abs(torch.tensor([3 + 4j, 1j]), out=out).tolist() == [5, 1]
    with pytest.raises(RuntimeError, match="Found dtype Double but expected Float"):
        torch.abs(floats, out=torch.zeros(2, dtype=torch.float64))


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: bools - bools, RuntimeError, "Subtraction, the `-` operator, with two bool tensors is not supported."),
        (lambda: floats - bools, RuntimeError, "Subtraction, the `-` operator, with a bool tensor is not supported."),
        (lambda: floats - torch.tensor([True] * 3), RuntimeError, "Subtraction, the `-` operator, with a bool tensor"),
        (
            lambda: torch.copysign(bytes_, 2j),
            NotImplementedError,
            "\"copysign_cpu\" not implemented for 'ComplexFloat'",
        ),
        (lambda: torch.xlogy(bytes_, 2j), NotImplementedError, "\"xlogy_cpu\" not implemented for 'ComplexFloat'"),
        (lambda: torch.atan2(floats, torch.ones(3) * 1j), RuntimeError, "The size of tensor a (2) must match the size"),
        (lambda: torch.clamp(floats, min=complexes), NotImplementedError, '"maximum_cpu" not implemented for \'Comp'),
        (lambda: torch.clamp(floats, min=2j), RuntimeError, "value cannot be converted to type double without overf"),
        (lambda: torch.clamp(bools, min=True), NotImplementedError, '"clamp_min_scalar_cpu" not implemented for \'B'),
        (
            lambda: torch.clamp(complexes, torch.ones(3)),
            NotImplementedError,
            "clamp is not supported for complex types",
        ),
        (lambda: torch.amax(complexes), NotImplementedError, "\"max_values_cpu\" not implemented for 'ComplexFloat'"),
        (lambda: torch.max(complexes), NotImplementedError, "\"max_all\" not implemented for 'ComplexFloat'"),
        (lambda: torch.max(complexes[0], 0), RuntimeError, "max(): does not support complex input"),
        (lambda: torch.argmax(complexes, 5), RuntimeError, "argmax(): does not support complex input"),
        (lambda: torch.argmin(bools, 0), RuntimeError, "argmin(): does not support bool input"),
        (lambda: torch.aminmax(torch.ones(0)), RuntimeError, "aminmax(): cannot compute aminmax over an empty dimen"),
        (lambda: torch.tensor([2j, 1], dtype=torch.int64), TypeError, "'complex' object cannot be interpreted as an"),
        (lambda: torch.tensor([2j, 1], dtype=torch.float32), TypeError, "must be real number, not complex"),
        (lambda: bools.clone().index_fill_(0, ints, 2j), RuntimeError, "index_fill_(): Converting complex Scalar to"),
        (
            lambda: torch.atan2(floats, complexes, out=torch.ones(2)),
            RuntimeError,
            "result type ComplexFloat can't be cast to the desired output type Float",
        ),
    ],
)
def test_what_torch_says_first(call, kind, words):
    with pytest.raises(kind) as raised:
        call()
    assert str(raised.value).startswith(words)


def test_in_place_calls_look_at_memory_then_shapes_then_dtypes_then_kernels():
    square = torch.ones(2, 2, dtype=torch.complex64)
    for target, other, words in [
        (torch.ones(1).expand(2), square, "unsupported operation: more than one element of the written-to tensor"),
        (torch.ones(2), square, "output with shape [2] doesn't match the broadcast shape [2, 2]"),
        (torch.ones(2), square[0], "result type ComplexFloat can't be cast to the desired output type Float"),
        (torch.ones(2, 2) * 1j, square, "\"remainder_cpu\" not implemented for 'ComplexFloat'"),
        (torch.tensor(1), torch.tensor([2, 0]), "output with shape [] doesn't match the broadcast shape [2]"),
        (torch.tensor([True, False]), ints, "result type Long can't be cast to the desired output type Bool"),
    ]:
        with pytest.raises(RuntimeError) as raised:
            target %= other
        assert str(raised.value).startswith(words)
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Bool"):
        torch.tensor([True, False]).div_(ints)


@pytest.mark.parametrize("given", [half, floats, floats.double(), complexes])
def test_a_mean_into_integers_is_refused_when_their_sum_is_divided(given):
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Int"):
        torch.mean(given, 0, out=torch.tensor(0, dtype=torch.int32))


def test_sums_without_nan_and_of_exponentials_say_what_they_may_be_written_to():
    with pytest.raises(NotImplementedError, match="\"nansum_cpu\" not implemented for 'Long'"):
        torch.nansum(half, 0, out=torch.tensor(0))
    with pytest.raises(NotImplementedError, match="\"nansum_cpu\" not implemented for 'Bool'"):
        torch.nanmean(floats, 0, out=torch.tensor(False))
    with pytest.raises(RuntimeError, match="integral types and 'Bool' are not supported for nanmean"):
        torch.nanmean(ints, 0, out=torch.tensor(0.0))
    assert torch.nansum(ints, 0, out=torch.tensor(False)).item() is True
    for given in (half, complexes, ints):
        with pytest.raises(
            RuntimeError, match=r"logsumexp\(\): Expected floating point type for result tensor, but got: Int"
        ):
            torch.logsumexp(given, 0, out=torch.tensor(0, dtype=torch.int32))
    real = torch.logsumexp(complexes, 0, out=torch.tensor(0.0))
    torch.testing.assert_close(real, torch.logsumexp(complexes, 0).real)


def test_extremes_of_nothing():
    empty = torch.zeros(2, 0, dtype=torch.complex64)
    assert torch.amax(empty, 0).shape == (0,) and torch.mode(empty, 0).values.shape == (0,)
    assert torch.cummax(torch.ones(0), 5).values.shape == (0,)
    assert torch.cummax(complexes[0], 0).values.item() == 1 + 2j
    assert torch.median(torch.zeros(0, dtype=torch.bool)).item() is True
    assert torch.zeros(0).scatter_(0, torch.zeros(0, dtype=torch.int64), 2j).shape == (0,)


def test_products_of_bools_are_refused_where_they_are_summed():
    flags, none = torch.tensor([True, False]), torch.zeros(0, dtype=torch.bool)
    assert torch.einsum("i,i->i", flags, flags).tolist() == [True, False]
    assert torch.einsum("i,j->ij", flags, flags).tolist() == [[True, False], [False, False]]
    assert torch.nn.functional.linear(none.reshape(0, 2), torch.zeros(3, 2, dtype=torch.bool)).shape == (0, 3)
    for product in (lambda: torch.einsum("i,i->", flags, flags), lambda: torch.dot(none, none)):
        with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
            product()
