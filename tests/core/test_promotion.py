"""Type promotion: torch's table, and what decides when tensors and numbers meet."""

import pytest

import rushlight as torch

NAMES = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128".split()

# torch.promote_types for each pair, in the order of NAMES: its place in NAMES
TABLE = """
0 1 2 3 4 5 6 7 8 9 10 11
1 1 3 3 4 5 6 7 8 9 10 11
2 3 2 3 4 5 6 7 8 9 10 11
3 3 3 3 4 5 6 7 8 9 10 11
4 4 4 4 4 5 6 7 8 9 10 11
5 5 5 5 5 5 6 7 8 9 10 11
6 6 6 6 6 6 6 8 8 9 10 11
7 7 7 7 7 7 8 7 8 9 10 11
8 8 8 8 8 8 8 8 8 9 10 11
9 9 9 9 9 9 9 9 9 9 11 11
10 10 10 10 10 10 10 10 10 11 10 11
11 11 11 11 11 11 11 11 11 11 11 11
""".split()


@pytest.mark.parametrize("row", range(len(NAMES)))
def test_promotion_of_every_pair(row):
    first = getattr(torch, NAMES[row])
    promoted = [torch.promote_types(first, getattr(torch, name)) for name in NAMES]
    assert promoted == [getattr(torch, NAMES[int(each)]) for each in TABLE[12 * row : 12 * row + 12]]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (lambda: torch.tensor([1]), lambda: 1.5, "float32"),
        (lambda: torch.tensor([1.0]), lambda: torch.tensor(1.0, dtype=torch.float64), "float32"),
        (lambda: torch.tensor([1.0]), lambda: torch.tensor([1.0], dtype=torch.float64), "float64"),
        (lambda: torch.tensor([1], dtype=torch.uint8), lambda: torch.tensor(1), "uint8"),
        (lambda: torch.tensor([1], dtype=torch.uint8), lambda: -1, "uint8"),
        (lambda: torch.tensor([True]), lambda: 1, "int64"),
        (lambda: torch.tensor([1.0], dtype=torch.float64), lambda: 1j, "complex128"),
        (lambda: torch.tensor(1.0, dtype=torch.float64), lambda: 1, "float64"),
        (lambda: torch.tensor(1), lambda: torch.tensor(1, dtype=torch.int32), "int64"),
        (lambda: 1, lambda: 1.5, "float32"),
    ],
)
def test_a_dimension_outranks_none_and_a_tensor_outranks_a_number(first, second, expected):
    assert torch.result_type(first(), second()) is getattr(torch, expected)
    assert torch.result_type(second(), first()) is getattr(torch, expected)


def test_what_can_be_written_where():
    assert torch.can_cast(torch.int64, torch.uint8)
    assert torch.can_cast(torch.float64, torch.float16)
    assert torch.can_cast(torch.bool, torch.complex64)
    assert not torch.can_cast(torch.float32, torch.int64)
    assert not torch.can_cast(torch.int64, torch.bool)
    assert not torch.can_cast(torch.complex64, torch.float64)


def test_numpys_rules_do_not_leak_in():
    assert (torch.tensor([1]) + torch.tensor([1.0])).dtype is torch.float32
    assert (torch.tensor([1]) / 2).dtype is torch.float32


def test_what_is_no_dtype_is_refused():
    with pytest.raises(
        TypeError, match=r"^promote_types\(\): argument 'type2' \(position 2\) must be torch.dtype, not int$"
    ):
        torch.promote_types(torch.int32, 3)
    with pytest.raises(TypeError, match=r"argument 'type1' \(position 1\) must be torch.dtype, not float$"):
        torch.promote_types(3.0, torch.int32)
