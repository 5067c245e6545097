"""Streams: the generator with its seed and state, the uniform and normal numbers others are made of."""

from __future__ import annotations

import math
import os
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.memory.capacity import MOST, no_room, overflowed
from rushlight.core.settings.device import CPU
from rushlight.native import extension, shortcut

DEFAULT_SEED = 67280421310721  # what a generator that nobody seeded starts from, in torch too
WORDS_PER_BLOCK = 624

LOW_24_BITS, LOW_53_BITS = np.uint64(2**24 - 1), np.uint64(2**53 - 1)
STEP_24, STEP_53 = np.float32(2**-24), 2.0**-53

# A saved state, as torch writes it to checkpoints; states travel between the two libraries.
STATE_LAYOUT = np.dtype(
    [
        ("initial_seed", "<u8"),
        ("left", "<i4"),
        ("seeded", "<i4"),
        ("next", "<u8"),
        ("words", "<u8", WORDS_PER_BLOCK),
        ("unused_normal_x", "<f8"),
        ("kept_normal", "<f8"),
        ("unused_normal_rho", "<f8"),
        ("has_kept_normal", "<i4"),
        ("unused", "<i4", 3),
    ]
)


# two threads may meet at a stream's first draw
starting = threading.Lock()


class NumpyStream:
    """The words of the Mersenne Twister by way of NumPy; native code has a type with these methods too."""

    __slots__ = ("_seed", "_seeder", "_twister", "kept_normal")

    def __init__(self) -> None:
        # Small normal draws make numbers in pairs: the half that nobody asked for waits here.
        self.kept_normal: float | None = None
        self._seed = 0
        self._seeder: Any = None
        self._twister: Any = None

    def _restart(self, seed: int) -> None:
        """Start anew from a seed, of which 32 bits count."""
        self._seed = seed % 2**32
        self.kept_normal = None
        if self._seeder is not None:
            self._seeder.seed(self._seed)

    def _draw32(self, count: int) -> np.ndarray:
        return (self._twister or self._started()).random_raw(count)

    def _draw64(self, count: int) -> np.ndarray:
        words = self._draw32(2 * count)
        high = words[0::2] << np.uint64(32)
        high |= words[1::2]
        return high

    def _state(self) -> tuple[np.ndarray, int, float | None]:
        """The block of words, the place of the next one, and the kept normal."""
        state = (self._twister or self._started()).state["state"]
        return state["key"], state["pos"], self.kept_normal

    def _set_state(self, words: np.ndarray, position: int, kept_normal: float | None) -> None:
        """Continue from what `_state` gave."""
        block = {"key": words, "pos": position}
        (self._twister or self._started()).state = {"bit_generator": "MT19937", "state": block}
        self.kept_normal = kept_normal

    def _started(self) -> Any:
        """The twister, built at the first draw: importing numpy.random takes 15 ms."""
        from numpy.random import MT19937, RandomState

        with starting:
            if self._twister is None:
                twister = MT19937(0)
                # Only this old interface seeds from a plain integer the way torch does.
                self._seeder = RandomState(twister)
                self._seeder.seed(self._seed)
                self._twister = twister
        return self._twister


Stream: Any = NumpyStream if extension is None else extension.Stream
if TYPE_CHECKING:
    Stream = NumpyStream


class Generator(Stream):
    """A source of random numbers that gives the same numbers for the same seed, on every machine.

    The stream is torch's on the CPU: a Mersenne Twister whose words come out in one fixed order. Functions
    that draw take `generator=`; without it they share one, `default_generator`.

    Example::

        generator = Generator().manual_seed(0)
        generator.draw32(2)  # array([2357136044, 2546248239], dtype=uint64)

    >>> generator = torch.Generator().manual_seed(0)
    >>> torch.rand(2, generator=generator)
    tensor([0.4963, 0.7682])
    """

    __slots__ = ("__weakref__", "_initial_seed", "device", "lock")

    def __init__(self, device: object = "cpu") -> None:
        if not isinstance(device, (str, int, type(CPU))):
            kind = type(device).__name__
            raise TypeError(f"Generator(): argument 'device' (position 1) must be torch.device, not {kind}")
        if str(device) not in ("cpu", "cpu:0"):
            raise RuntimeError(f"Rushlight draws random numbers on the CPU only; Generator got device={device}")
        super().__init__()
        self.device = CPU
        # Held by what takes several steps; a single draw is already whole.
        self.lock = threading.RLock()
        self._initial_seed = DEFAULT_SEED
        self._restart(DEFAULT_SEED)

    def manual_seed(self, seed: int) -> Generator:
        """Start the stream anew from `seed`, from -2**63 to 2**64 - 1; a negative one counts from 2**64."""
        if isinstance(seed, np.integer):
            raise TypeError(f"an integer is required, of Python's own: write manual_seed(int(seed)), not {seed!r}")
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        if not -(2**63) <= seed < 2**64:
            raise ValueError(f"Overflow when unpacking long long: a seed is from -2**63 to 2**64 - 1, not {seed}")
        with self.lock:
            self._initial_seed = seed % 2**64
            self._restart(self._initial_seed)
        return self

    def seed(self) -> int:
        """Start the stream anew from a seed that the operating system picks, and return that seed."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little"))
        return self._initial_seed

    def initial_seed(self) -> int:
        """The seed that the stream was last started from."""
        return self._initial_seed

    def draw32(self, count: int) -> np.ndarray:
        """The next `count` words of 32 bits, each in a uint64."""
        try:
            return self._draw32(count)
        except (MemoryError, ValueError, OverflowError):
            raise no_memory(count) from None

    def draw64(self, count: int) -> np.ndarray:
        """The next `count` words of 64 bits; each takes two words of 32, the high half first."""
        try:
            return self._draw64(count)
        except (MemoryError, ValueError, OverflowError):
            raise no_memory(count) from None

    def state_bytes(self) -> np.ndarray:
        """The whole state as 5056 bytes, which torch's `set_state` understands too."""
        saved = np.zeros((), STATE_LAYOUT)
        with self.lock:
            words, position, kept_normal = self._state()
            saved["initial_seed"] = self._initial_seed
        saved["left"] = WORDS_PER_BLOCK + 1 - position
        saved["next"] = 0 if position == WORDS_PER_BLOCK and is_freshly_seeded(words) else position
        saved["seeded"] = 1
        saved["words"] = words
        if kept_normal is not None:
            saved["kept_normal"] = kept_normal
            saved["has_kept_normal"] = 1
        return saved.reshape(1).view(np.uint8)

    def load_state_bytes(self, state: np.ndarray) -> Generator:
        """Continue from a state that `state_bytes` gave, or torch's `get_state`."""
        if state.dtype != np.uint8:
            raise TypeError(f"RNG state must be a torch.ByteTensor, but its dtype is {state.dtype}")
        if not state.flags.c_contiguous:
            raise RuntimeError("RNG state must be contiguous: pass state.contiguous()")
        if state.size != STATE_LAYOUT.itemsize:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {STATE_LAYOUT.itemsize} but found the input RNG state size "
                f"to be {state.size}"
            )
        saved = state.reshape(-1).view(STATE_LAYOUT)[0]
        left, position = int(saved["left"]), int(saved["next"])
        if not (saved["seeded"] and 0 < left <= WORDS_PER_BLOCK and position <= WORDS_PER_BLOCK):
            raise RuntimeError("Invalid mt19937 state: these bytes are not those of a random number state")
        # left == 1 says that the block is used up, also right after seeding, where torch's `next` is still 0.
        position = WORDS_PER_BLOCK if left == 1 else position
        kept_normal = float(saved["kept_normal"]) if saved["has_kept_normal"] else None
        with self.lock:
            self._set_state(saved["words"].astype(np.uint32), position, kept_normal)
            self._initial_seed = int(saved["initial_seed"])
        return self

    def get_offset(self) -> int:
        """Nothing on the CPU, whose stream is not addressed by place."""
        raise RuntimeError("CPU Generator does not use offset: save its place with get_state()")

    def set_offset(self, offset: int) -> Generator:
        """Nothing on the CPU, whose stream is not addressed by place."""
        raise RuntimeError("CPU Generator does not use offset: return to a place with set_state()")

    def clone_state(self) -> Generator:
        """Another generator that stands at the same place; drawing from one leaves the other where it is."""
        return Generator(self.device).load_state_bytes(self.state_bytes())

    def __deepcopy__(self, memo: dict) -> Generator:
        return self.clone_state()

    def __reduce__(self) -> tuple:
        return Generator, (self.device,), self.state_bytes()

    def __setstate__(self, state: Any) -> None:
        # files hold torch's form: the seed, an offset that only other devices have, and the state as a tensor
        self.load_state_bytes(state[2]._array if isinstance(state, tuple) else state)


def no_memory(count: int) -> RuntimeError:
    return overflowed((count,)) if 4 * count > MOST else no_room(8 * count, f"to draw {count} random numbers")


def is_freshly_seeded(words: np.ndarray) -> bool:
    """Whether no word was drawn since seeding: then each word still follows from the one before it."""
    first, second = int(words[0]), int(words[1])
    return second == (1812433253 * (first ^ (first >> 30)) + 1) % 2**32


def unseeded_generator() -> Generator:
    """A generator for a program that chose no seed: each run gets its own."""
    generator = Generator()
    generator.seed()
    return generator


@shortcut
def uniform32(generator: Generator, count: int, low: float = 0.0, high: float = 1.0) -> np.ndarray:
    """Float32 numbers from `low` to `high`, from the low 24 bits of one word each."""
    words = generator.draw32(count)
    words &= LOW_24_BITS
    if low == 0 and high == 1:
        numbers = words.astype(np.float32)
        numbers *= STEP_24
        return numbers
    low, width = float(np.float32(low)), float(np.float32(high) - np.float32(low))
    # torch's compiled code multiplies and adds with one rounding; in float64 the product is exact.
    numbers = words.astype(np.float64)
    numbers *= 2.0**-24 * width
    if 0 < abs(low) < 2.0**-49 * width:
        # too small for the sum to show, but where the product lies halfway it decides the rounding
        np.copyto(numbers, np.nextafter(numbers, math.copysign(math.inf, low)), where=numbers + low == numbers)
    numbers += low
    return numbers.astype(np.float32)


@shortcut
def uniform64(generator: Generator, count: int, low: float = 0.0, high: float = 1.0) -> np.ndarray:
    """Float64 numbers from `low` to `high`, from the low 53 bits of two words each."""
    words = generator.draw64(count)
    words &= LOW_53_BITS
    numbers = words.astype(np.float64)
    numbers *= STEP_53
    return numbers if low == 0 and high == 1 else multiply_add(numbers, high - low, low)


def multiply_add(numbers: np.ndarray, factor: float, offset: float) -> np.ndarray:
    """numbers * factor + offset with one rounding at the end, as torch's compiled code has them."""
    if len(numbers) > 2**14:
        # Piece by piece the temporaries stay in the cache: 19 ms a million instead of 42.
        for start in range(0, len(numbers), 2**14):
            piece = numbers[start : start + 2**14]
            piece[:] = multiply_add(piece, factor, offset)
        return numbers
    product = numbers * factor
    if offset == 0 or abs(factor) > 2.0**900:
        return product + offset
    # Dekker's and Knuth's sums: what rounding took from the product and from the sum, added back.
    factor_high = factor * 134217729.0 - (factor * 134217729.0 - factor)
    numbers_high = numbers * 134217729.0
    numbers_high -= numbers_high - numbers
    factor_low, numbers_low = factor - factor_high, numbers - numbers_high
    lost = numbers_high * factor_high - product
    lost += numbers_high * factor_low + numbers_low * factor_high
    lost += numbers_low * factor_low
    total = product + offset
    added = total - product
    lost += (product - (total - added)) + (offset - added)
    return total + lost


@shortcut
def normals_one_by_one(generator: Generator, count: int) -> np.ndarray:
    """Float64 normal numbers in pairs; the odd one out waits in the generator for the next such draw."""
    result = np.empty(count)
    if count == 0:
        return result
    with generator.lock:
        start = 0
        if generator.kept_normal is not None:
            result[0] = generator.kept_normal
            start = 1
        fresh = count - start
        pairs = few_normal_pairs if fresh <= 16 else many_normal_pairs
        numbers = pairs(generator, (fresh + 1) // 2)
        result[start:] = numbers[:fresh]
        generator.kept_normal = float(numbers[-1]) if fresh % 2 else None
    return result


def few_normal_pairs(generator: Generator, count: int) -> list[float]:
    """Pairs of normal numbers from four words each: 1 us a pair, where arrays take 15 us for any few."""
    words = generator.draw32(4 * count).tolist()
    numbers: list[float] = []
    for place in range(0, 4 * count, 4):
        high, low, radius_high, radius_low = words[place : place + 4]
        angle = 2 * math.pi * (((high << 32 | low) & 0x1FFFFFFFFFFFFF) * STEP_53)
        radius = math.sqrt(-2 * math.log1p(-((radius_high << 32 | radius_low) & 0x1FFFFFFFFFFFFF) * STEP_53))
        numbers += (radius * math.cos(angle), radius * math.sin(angle))
    return numbers


def many_normal_pairs(generator: Generator, count: int) -> np.ndarray:
    """The same pairs by array arithmetic."""
    uniforms = uniform64(generator, 2 * count)
    radius = np.sqrt(np.log1p(-uniforms[1::2]) * -2)
    angle = uniforms[0::2] * (2 * math.pi)
    np.multiply(np.cos(angle), radius, uniforms[0::2])
    np.multiply(np.sin(angle), radius, uniforms[1::2])
    return uniforms


def normals_in_blocks(generator: Generator, count: int, wide: bool, short: bool) -> np.ndarray:
    """Normal numbers in blocks of 16 uniforms: 8 radii and 8 angles give 8 cosines, then 8 sines.

    They are float64 if `wide`, else float32; `short` for those that will be rounded to a 16-bit format.
    """
    tail = count % 16
    whole = count - tail
    # The last 16 come from a block of their own. Except in the short formats, torch draws uniforms for the
    # incomplete block all the same and never uses them.
    unused = 0 if short else tail
    uniforms = (uniform64 if wide else uniform32)(generator, whole + unused + 16 if tail else whole)
    if unused:
        uniforms[whole : whole + 16] = uniforms[count:]
    blocks = uniforms[: whole + 16 if tail else whole].reshape(-1, 2, 8)
    radius = 1 - blocks[:, 0]
    np.log(radius, radius)
    radius *= -2
    np.sqrt(radius, radius)
    angle = blocks[:, 1] * (2 * math.pi)
    np.multiply(np.cos(angle), radius, blocks[:, 0])
    np.multiply(np.sin(angle, angle), radius, blocks[:, 1])
    if not tail:
        return uniforms
    last = uniforms[whole : whole + 16].copy()
    result = uniforms[:count].copy()  # a copy, so that nobody keeps the longer array alive
    result[-16:] = last
    return result
