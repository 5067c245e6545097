"""Pickles that nobody should run: calls of all kinds, and ways to ask for more memory or time than a file is worth."""

from __future__ import annotations

import pickle
import random
from struct import pack

TAIL = b"."


def called(module: str, name: str, arguments: bytes = b")") -> bytes:
    """A pickle that calls a function; `arguments` push a tuple."""
    return b"\x80\x02c" + f"{module}\n{name}\n".encode() + arguments + b"R" + TAIL


def text(value: str) -> bytes:
    data = value.encode()
    return b"X" + pack("<I", len(data)) + data


def one(value: bytes) -> bytes:
    return value + b"\x85"


def long(value: int) -> bytes:
    return pickle.dumps(value, 2)[2:-1]


def calls(canary: str) -> list[bytes]:
    """Pickles that would leave a file behind, each in another way."""
    line = f"touch {canary}"
    code = f"open({canary!r}, 'w').close()"
    builtins = [one(text(code))]
    found = [called(module, "system", one(text(line))) for module in ("os", "posix", "nt")]
    found += [called(module, name, builtins[0]) for module in ("builtins", "__builtin__") for name in ("eval", "exec")]
    found += [
        called("subprocess", "call", one(text(line))),
        called("subprocess", "Popen", one(text(line))),
        called("builtins", "__import__", one(text("os"))),
        called("__builtin__", "getattr", b"cos\n\n" + text("system") + b"\x86"),
        called("torch._utils", "_import_dotted_name", one(text("os.system"))),
        called("torch.storage", "_load_from_bytes", one(b"C\x01a")),
        called("rushlight.storage", "_load_from_bytes", one(b"C\x01a")),
        called("torch.serialization", "load", one(text(canary))),
        called("torch.hub", "load", one(text(canary))),
        called("numpy", "save", text(canary) + b"K\x01\x86"),
        called("numpy.core.multiarray", "_reconstruct", b"cnumpy\nndarray\nK\x00\x85C\x01b\x87"),
        called("collections", "namedtuple", text("A") + text("b") + b"\x86"),
        called("functools", "partial", b"cos\nsystem\n" + text(line) + b"\x86"),
        called("operator", "attrgetter", one(text("system"))),
        called("runpy", "run_path", one(text(canary))),
        called("torch", "Tensor.__class__", b")"),
        called("torch._utils", "try_import", one(text("antigravity"))),
        b"\x80\x04" + b"\x8c\x02os\x8c\x06system\x93" + one(text(line)) + b"R.",
        b"(S'" + line.encode() + b"'\nios\nsystem\n.",
        b"(cos\nsystem\nS'" + line.encode() + b"'\no.",
        b"\x80\x02cos\nsystem\n" + one(text(line)) + b"\x81.",
        b"\x80\x02ctorch\nTensor\n)R}" + text("_array") + b"K\x01sb.",
        b"\x80\x02ccollections\nOrderedDict\n)R}" + text("__class__") + b"cos\nsystem\nsb.",
        b"\x80\x02\x82\x01.",
        b"\x80\x02Pstorage\n.",
        b"\x80\x02ccopyreg\n_reconstructor\n(cbuiltins\nobject\ncbuiltins\nobject\nNtR.",
        b"\x80\x04\x8c\x08builtins\x8c\x04eval\x93" + one(text(code)) + b"}\x92.",
    ]
    return found


def greedy(draw: random.Random) -> bytes:
    """A short pickle that asks for much."""
    many = draw.choice([2**31, 2**40, 2**62, 2**63, 2**64, 10**30])
    deep = draw.choice([1000, 20_000])
    bombs = [
        lambda: called("__builtin__", "bytearray", one(long(many))),
        lambda: called("__builtin__", "set", one(long(many))),
        lambda: called("torch", "Tensor", one(long(many))),
        lambda: called("torch", "FloatTensor", one(long(many))),
        lambda: called("torch", "FloatStorage", one(long(many))),
        lambda: called("torch.storage", "UntypedStorage", one(long(many))),
        lambda: called(
            "torch._utils", "_rebuild_meta_tensor_no_storage", b"ctorch\nfloat32\n" + one(long(many)) * 2 + b"\x87"
        ),
        lambda: called("torch", "Size", one(one(long(many)))),
        lambda: called("collections", "Counter", one(text("a" * deep))),
        lambda: b"\x80\x02X" + pack("<I", 2**32 - 1) + b"a.",
        lambda: b"\x80\x04\x8d" + pack("<Q", many % 2**64) + b"a.",
        lambda: b"\x80\x04\x8e" + pack("<Q", many % 2**64) + b"a.",
        lambda: b"\x80\x05\x96" + pack("<Q", many % 2**64) + b"a.",
        lambda: b"\x80\x02\x8b" + pack("<i", 2**31 - 1) + b"a.",
        lambda: b"\x80\x04\x95" + pack("<Q", many % 2**64) + b"N.",
        lambda: b"\x80\x02N" + b"\x85" * deep + b".",
        lambda: b"\x80\x02" + b"]" * deep + b"a" * (deep - 1) + b".",
        lambda: b"\x80\x02" + b"(" * deep + b".",
        lambda: b"\x80\x02}N" + b"\x85" * deep + b"Ns.",
        lambda: b"\x80\x04\x8f(N" + b"\x85" * deep + b"\x90.",
        # each tuple twice in the next one: hashing, comparing or showing it would take for ever
        lambda: b"\x80\x02}N" + b"q\x01h\x01\x86" * 40 + b"Ns.",
        lambda: called("__builtin__", "set", b"]N" + b"q\x01h\x01\x86" * 40 + b"a\x85"),
        lambda: called("torch", "device", one(b"N" + b"q\x01h\x01\x86" * 40)),
        lambda: called("torch.serialization", "_get_layout", one(b"N" + b"q\x01h\x01\x86" * 40)),
        lambda: b"\x80\x02N" + b"q\x01h\x01\x86" * 40 + b")R.",
        lambda: b"\x80\x02N" + b"q\x01h\x01\x86" * 40 + b"Q.",
        lambda: b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(" + b"N" + b"q\x01h\x01\x86" * 40 + b"K\x00))\x89NtR.",
        lambda: (
            b"\x80\x02(" + text("storage") + b"ctorch\nFloatStorage\n" + text("0") + text("cpu") + long(many) + b"tQ."
        ),
    ]
    return draw.choice(bombs)()
