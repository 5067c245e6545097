"""Reading archives: the records of a zip file, none of which may claim more than the file holds.

Files come from anywhere, so everything that they say about themselves is checked before it is believed: places and
sizes against the length of the file, and all that is read against what it can hold.
"""

from __future__ import annotations

import io
import zlib
from struct import error as StructError
from struct import unpack_from
from typing import Any, NamedTuple

import numpy as np

from rushlight.serialization.checksums import crc32
from rushlight.serialization.options import get_crc32_options

# what may follow the directory's end: a comment of at most 64 KiB
TAIL = 22 + 0xFFFF
# compressed records may grow to so many times their size; torch writes none, and a bomb is one that grows
GROWTH = 100
ROOM = 1 << 20
NO_COMPRESSION, DEFLATE = 0, 8
# bytes that are read before they are summed up: they are still in the processor's cache then
CHUNK = 1 << 18
ENCRYPTED = 1


class Record(NamedTuple):
    """Where a record's bytes are, as the directory says."""

    header: int
    stored: int
    size: int
    method: int
    checksum: int


class Archive:
    """The records of a zip file, by the names they have in its one folder."""

    def __init__(self, source: Source):
        self.source = source
        self.records: dict[str, Record] = {}
        self.folder = ""
        # how many bytes may still be read: records that overlap, or are read again, cannot make more of a file
        self.allowance = source.size + ROOM
        self.growth_allowance = GROWTH * source.size + ROOM
        try:
            self.read_directory()
        except (StructError, UnicodeDecodeError, IndexError) as error:
            raise broken(f"its directory cannot be read ({error})") from None

    def read_directory(self) -> None:
        count, start, end = find_directory(self.source)
        data = self.source.read(start, end - start)
        place = 0
        for _ in range(count):
            place = self.read_entry(data, place, start)
        if not self.records:
            raise broken("it has no records")

    def read_entry(self, data: bytes, place: int, end: int) -> int:
        """Note what one entry of the directory says; where the next one begins."""
        if data[place : place + 4] != b"PK\x01\x02":
            raise broken("failed finding central directory")
        fields = unpack_from("<6H3I5H2I", data, place + 4)
        flags, method, checksum, stored, size = fields[2], fields[3], *fields[6:9]
        name_length, extra_length, comment_length, header = *fields[9:12], fields[15]
        first = place + 46
        after = first + name_length + extra_length + comment_length
        if after > len(data):
            raise broken("its directory is cut off")
        name = data[first : first + name_length].decode()
        extra = data[first + name_length : first + name_length + extra_length]
        size, stored, header = with_wide_fields(extra, size, stored, header)
        if flags & ENCRYPTED or method not in (NO_COMPRESSION, DEFLATE):
            raise broken(f"record {name!r} is encrypted, or compressed in an unknown way")
        if header + 30 + stored > end or (method == NO_COMPRESSION and stored != size):
            raise broken(f"record {name!r} is said to lie outside of the file")
        self.add(name, Record(header, stored, size, method, checksum))
        return after

    def add(self, path: str, record: Record) -> None:
        folder, slash, name = path.partition("/")
        if not self.records and not self.folder:
            self.folder = folder
        if not slash or folder != self.folder:
            raise broken(f"record {path!r} does not stand in the folder {self.folder!r}, as all of a file do")
        if name in self.records:
            raise broken(f"there are two records of the name {path!r}")
        self.records[name] = record

    def __contains__(self, name: str) -> bool:
        return name in self.records

    def record(self, name: str) -> Record:
        found = self.records.get(name)
        if found is None:
            raise RuntimeError(f"PytorchStreamReader failed locating file {name}: file not found in archive")
        return found

    def place_of(self, name: str) -> int:
        """Where a record's bytes begin in the file."""
        record = self.record(name)
        local = self.source.read(record.header, 30)
        if local[:4] != b"PK\x03\x04":
            raise broken(f"record {name!r} has no header where the directory says")
        name_length, extra_length = unpack_from("<2H", local, 26)
        start = record.header + 30 + name_length + extra_length
        path = self.source.read(record.header + 30, name_length)
        if path != f"{self.folder}/{name}".encode() or start + record.stored > self.source.size:
            raise broken(f"the header of record {name!r} and the directory differ")
        return start

    def spend(self, name: str, count: int) -> None:
        self.allowance -= count
        if self.allowance < 0:
            raise broken(f"its records hold more than the file, record {name!r} being the first that is too much")

    def read(self, name: str) -> bytes:
        """A record's bytes."""
        record = self.record(name)
        start = self.place_of(name)
        self.spend(name, record.stored)
        data = self.source.read(start, record.stored)
        if record.method == DEFLATE:
            self.growth_allowance -= record.size
            if self.growth_allowance < 0:
                raise broken(f"its records grow more than {GROWTH} times; torch.save compresses none")
            data = inflated(name, data, record.size)
        self.check(name, record, data)
        return data

    def read_into(self, name: str, memory: np.ndarray) -> None:
        """Put a record's bytes into memory of their size."""
        record = self.record(name)
        if record.method == DEFLATE:
            memory[...] = np.frombuffer(self.read(name), np.uint8)
            return
        start = self.place_of(name)
        self.spend(name, record.stored)
        # 0 is what stands there if none was computed
        if not record.checksum or not get_crc32_options():
            self.source.read_into(start, memory)
            return
        found = 0
        for place in range(0, memory.size, CHUNK):
            part = memory[place : place + CHUNK]
            self.source.read_into(start + place, part)
            found = crc32(part, found)
        self.compare(name, record, found)

    def check(self, name: str, record: Record, data: bytes) -> None:
        if record.checksum and get_crc32_options():
            self.compare(name, record, crc32(data))

    def compare(self, name: str, record: Record, found: int) -> None:
        if found != record.checksum:
            raise RuntimeError(
                f"PytorchStreamReader failed reading file {name}: its checksum is wrong, so the file was damaged after "
                "it was saved. (torch.serialization.set_crc32_options(False) does not look at checksums.)"
            )


def inflated(name: str, data: bytes, size: int) -> bytes:
    """A compressed record's bytes, as many as the directory says."""
    machine = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        found = machine.decompress(data, size + 1)
    except zlib.error as error:
        raise broken(f"record {name!r} cannot be decompressed ({error})") from None
    if len(found) != size:
        raise broken(f"record {name!r} has another size than the directory says")
    return found


def find_directory(source: Source) -> tuple[int, int, int]:
    """How many records the directory lists, where it begins and where it ends."""
    tail_start = max(source.size - TAIL, 0)
    tail = source.read(tail_start, source.size - tail_start)
    found = tail.rfind(b"PK\x05\x06")
    if found < 0 or len(tail) - found < 22:
        raise broken("failed finding central directory")
    count, size, start = unpack_from("<H2I", tail, found + 10)
    end = tail_start + found
    locator = tail[max(found - 20, 0) : found]
    if locator[:4] == b"PK\x06\x07":
        (wide_place,) = unpack_from("<Q", locator, 8)
        wide = source.read(wide_place, 56) if wide_place + 56 <= source.size else b""
        if wide[:4] != b"PK\x06\x06":
            raise broken("failed finding central directory")
        count, size, start = unpack_from("<3Q", wide, 32)
        end = wide_place
    if start + size > end or count * 46 > size:
        raise broken("its directory is said to lie outside of the file")
    return count, start, start + size


def with_wide_fields(extra: bytes, size: int, stored: int, header: int) -> tuple[int, int, int]:
    """The sizes and the place of a record, those that need 64 bits out of its extra field."""
    if 0xFFFFFFFF not in (size, stored, header):
        return size, stored, header
    place, values = 0, []
    while place + 4 <= len(extra):
        kind, length = unpack_from("<2H", extra, place)
        if kind == 1:
            values = list(unpack_from(f"<{length // 8}Q", extra, place + 4))[::-1]
        place += 4 + length
    return tuple([values.pop() if each == 0xFFFFFFFF and values else each for each in (size, stored, header)])  # type: ignore[return-value]


def broken(why: str) -> RuntimeError:
    """The error for a file that is no archive as torch writes it, or no longer."""
    return RuntimeError(
        f"PytorchStreamReader failed reading zip archive: {why}. The file is damaged, was cut off, or was never "
        "written by torch.save."
    )


class Source:
    """The bytes of a file or of a stream, from where it stands to its end."""

    def __init__(self, file: Any):
        self.file = file
        self.start = file.tell()
        try:
            file.seek(0, 2)
        except (OSError, ValueError):
            # one that does not know where it ends, such as a compressed file
            self.file, self.start = io.BytesIO(file.read()), 0
            self.file.seek(0, 2)
        self.size = self.file.tell() - self.start

    def read(self, place: int, count: int) -> bytes:
        """So many bytes from a place on."""
        if place < 0 or count < 0 or place + count > self.size:
            raise broken("it ends before its records do")
        self.file.seek(self.start + place)
        data = self.file.read(count)
        while len(data) < count:
            more = self.file.read(count - len(data))
            if not more:
                raise broken("it ends before its records do")
            data += more
        return data

    def read_into(self, place: int, memory: np.ndarray) -> None:
        """Fill memory with the bytes from a place on."""
        if place + memory.size > self.size:
            raise broken("it ends before its records do")
        self.file.seek(self.start + place)
        if not hasattr(self.file, "readinto"):
            memory[...] = np.frombuffer(self.read(place, memory.size), np.uint8)
            return
        view, done = memory.data, 0
        while done < len(view):
            count = self.file.readinto(view[done:])
            if not count:
                raise broken("it ends before its records do")
            done += count
