"""Dtypes of eight bits and fewer, quantized ones and complex32: what they answer, what can be done with them."""

import copy
import math
import pickle

import pytest

import rushlight as torch

FLOATS = ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu")
NAMES_ONLY = ("complex32", "float4_e2m1fn_x2", "int4", "uint1", "bits8", "qint8", "quint4x2")


def dtype(name):
    return getattr(torch, name)


@pytest.mark.parametrize(
    ("name", "size", "is_float", "is_complex", "short"),
    [
        ("float8_e4m3fn", 1, True, False, "f8e4m3fn"),
        ("float8_e8m0fnu", 1, True, False, "f8e8m0fnu"),
        ("float4_e2m1fn_x2", 1, True, False, "f4e2m1fnx2"),
        ("complex32", 4, False, True, "c32"),
        ("int4", 1, False, False, "int4"),
        ("uint1", 1, False, False, "uint1"),
        ("bits16", 2, False, False, "b16x1"),
        ("bits8", 1, False, False, "b8x1"),
        ("quint4x2", 1, False, False, "quint4x2"),
        ("qint32", 4, False, False, "qint32"),
        ("float32", 4, True, False, "f32"),
        ("bfloat16", 2, True, False, "bf16"),
        ("uint8", 1, False, False, "u8"),
        ("bool", 1, False, False, "b8"),
        ("complex128", 16, False, True, "c128"),
    ],
)
def test_what_a_dtype_says_of_itself(name, size, is_float, is_complex, short):
    kind = dtype(name)
    assert isinstance(kind, torch.dtype)
    assert (repr(kind), kind.itemsize, kind.is_floating_point, kind.is_complex, kind.abbr) == (
        f"torch.{name}",
        size,
        is_float,
        is_complex,
        short,
    )


@pytest.mark.parametrize("name", (*FLOATS, *NAMES_ONLY))
def test_there_is_one_object_for_each(name):
    kind = dtype(name)
    assert pickle.loads(pickle.dumps(kind)) is kind is copy.deepcopy(kind)


def test_other_names():
    assert torch.chalf is torch.complex32 and torch.bit is torch.uint1


def test_signs():
    assert torch.float8_e5m2.is_signed and torch.int4.is_signed and torch.complex32.is_signed
    assert not torch.float8_e8m0fnu.is_signed and not torch.uint3.is_signed
    with pytest.raises(RuntimeError, match="Bits types are undefined"):
        _ = torch.bits8.is_signed
    with pytest.raises(RuntimeError, match="isSignedType not supported for quantized types"):
        _ = torch.qint8.is_signed


def test_complex_and_real_forms():
    assert torch.float16.to_complex() is torch.complex32 is torch.complex32.to_complex()
    assert torch.complex32.to_real() is torch.float16 and torch.float8_e5m2.to_real() is torch.float8_e5m2
    with pytest.raises(RuntimeError, match="Unknown Complex ScalarType for Float8_e5m2"):
        torch.float8_e5m2.to_complex()


@pytest.mark.parametrize(
    ("name", "eps", "largest", "least", "tiny"),
    [
        ("float8_e4m3fn", 0.125, 448.0, -448.0, 0.015625),
        ("float8_e5m2", 0.25, 57344.0, -57344.0, 6.103515625e-05),
        ("float8_e4m3fnuz", 0.125, 240.0, -240.0, 0.0078125),
        ("float8_e5m2fnuz", 0.125, 57344.0, -57344.0, 3.0517578125e-05),
        ("float8_e8m0fnu", 1.0, 1.7014118346046923e38, 5.877471754111438e-39, 5.877471754111438e-39),
        ("complex32", 0.0009765625, 65504.0, -65504.0, 6.103515625e-05),
    ],
)
def test_limits_of_floats(name, eps, largest, least, tiny):
    found = torch.finfo(dtype(name))
    assert (found.eps, found.max, found.min, found.tiny, found.smallest_normal) == (eps, largest, least, tiny, tiny)


def test_limits_of_others():
    assert (torch.iinfo(torch.quint8).max, torch.iinfo(torch.qint32).min) == (255, -(2**31))
    with pytest.raises(TypeError, match=r"torch.iinfo\(\) requires an integer input type"):
        torch.iinfo(torch.int4)
    with pytest.raises(NotImplementedError, match="\"epsilon\" not implemented for 'Float4_e2m1fn_x2'"):
        torch.finfo(torch.float4_e2m1fn_x2)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("complex32", "float16", "complex32"),
        ("complex32", "int64", "complex32"),
        ("complex32", "float32", "complex64"),
        ("complex32", "float64", "complex128"),
        ("bfloat16", "complex32", "complex64"),
        ("complex64", "complex32", "complex64"),
        ("uint4", "float32", "float32"),
        ("quint8", "quint8", "quint8"),
    ],
)
def test_promotion(one, other, expected):
    assert torch.promote_types(dtype(one), dtype(other)) is dtype(expected)


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        (
            "float8_e4m3fn",
            "float32",
            "Promotion for Float8 Types is not supported, attempted to promote Float8_e4m3fn and",
        ),
        ("float8_e4m3fn", "float8_e5m2", "Promotion for Float8 Types is not supported"),
        ("qint8", "float32", "promoteTypes with quantized numbers is not handled yet"),
        ("bits8", "float32", "Promotion from Bits8 and Float is unsupported"),
        ("uint4", "int64", "Promotion for uint16, uint32, uint64 types is not supported"),
        ("complex32", "uint4", "Promotion for uint16, uint32, uint64 types is not supported"),
        ("int4", "float32", "Promotion from Int4 and Float is unsupported"),
    ],
)
def test_promotion_that_is_refused(one, other, words):
    with pytest.raises(RuntimeError, match=f"^{words}"):
        torch.promote_types(dtype(one), dtype(other))


# what torch makes of these numbers; -1000 and 0 besides
NUMBERS = [0.1, 1.5, 1000.0, -3.0, math.inf, 1e-4, 464.0]
ROUNDED = {
    "float8_e4m3fn": [0.1015625, 1.5, 448.0, -3.0, 448.0, 0.0, 448.0],
    "float8_e5m2": [0.09375, 1.5, 1024.0, -3.0, math.inf, 0.0001068115234375, 448.0],
    "float8_e4m3fnuz": [0.1015625, 1.5, math.nan, -3.0, math.nan, 0.0, math.nan],
    "float8_e5m2fnuz": [0.09375, 1.5, 1024.0, -3.0, math.nan, 0.0001068115234375, 448.0],
    "float8_e8m0fnu": [0.125, 2.0, 1024.0, 4.0, math.nan, 0.0001220703125, 512.0],
}


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("source", ["float32", "float64", "float16"])
def test_numbers_are_rounded_as_torch_rounds(name, source):
    x = torch.tensor(NUMBERS, dtype=dtype(source))
    assert x.to(dtype(name)).to(torch.float64).tolist() == pytest.approx(ROUNDED[name], nan_ok=True)


def test_what_is_not_a_number_and_zero_have_torchs_bits():
    x = torch.tensor([math.nan, 0.0, -0.0])
    assert x.to(torch.float8_e5m2).view(torch.uint8).tolist() == [127, 0, 128]
    assert x.to(torch.float8_e4m3fn).view(torch.uint8).tolist() == [127, 0, 128]
    assert x.to(torch.float8_e4m3fnuz).view(torch.uint8).tolist() == [128, 0, 0]
    assert x.to(torch.float8_e8m0fnu).view(torch.uint8).tolist() == [255, 0, 0]


def test_floats_of_eight_bits_are_kept_copied_and_compared():
    y = torch.tensor([1.0, 2.5, -3.0], dtype=torch.float8_e4m3fn)
    assert repr(y) == "tensor([ 1.0000,  2.5000, -3.0000], dtype=torch.float8_e4m3fn)"
    assert y.tolist() == [1.0, 2.5, -3.0] and y[1].item() == 2.5 and y.type() == "torch.Float8_e4m3fnTensor"
    assert (y.element_size(), y.nbytes) == (1, 3)
    assert torch.cat([y, y.clone()]).shape == (6,) and torch.stack([y, y])[1].tolist() == y.tolist()
    assert (y == y).all() and torch.where(y > 0, y, y)[0].item() == 1.0
    assert torch.zeros(2, dtype=torch.float8_e5m2).fill_(3).tolist() == [3.0, 3.0]
    assert y.view(torch.uint8).view(torch.float8_e4m3fn).tolist() == y.tolist()
    z = torch.empty_like(y)
    z.copy_(torch.tensor([1000.0, 0.1, 7.0]))
    assert z.tolist() == [448.0, 0.1015625, 7.0]


def test_gradients_pass_through_the_conversion():
    x = torch.tensor([0.1, 2.0], requires_grad=True)
    (x.to(torch.float8_e5m2).float() * 3).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    ("compute", "kernel"),
    [
        (lambda y: y + y, "add_stub"),
        (lambda y: y * 2, "mul_cpu_reduced_float"),
        (lambda y: y.sum(), "sum_cpu"),
        (lambda y: y.mean(), "sum_cpu"),
        (lambda y: y.exp(), "exp_vml_cpu"),
        (lambda y: y.max(), "max_all"),
        (lambda y: y.sort(), "sorting_kernel_method_name"),
        (lambda y: y.relu(), "clamp_min_scalar_cpu"),
        (lambda y: -y, "neg_cpu"),
    ],
)
def test_computing_with_them_is_refused(compute, kernel):
    y = torch.ones(3).to(torch.float8_e4m3fn)
    with pytest.raises(NotImplementedError, match=f"^\"{kernel}\" not implemented for 'Float8_e4m3fn'"):
        compute(y)


def test_mixing_and_exporting_is_refused():
    y = torch.ones(3).to(torch.float8_e4m3fn)
    with pytest.raises(RuntimeError, match=r"^Promotion for Float8 Types is not supported"):
        y + torch.ones(3)
    with pytest.raises(TypeError, match=r"^Got unsupported ScalarType Float8_e4m3fn"):
        y.numpy()


@pytest.mark.parametrize("name", NAMES_ONLY)
def test_a_dtype_that_is_a_name_only_says_what_to_use(name):
    for make in (lambda kind: torch.zeros(2, dtype=kind), lambda kind: torch.ones(2).to(kind)):
        with pytest.raises(
            NotImplementedError, match=rf"^tensors of torch.{name} are not in Rushlight: .*use torch|keep"
        ):
            make(dtype(name))
