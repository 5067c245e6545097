"""Checksums of records: those of zip files, by whatever code."""

from __future__ import annotations

import io
import random
import zlib

import numpy as np
import pytest

import rushlight as torch
from rushlight.serialization.checksums import crc32


@pytest.mark.parametrize("size", [0, 1, 15, 16, 63, 64, 65, 79, 80, 127, 128, 129, 1000, 70_001])
def test_a_checksum_is_that_of_zlib_and_goes_on_from_an_earlier_one(size):
    data = random.Random(size).randbytes(size)
    assert crc32(data) == zlib.crc32(data)
    assert crc32(data, 0xDEADBEEF) == zlib.crc32(data, 0xDEADBEEF)
    assert crc32(memoryview(data)[1:]) == zlib.crc32(data[1:])


def test_a_checksum_reads_memory_of_arrays_and_refuses_what_has_no_bytes():
    assert crc32(np.arange(100, dtype=np.uint8)) == zlib.crc32(bytes(range(100)))
    with pytest.raises(TypeError):
        crc32("text")
    with pytest.raises(TypeError):
        crc32(b"", "one")


@pytest.mark.parametrize("place", [0, 300_000, -1])
def test_a_flipped_byte_in_any_part_of_a_long_record_is_found(place):
    file = io.BytesIO()
    torch.save(torch.full((600_000,), 7, dtype=torch.uint8), file)
    data = bytearray(file.getvalue())
    first = data.find(b"\7" * 1000)
    data[first + place % 600_000] ^= 1
    with pytest.raises(RuntimeError, match="checksum is wrong"):
        torch.load(io.BytesIO(data))
