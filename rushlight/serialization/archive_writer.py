"""Writing archives: records in a zip file as torch lays them out, each beginning at a multiple of 64 bytes."""

from __future__ import annotations

import os
from struct import pack
from typing import Any

from rushlight.serialization.checksums import crc32
from rushlight.serialization.options import get_crc32_options
from rushlight.utils.serialization import config

# from here on sizes and places stand in fields of 64 bits
LIMIT = 0xFFFFFFFF
LOCAL, DESCRIPTOR, CENTRAL = b"PK\x03\x04", b"PK\x07\x08", b"PK\x01\x02"
# names are UTF-8, and sizes stand behind the data: these are written in one go
FLAGS, FLAGS_EMPTY = 0x0808, 0x0800
VERSION = b"3\n"
CHUNK = 1 << 24


class ArchiveWriter:
    """A zip file that is written record by record, from its beginning to its end."""

    def __init__(self, file: Any, name: str):
        self.file = file
        self.name = name
        self.place = 0
        self.directory: list[bytes] = []
        self.checksums = 0
        self.names: list[str] = []

    def write(self, data: Any) -> None:
        write_all(self.file, data)
        self.place += len(data)

    def write_record(self, name: str, data: Any) -> None:
        """Write bytes under a name."""
        view = memoryview(data).cast("B")
        checksum = crc32(view) if get_crc32_options() else 0
        header = self.begin(name, len(view))
        for start in range(0, len(view), CHUNK):
            self.write(view[start : start + CHUNK])
        self.end(name, header, len(view), checksum)

    def write_room(self, name: str, size: int) -> None:
        """Leave room for so many bytes under a name."""
        header = self.begin(name, size)
        zeros = bytes(min(size, CHUNK))
        for start in range(0, size, CHUNK):
            self.write(zeros[: size - start])
        self.end(name, header, size, 0)

    def begin(self, name: str, size: int) -> int:
        """Write what stands before a record's bytes."""
        header, path = self.place, f"{self.name}/{name}".encode()
        wide = wide_fields(size, header)
        before = header + 30 + len(path) + len(wide) + 4
        fill = -before % config.save.storage_alignment
        extra = wide + b"FB" + pack("<H", fill) + b"Z" * fill
        flags = FLAGS if size else FLAGS_EMPTY
        self.write(LOCAL + pack("<5H3I2H", 0, flags, 0, 0, 0, 0, 0, 0, len(path), len(extra)) + path + extra)
        return header

    def end(self, name: str, header: int, size: int, checksum: int) -> None:
        """Write what stands behind a record's bytes, and note it for the directory."""
        path, wide = f"{self.name}/{name}".encode(), wide_fields(size, header)
        if size:
            form = "<I2Q" if wide else "<3I"
            self.write(DESCRIPTOR + pack(form, checksum, size, size))
        shown, start = min(size, LIMIT), min(header, LIMIT)
        fixed = (0, 0, FLAGS if size else FLAGS_EMPTY, 0, 0, 0, checksum, shown, shown, len(path), len(wide))
        self.directory.append(CENTRAL + pack("<6H3I5H2I", *fixed, 0, 0, 0, 0, start) + path + wide)
        self.names.append(name)
        self.checksums = crc32(pack("<I", checksum), self.checksums)

    def finish(self) -> None:
        """Write the version, a number that tells files apart, and the directory."""
        self.write_record("version", VERSION)
        names = crc32("\n".join(self.names).encode())
        self.write_record(".data/serialization_id", f"{names:020}{self.checksums:020}".encode())
        start, directory, count = self.place, b"".join(self.directory), len(self.directory)
        self.write(directory)
        size, wide_end = len(directory), self.place
        self.write(b"PK\x06\x06" + pack("<Q2H2I4Q", 44, 0x031E, 45, 0, 0, count, count, size, start))
        self.write(b"PK\x06\x07" + pack("<IQI", 0, wide_end, 1))
        few = min(count, 0xFFFF)
        self.write(b"PK\x05\x06" + pack("<4H2IH", 0, 0, few, few, min(size, LIMIT), min(start, LIMIT), 0))


def write_all(file: Any, data: Any) -> None:
    """Write bytes, all of them: a file without a buffer may take a part only."""
    done = file.write(data)
    while type(done) is int and done < len(data):
        data = data[done:]
        done = file.write(data)


def wide_fields(size: int, header: int) -> bytes:
    """The extra field with what needs 64 bits, in the order that zip prescribes; nothing if nothing does."""
    values = [size, size] if size >= LIMIT else []
    if header >= LIMIT:
        values.append(header)
    return pack(f"<2H{len(values)}Q", 1, 8 * len(values), *values) if values else b""


def archive_name(path: str) -> str:
    """The folder that the records of a file stand in: the file's name without what follows its last dot."""
    name = os.path.basename(path)
    stem = name.rpartition(".")[0] or name.lstrip(".")
    return stem if stem and name.isascii() and "/" not in stem else "archive"
