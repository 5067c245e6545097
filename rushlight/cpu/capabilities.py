"""What the processor can do, as the operating system tells it."""

from __future__ import annotations

import os
import platform
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# torch's words for what Linux calls otherwise
LINUX = {"sse3": "pni", "fma3": "fma", "bmi": "bmi1", "lzcnt": "abm", "sha": "sha_ni", "aes": "aes"}
X86 = (
    "sse sse2 sse3 ssse3 sse4_1 sse4_2 sse4a avx avx2 avx_vnni avx_vnni_int8 avx_vnni_int16 avx_ne_convert avx512_f "
    "avx512_cd avx512_dq avx512_bw avx512_vl avx512_ifma avx512_vbmi avx512_vbmi2 avx512_bitalg avx512_vpopcntdq "
    "avx512_vnni avx512_bf16 avx512_fp16 avx512_vp2intersect avx512_4vnniw avx512_4fmaps avx10_1 avx10_2 amx_bf16 "
    "amx_tile amx_int8 amx_fp16 fma3 fma4 f16c bmi bmi2 popcnt lzcnt aes sha clflush clflushopt clwb"
).split()
# Linux writes the older parts of AVX-512 in one word
JOINED = "f cd dq bw vl ifma vbmi".split()
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")


def capabilities() -> Mapping[str, Any]:
    """The processor's name, its cores, its caches, and a bool for each set of instructions."""
    blocks = described()
    first = blocks[0] if blocks else {}
    found: dict[str, Any] = {"architecture": platform.machine()}
    if platform.machine() in ("x86_64", "AMD64", "i386", "i686"):
        flags = set(first.get("flags", "").split())
        found |= {name: linux_name(name) in flags for name in X86}
    found["cpu_name"] = first.get("model name") or platform.processor()
    sockets = {each.get("physical id", "0") for each in blocks}
    cores = {(each.get("physical id", "0"), each.get("core id", str(place))) for place, each in enumerate(blocks)}
    logical = os.cpu_count() or 1
    found["num_sockets"] = len(sockets) or 1
    found["num_physical_cores"] = len(cores) or logical
    found["num_logical_cores"] = logical
    found["l1d_cache_size"], found["l2_cache_size"] = cache_size("1", "Data"), cache_size("2", "Unified")
    return types.MappingProxyType(found)


def linux_name(name: str) -> str:
    """What Linux calls a set of instructions."""
    if name.startswith("avx512_") and name.removeprefix("avx512_") in JOINED:
        return name.replace("_", "")
    return LINUX.get(name, name)


def described() -> list[dict[str, str]]:
    """What /proc/cpuinfo says of each processor; nothing on other systems."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return []
    pairs = [[line.partition(":") for line in block.splitlines()] for block in text.strip().split("\n\n")]
    return [{key.strip(): value.strip() for key, _, value in block} for block in pairs]


def cache_size(level: str, kind: str) -> int:
    """Bytes of a cache of the first core; 0 where nobody tells."""
    for each in sorted(CACHES.glob("index*")):
        try:
            if (each / "level").read_text().strip() == level and (each / "type").read_text().strip() == kind:
                size = (each / "size").read_text().strip()
                return int(size.rstrip("KM")) * {"K": 1 << 10, "M": 1 << 20}.get(size[-1], 1)
        except (OSError, ValueError):
            continue
    return 0
