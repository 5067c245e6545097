"""Ranges of evenly spaced numbers: torch's dtypes, ends and refusals."""

import numpy as np
import pytest

import rushlight as torch


def told(tensor):
    """What a reader of the test wants to see of a tensor."""
    return tensor.tolist(), str(tensor.dtype).removeprefix("torch.")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((5,), ([0, 1, 2, 3, 4], "int64")),
        ((2.0,), ([0.0, 1.0], "float32")),
        ((1, 5, 2), ([1, 3], "int64")),
        ((5, 1, -2), ([5, 3], "int64")),
        ((1, 2.5, 0.5), ([1.0, 1.5, 2.0], "float32")),
        ((torch.tensor(3),), ([0, 1, 2], "int64")),
        ((torch.tensor(1.0, dtype=torch.float64), 3), ([1.0, 2.0], "float32")),
        ((2**53, 2**53 + 2), ([2**53, 2**53 + 1], "int64")),
        ((np.float64(2),), ([0.0, 1.0], "float32")),
        ((0,), ([], "int64")),
    ],
)
def test_arange(arguments, expected):
    assert told(torch.arange(*arguments)) == expected


def test_arange_by_name():
    assert torch.arange(end=2).tolist() == [0, 1]
    assert torch.arange(1, end=3).tolist() == [1, 2]
    assert torch.arange(start=1, end=5, step=2).tolist() == [1, 3]
    assert torch.arange(300, dtype=torch.uint8)[-2:].tolist() == [42, 43]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "words"),
    [
        ((1, 5, -1), {}, RuntimeError, "upper bound and lower bound inconsistent with step sign"),
        ((1, 5, 0), {}, RuntimeError, "step must be nonzero"),
        ((0, 1, 0.1), {"dtype": torch.int64}, ValueError, "step must be nonzero"),
        ((2,), {"dtype": torch.bool}, NotImplementedError, "\"arange_cpu\" not implemented for 'Bool'"),
        ((float("inf"),), {}, RuntimeError, "unsupported range: 0 -> inf"),
        ((1j,), {}, RuntimeError, "value cannot be converted to type double without overflow"),
        (("a",), {}, TypeError, "argument 'end' \\(position 1\\) must be Number, not str"),
        ((), {"start": 1}, TypeError, 'missing 1 required positional arguments: "end"'),
        ((1, 2, 3, 4), {}, TypeError, "invalid combination of arguments"),
    ],
)
def test_arange_refuses(arguments, options, error, words):
    with pytest.raises(error, match=words):
        torch.arange(*arguments, **options)


def test_range_includes_its_end_and_is_deprecated():
    with pytest.warns(UserWarning, match=r"torch.range is deprecated"):
        assert told(torch.range(1, 3)) == ([1.0, 2.0, 3.0], "float32")
    with pytest.raises(TypeError, match="missing 1 required"):
        torch.range(3)
    with pytest.warns(UserWarning):
        for arguments, words in (
            ((1, 5, -1), "step sign"),
            ((1, 5, 0), "nonzero"),
            ((0, np.inf), "unsupported"),
        ):
            with pytest.raises(RuntimeError, match=words):
                torch.range(*arguments)


def test_linspace_and_logspace():
    assert told(torch.linspace(0, 1, 5)) == ([0.0, 0.25, 0.5, 0.75, 1.0], "float32")
    assert told(torch.linspace(-10, 10, 7, dtype=torch.int32)) == ([-10, -6, -3, 0, 3, 6, 10], "int32")
    assert told(torch.linspace(0, 1j, 3)) == ([0j, 0.5j, 1j], "complex64")
    assert torch.linspace(0, 1, 1).tolist() == [0.0]
    assert torch.linspace(torch.tensor(0), 1, 3).tolist() == [0.0, 0.5, 1.0]
    assert torch.linspace(0, 1, 0).shape == (0,)
    assert told(torch.logspace(0, 2, 3)) == ([1.0, 10.0, 100.0], "float32")
    assert told(torch.logspace(0, 2, 3, base=2, dtype=torch.int64)) == ([1, 2, 4], "int64")


@pytest.mark.parametrize(
    ("arguments", "options", "error", "words"),
    [
        ((0, 1, -1), {}, RuntimeError, "number of steps must be non-negative"),
        ((torch.tensor([0.0]), 1, 3), {}, RuntimeError, "linspace only supports 0-dimensional start and end"),
        (
            (0, 1, 3),
            {"dtype": torch.bool},
            NotImplementedError,
            "\"linspace_cpu\" not implemented for 'Bool'",
        ),
        ((0, 1j, 3), {"dtype": torch.float32}, RuntimeError, "can't be safely cast to passed dtype"),
        ((0, 1, 3.0), {}, TypeError, "argument 'steps' \\(position 3\\) must be int, not float"),
    ],
)
def test_linspace_refuses(arguments, options, error, words):
    with pytest.raises(error, match=words):
        torch.linspace(*arguments, **options)


def test_indices_of_triangles():
    assert torch.tril_indices(3, 3, -1).tolist() == [[1, 2, 2], [0, 0, 1]]
    assert torch.triu_indices(2, 3, 1).tolist() == [[0, 0, 1], [1, 2, 2]]
    assert torch.triu_indices(3, 3, 5).shape == (2, 0)
    with pytest.raises(RuntimeError, match="row must be non-negative"):
        torch.tril_indices(-1, 3)
    with pytest.raises(NotImplementedError, match=r"\"triu_indices\" not implemented for 'Float'"):
        torch.triu_indices(3, 3, dtype=torch.float32)


def test_long_float32_ranges_are_rounded_in_eights():
    assert torch.arange(0, 1e6, 0.1)[123457:123460].tolist() == [12345.69921875, 12345.7998046875, 12345.8994140625]
    found = torch.arange(0.1, 1e5, 0.3)[[1, 1000, 33331, 99999, 200001]].tolist()
    assert found == [0.4000000059604645, 300.1000061035156, 9999.400390625, 29999.798828125, 60000.40234375]


def test_linspace_rounds_each_number_once():
    thirds = ["-0x1.0000000000000p+0", "-0x1.5555540000000p-1", "-0x1.5555540000000p-2", "-0x1.0000000000000p-25"]
    assert [each.hex() for each in torch.linspace(-1, 1, 7).tolist()[:4]] == thirds
    wide = ["-0x1.0000000000000p+0", "-0x1.5555555555556p-1", "-0x1.5555555555556p-2", "0x1.0000000000000p-54"]
    assert [each.hex() for each in torch.linspace(-1, 1, 7, dtype=torch.float64).tolist()[:4]] == wide
    assert torch.linspace(5, -2, 98)[11].item().hex() == "0x1.0d32260000000p+2"


def test_linspace_of_half_precision_counts_in_it():
    assert torch.linspace(4.1438, 9.97612, 6, dtype=torch.float16)[1].item() == 5.3125
    expected = [-3.5, -3.203125, -2.90625, -2.59375, -2.296875, -2.0, -1.6953125, -1.390625, -1.09375]
    assert torch.linspace(-3.5, -1.09, 9, dtype=torch.bfloat16).tolist() == expected


def test_each_part_of_complex_steps_is_rounded_by_itself():
    for kind, real in ((torch.complex64, torch.float32), (torch.complex128, torch.float64)):
        found = torch.linspace(-1.4896453 + 0.3j, 0.1 - 2.7j, 37, dtype=kind)
        assert found.real.equal(torch.linspace(-1.4896453, 0.1, 37, dtype=real))
        assert found.imag.equal(torch.linspace(0.3, -2.7, 37, dtype=real))


def test_a_complex_power_that_is_alone_has_all_digits():
    found = torch.logspace(0.01 + 10.923799985066038j, 0, 1, base=3.5, dtype=torch.complex64)
    assert found.equal(torch.tensor([3.5 ** (0.01 + 10.923799985066038j)], dtype=torch.complex64))


@pytest.mark.parametrize("dtype", [None, torch.float32, torch.float64])
@pytest.mark.parametrize("bounds", [(0.0, 1.0, 0.001), (-3.5, 100, 0.25), (1e-3, 2.0, 0.1), (0, 40.0, 1), (5.0, 6, 7)])
def test_ranges_of_floats_are_the_same_by_position_and_by_name(bounds, dtype):
    start, end, step = bounds
    # native code leaves arguments by name to Python
    assert torch.arange(*bounds, dtype=dtype).equal(torch.arange(start=start, end=end, step=step, dtype=dtype))


@pytest.mark.parametrize(
    "bounds", [(1.0, 0.0), (0.0, torch.inf), (0.0, torch.nan), (0.0, 1.0, 0.0), (0.0, 1.0, torch.nan)]
)
def test_ranges_of_floats_that_lead_nowhere_are_refused(bounds):
    with pytest.raises(RuntimeError):
        torch.arange(*bounds)


@pytest.mark.parametrize("offset", [-9, -2, 0, 1, 9])
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1), (4, 6), (6, 4)])
def test_the_places_of_triangles(shape, offset):
    for function, expected in ((torch.tril_indices, np.tril_indices), (torch.triu_indices, np.triu_indices)):
        found = function(*shape, offset)
        assert found.dtype is torch.int64
        assert np.array_equal(found.numpy(), np.array(expected(shape[0], offset, shape[1])))
        assert found.equal(function(*shape, offset=offset, dtype=torch.int32).long())


def test_powers_evenly_spaced():
    for count in (2, 5, 600):
        found = torch.logspace(-2, 3, count, dtype=torch.float64)
        assert torch.allclose(found, 10 ** torch.linspace(-2, 3, count, dtype=torch.float64))
    assert torch.logspace(0, 4, 5, base=2).tolist() == [1, 2, 4, 8, 16]
    assert torch.logspace(0, 4, 5, 2, dtype=torch.int64).tolist() == [1, 2, 4, 8, 16]
    with pytest.raises(RuntimeError, match="number of steps must be non-negative"):
        torch.logspace(0, 1, -1)


@pytest.mark.parametrize("function", [torch.tril_indices, torch.triu_indices])
def test_a_triangle_that_no_memory_holds_is_refused_in_torchs_words(function):
    with pytest.raises(RuntimeError, match="DefaultCPUAllocator: can't allocate memory"):
        function(2**24, 2**24)
