"""Calling habits: NumPy's names, arguments that are missing, and options that are no bools."""

import operator

import numpy as np
import pytest

import rushlight as torch
import rushlight.nn.functional as F

x = torch.ones(2, 3)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: torch.sum(x, axis=1), [3.0, 3.0]),
        (lambda: x.sum(axis=1, keepdims=True), [[3.0], [3.0]]),
        (lambda: torch.sum(a=x), 6.0),
        (lambda: torch.abs(x=torch.tensor([-1])), [1]),
        (lambda: torch.add(x1=torch.tensor([1]), x2=torch.tensor([2])), [3]),
        (lambda: torch.mul(torch.tensor([2]), x2=3), [6]),
        (lambda: torch.unsqueeze(torch.tensor([1]), axis=0), [[1]]),
        (lambda: torch.diff(torch.arange(3), axis=0), [1, 1]),
        (lambda: torch.gather(torch.arange(3), axis=0, index=torch.tensor([2])), [2]),
        (lambda: torch.narrow(torch.arange(4), axis=0, start=1, length=2), [1, 2]),
        (lambda: torch.index_select(torch.arange(4), axis=0, index=torch.tensor([3])), [3]),
        (lambda: torch.trapezoid(torch.ones(4), axis=0), 3.0),
        (lambda: torch.nanmean(x, axis=0), [1.0, 1.0, 1.0]),
        (lambda: torch.matmul(x1=torch.ones(2), x2=torch.ones(2)), 2.0),
    ],
)
def test_numpys_names_are_taken(call, expected):
    assert call().tolist() == expected


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: torch.sum(x, dim=0, axis=1), "sum() got an unexpected keyword argument 'axis'"),
        (lambda: x.sum(a=x), "sum() got an unexpected keyword argument 'a'"),
        (lambda: torch.split(x, 1, axis=0), "split() got an unexpected keyword argument 'axis'"),
        (lambda: torch.exp(x, foo=1), "exp() got an unexpected keyword argument 'foo'"),
        (lambda: torch.exp(), 'exp() missing 1 required positional arguments: "input"'),
        (lambda: torch.gather(x, 0), 'gather() missing 1 required positional arguments: "index"'),
        (lambda: torch.gather(x), 'gather() missing 2 required positional argument: "dim", "index"'),
        (lambda: torch.matmul(), 'matmul() missing 2 required positional argument: "input", "other"'),
        (lambda: F.cosine_similarity(), 'cosine_similarity() missing 2 required positional argument: "x1", "x2"'),
        (lambda: F.linear(x), 'linear() missing 1 required positional arguments: "weight"'),
        (lambda: F.cross_entropy(x), "cross_entropy() missing 1 required positional argument: 'target'"),
        (lambda: F.mse_loss(), "mse_loss() missing 2 required positional arguments: 'input' and 'target'"),
        (lambda: F.mse_loss(target=x), "mse_loss() missing 1 required positional argument: 'input'"),
        (lambda: torch.cdist(), "cdist() missing 2 required positional arguments: 'x1' and 'x2'"),
        (
            lambda: F.ctc_loss(x),
            "ctc_loss() missing 3 required positional arguments: 'targets', 'input_lengths', and 'target_lengths'",
        ),
        (lambda: torch.diff(), 'diff() missing 1 required positional arguments: "input"'),
        (lambda: torch.tensor(1.0).repeat(), 'repeat() missing 1 required positional arguments: "repeats"'),
        (lambda: torch.tensor(1.0).permute(), 'permute() missing 1 required positional arguments: "dims"'),
        (lambda: torch.tensor(1.0).expand(), 'expand() missing 1 required positional arguments: "size"'),
        (lambda: torch.sum(x, 1, keepdim=1), "sum(): argument 'keepdim' must be bool, not int"),
        (lambda: torch.sum(x, 1, 1), "sum(): argument 'keepdim' (position 3) must be bool, not int"),
        (lambda: torch.sum(x, 1, keepdim=np.True_), "sum(): argument 'keepdim' must be bool, not "),
        (lambda: x.argmax(1, 1), "argmax(): argument 'keepdim' (position 2) must be bool, not int"),
        (lambda: torch.topk(x, 1, largest=1), "topk(): argument 'largest' must be bool, not int"),
        (lambda: torch.isclose(x, x, equal_nan=1), "isclose(): argument 'equal_nan' must be bool"),
        (lambda: torch.fft.fft(x, n=2.5), "fft_fft(): argument 'n' must be int, not float"),
        (lambda: torch.fft.fft(x, 4, (0, 1)), "fft_fft(): argument 'dim' (position 3) must be int, not tuple"),
        (lambda: torch.fft.fft(x, norm=3), "fft_fft(): argument 'norm' must be str, not int"),
        (lambda: torch.fft.fftn(x, dim="a"), "fft_fftn(): argument 'dim' must be tuple of ints, not str"),
        (lambda: torch.cat([x, x], dim="a"), "cat(): argument 'dim' must be int, not str"),
        (lambda: torch.median(x, 0, out=x), "median(): argument 'out' must be tuple of Tensors, not Tensor"),
        (lambda: torch.max(x, "a"), "max() received an invalid combination of arguments - got ("),
        (lambda: torch.min(x, dim=1.5), "min() received an invalid combination of arguments - got ("),
        (lambda: torch.cat([x, x], (1,)), "cat(): argument 'dim' (position 2) must be int, not tuple"),
        (lambda: torch.amax(x, dim="a"), "amax(): argument 'dim' must be tuple of ints, not str"),
        (lambda: torch.softmax(x, 0, dtype="a"), "softmax(): argument 'dtype' must be torch.dtype, not str"),
        (lambda: torch.equal(x, 1.0), "equal(): argument 'other' (position 2) must be Tensor, not float"),
        (lambda: torch.istft(x + 0j, 2, center=1), "istft(): argument 'center' must be bool, not int"),
    ],
)
def test_what_torch_refuses_is_refused(call, words):
    with pytest.raises(TypeError) as raised:
        call()
    assert str(raised.value).startswith(words)


def test_functions_that_torch_writes_in_python_take_any_truth_value():
    assert torch.nn.functional.relu(x, inplace=1) is x


def test_adding_in_place_what_is_no_number():
    y = torch.ones(2)
    with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for \+=: 'Tensor' and 'str'"):
        y += "a"

    class Other:
        def __radd__(self, other):
            return "added"

    y += Other()
    assert y == "added"


def test_none_stands_for_flags_that_torch_has_no_default_for():
    assert torch.sort(x, stable=None).values.shape == x.shape
    assert torch.hann_window(3, requires_grad=None, pin_memory=None).tolist() == pytest.approx([0, 0.75, 0.75])
    assert torch.signal.windows.bartlett(3, sym=1).tolist() == [0, 1, 0]


REFLECTED = "add mul sub truediv matmul pow floordiv mod and or xor lshift rshift".split()


@pytest.mark.parametrize("name", [*REFLECTED, "iadd", "imul", "isub", "itruediv", "iand", "ipow"])
def test_an_operand_of_a_class_that_is_not_known_is_asked_itself(name):
    plain = name if name in REFLECTED else name.removeprefix("i")
    other = type("Other", (), {f"__r{plain}__": lambda self, left: (plain, left.shape)})()
    assert getattr(operator, f"__{name}__")(torch.ones(2).long(), other) == (plain, (2,))


@pytest.mark.parametrize(("name", "mirrored"), [("lt", "gt"), ("gt", "lt"), ("le", "ge"), ("ge", "le")])
def test_a_comparison_with_such_an_operand_is_mirrored(name, mirrored):
    other = type("Other", (), {f"__{mirrored}__": lambda self, left: mirrored})()
    assert getattr(operator, name)(torch.ones(2), other) == mirrored


def test_two_numbers_are_not_looked_for_in_each_other():
    assert torch.isin(1, torch.tensor([1, 2])).item() is True
    assert torch.isin(torch.tensor([1, 2]), 2).tolist() == [False, True]
    with pytest.raises(TypeError, match=r"isin\(\) received an invalid combination of arguments"):
        torch.isin(1, 2)


@pytest.mark.parametrize(
    ("call", "value", "kind"),
    [
        (lambda: torch.add(1, 2), 3, torch.int64),
        (lambda: torch.mul(2, 3.5), 7.0, torch.float32),
        (lambda: torch.add(1, 2, alpha=2), 5, torch.int64),
        (lambda: torch.sub(1, 2, alpha=2), -3, torch.int64),
        (lambda: torch.add(1, 2.5, alpha=2), 6.0, torch.float32),
        (lambda: torch.add(True, True, alpha=2), True, torch.bool),
    ],
)
def test_sums_and_products_of_two_numbers(call, value, kind):
    found = call()
    assert found.item() == value and found.dtype is kind


def test_a_factor_that_does_not_fit_two_numbers():
    with pytest.raises(RuntimeError, match="argument alpha must not be a floating point number"):
        torch.add(1, 2, alpha=2.5)
    with pytest.raises(RuntimeError, match="Boolean alpha only supported for Boolean results"):
        torch.add(1, 2, alpha=True)
