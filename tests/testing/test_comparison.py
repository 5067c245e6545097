"""assert_close: what is close passes, what is not is told."""

import numpy as np
import pytest

import rushlight as torch

close = torch.testing.assert_close


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (torch.ones(2), torch.ones(2) + 1e-6),
        (torch.zeros(0), torch.zeros(0)),
        (torch.arange(3), torch.arange(3)),
        (1.0, 1.0 + 1e-9),
        (None, None),
        ([1, (torch.ones(1), 2.0)], (1, [torch.ones(1), 2.0])),
        ({"a": torch.ones(1)}, {"a": torch.ones(1)}),
        (np.ones(2), np.ones(2)),
        (torch.tensor(float("inf")), torch.tensor(float("inf"))),
    ],
)
def test_what_is_close(actual, expected):
    close(actual, expected)


@pytest.mark.parametrize(
    ("actual", "expected", "words"),
    [
        (
            torch.ones(2, 3),
            torch.tensor([[1, 1, 1], [1, 1.5, 1]]),
            r"Mismatched elements: 1 / 6 \(16.7%\)\nGreatest absolute ",
        ),
        (torch.ones(2), torch.zeros(2), r"Greatest relative difference: inf at index \(0,\) \(up to 1.3e-06 allowed\)"),
        (torch.arange(2), torch.tensor([0, 2]), "Tensor-likes are not equal!"),
        (torch.ones(2), torch.ones(3), r"'shape' do not match: torch.Size\(\[2\]\) != torch.Size\(\[3\]\)"),
        (torch.ones(2), torch.ones(2).double(), "'dtype' do not match: torch.float32 != torch.float64"),
        (1.0, 2.0, "Scalars are not close!\n\nExpected 2.0 but got 1.0.\nAbsolute difference: 1.0"),
        (1, 2, "Scalars are not equal!\n\nExpected 2 but got 1.\nAbsolute difference: 1\n"),
        ([1, 2], [1], "The length of the sequences mismatch: 2 != 1"),
        ({"a": 1}, {"b": 1}, r"Missing keys in the actual mapping: \['b'\]"),
        ({"a": [torch.ones(1)]}, {"a": [torch.zeros(1)]}, r"The failure occurred for item \['a'\]\[0\]"),
        (torch.tensor(float("nan")), torch.tensor(float("nan")), "Expected nan but got nan"),
    ],
)
def test_what_is_not_close(actual, expected, words):
    with pytest.raises(AssertionError, match=words):
        close(actual, expected)


def test_options():
    nan = torch.tensor([float("nan")])
    close(nan, nan, equal_nan=True)
    close(torch.ones(1), torch.ones(1).double(), check_dtype=False)
    close(torch.ones(1), torch.tensor([1.4]), rtol=0.5, atol=0.0)
    with pytest.raises(AssertionError, match="'stride"):
        close(torch.ones(2, 3), torch.ones(3, 2).t(), check_stride=True)
    with pytest.raises(AssertionError, match=r"^mine$"):
        close(1, 2, msg="mine")
    with pytest.raises(AssertionError, match=r"^Scalars are not equal!\n.*\nand more"):
        close(1, 2, msg=lambda words: words.splitlines()[0] + "\n\nand more")
    with pytest.raises(ValueError, match="but got no atol"):
        close(1.0, 1.0, rtol=0.1)


@pytest.mark.parametrize(
    ("actual", "expected", "words"),
    [
        (1, 1.0, "The (d)types do not match: <class 'int'> != <class 'float'>."),
        (1.0, 1, "The (d)types do not match: <class 'float'> != <class 'int'>."),
        (
            [1],
            [1.0],
            "The (d)types do not match: <class 'int'> != <class 'float'>.\n\nThe failure occurred for item [0]",
        ),
        (True, False, "Booleans mismatch: True is not False"),
        ({"a": np.bool_(True)}, {"a": False}, "Booleans mismatch: True is not False"),
        (
            torch.ones(2, device="meta"),
            torch.ones(2),
            "The values for attribute 'device' do not match: meta != cpu.",
        ),
    ],
)
def test_kinds_of_numbers_truths_and_devices_differ_in_torchs_words(actual, expected, words):
    with pytest.raises(AssertionError) as caught:
        close(actual, expected)
    assert str(caught.value) == words


def test_kinds_that_are_not_checked_may_differ():
    close(1, 1.0, check_dtype=False)
    close(np.float32(1), 1.0)
    close(torch.ones(2, device="meta"), torch.ones(2), check_device=False)


def test_differences_are_reported_as_the_dtype_rounds_them():
    with pytest.raises(AssertionError) as caught:
        close(torch.ones(3), torch.ones(3) + 0.01, rtol=0, atol=1e-3)
    assert str(caught.value).splitlines()[-2:] == [
        "Greatest absolute difference: 0.009999990463256836 at index (0,) (up to 0.001 allowed)",
        "Greatest relative difference: 0.00990098062902689 at index (0,) (up to 0 allowed)",
    ]


@pytest.mark.parametrize(("actual", "expected"), [("a", "a"), (torch.ones(1), 1.0), (np.ones(1), torch.ones(1))])
def test_what_cannot_be_compared(actual, expected):
    with pytest.raises(TypeError, match="No comparison pair was able to handle"):
        close(actual, expected)


def test_the_old_form():
    with pytest.warns(FutureWarning, match="deprecated"):
        torch.testing.assert_allclose(torch.ones(2), [1.0, 1.00001])


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.bool, torch.complex64, torch.uint8])
def test_tensors_to_test_with(dtype):
    made = torch.testing.make_tensor((20, 3), dtype=dtype, device="cpu", noncontiguous=True)
    assert made.dtype is dtype
    assert made.shape == (20, 3)
    assert not made.is_contiguous()
    assert torch.testing.make_tensor(4, dtype=torch.float32, low=1, high=2, requires_grad=True).min() >= 1
    assert (torch.testing.make_tensor(50, dtype=torch.int64, exclude_zero=True) != 0).all()
    with pytest.raises(ValueError, match="mutually exclusive"):
        torch.testing.make_tensor(2, dtype=dtype, noncontiguous=True, memory_format=torch.contiguous_format)


@pytest.mark.parametrize(
    "one, other",
    [
        ("bfloat16", "float16"),
        ("int32", "bfloat16"),
        ("bool", "float32"),
        ("float16", "float64"),
        ("complex64", "bfloat16"),
    ],
)
def test_tensors_of_two_dtypes_that_differ_are_told_of_in_the_dtype_of_both(one, other):
    actual = torch.ones(3, dtype=getattr(torch, one))
    expected = torch.tensor([1.0, 0.0, 1.0], dtype=getattr(torch, other))
    with pytest.raises(AssertionError, match=r"Greatest absolute difference: 1\.0 at index \(1,\)"):
        close(actual, expected, check_dtype=False)
