"""torch.cpu.get_capabilities: what the processor can do."""

import platform

import pytest

import rushlight as torch
from rushlight.cpu import capabilities


def test_the_processor_is_described():
    found = torch.cpu.get_capabilities()
    assert found["architecture"] == platform.machine()
    assert found["num_logical_cores"] >= found["num_physical_cores"] >= found["num_sockets"] >= 1
    with pytest.raises(TypeError):
        found["avx2"] = True


def test_the_words_of_linux_are_read(monkeypatch):
    block = "model name\t: A\nphysical id\t: 0\ncore id\t: {}\nflags\t\t: fpu pni abm avx512f avx512_vnni bmi1"
    text = "\n\n".join(block.format(core) for core in (0, 0, 1)) + "\n"
    monkeypatch.setattr(capabilities.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(capabilities.Path, "read_text", lambda path: text)
    found = capabilities.capabilities()
    assert found["cpu_name"] == "A" and found["num_physical_cores"] == 2 and found["num_sockets"] == 1
    assert [name for name in capabilities.X86 if found[name]] == ["sse3", "avx512_f", "avx512_vnni", "bmi", "lzcnt"]


def test_where_nobody_tells_nothing_is_claimed(monkeypatch):
    def missing(path):
        raise OSError

    monkeypatch.setattr(capabilities.Path, "read_text", missing)
    found = capabilities.capabilities()
    assert not any(found.get(name) for name in capabilities.X86)
    assert found["l2_cache_size"] == 0 and found["num_sockets"] == 1
