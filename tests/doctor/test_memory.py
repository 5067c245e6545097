"""Memory: checksums, and writes that no count of a tensor sees."""

import gc
import weakref

import numpy as np
import pytest

import rushlight as torch
from rushlight import doctor
from rushlight.doctor.checksums import checksum


@pytest.mark.parametrize("kind", ["float32", "float64", "int64", "float16", "bool"])
@pytest.mark.parametrize("size", [5, 5000, 70000])
def test_a_checksum_sees_one_element_that_changes(kind, size):
    array = (np.arange(size) % 2).astype(kind)
    before = checksum(array)
    assert checksum(array.copy()) == before
    array[size // 2] = 1 - array[size // 2]
    assert checksum(array) != before


def test_a_checksum_sees_elements_that_change_places():
    array = np.arange(5000, dtype=np.float32)
    before = checksum(array)
    array[[10, 4000]] = array[[4000, 10]]
    assert checksum(array) != before


def test_a_checksum_takes_views_and_values_that_are_no_numbers():
    array = np.full((60, 60), np.nan, dtype=np.float32)
    assert checksum(array.T[::2]) == checksum(array.T[::2])


def test_a_write_through_data_is_noted_and_counted_as_before():
    with doctor.watch() as watch:
        x = torch.ones(3, requires_grad=True)
        y = x.exp()
        y.data.mul_(2)
        y.data[0] = 5
        writes = list(watch.observer.memory.writes)
    assert len(writes) == 2
    assert writes[0].place[0].co_name == "test_a_write_through_data_is_noted_and_counted_as_before"
    assert y._version == 0


def test_nothing_that_was_guarded_stays_alive():
    with doctor.watch():
        x = torch.ones(3)
        array = weakref.ref(x._array)
        shown = x.numpy()
        del x, shown
        gc.collect()
        assert array() is None


def test_the_program_gets_arrays_and_functions_of_numpy_as_ever():
    before = np.stack, np.array
    with doctor.watch():
        assert type(torch.ones(2).numpy()) is np.ndarray
        assert np.stack([np.ones(2)] * 9).shape == (9, 2)
    assert (np.stack, np.array) == before
