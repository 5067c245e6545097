"""Display: what a notebook shows of a tensor, its facts and a histogram above what `print` writes.

Values are read as NumPy arrays: nothing is recorded, no random number is drawn, and of a large tensor a sample is read.
"""

from __future__ import annotations

import html
from typing import Any, NamedTuple

import numpy as np

from rushlight.core.memory.deferred import resolved
from rushlight.core.memory.lifted import Lifted
from rushlight.core.memory.meta import Meta

__all__ = ["escaped", "html_of_tensor"]

# a histogram of a hundred thousand numbers looks like one of all, and takes a few milliseconds
LARGEST_SAMPLE = 100_000
# an odd number near the golden ratio of 2^32: multiples of it fall evenly between the rows and columns of any shape
STEP = 2_654_435_769
BARS = 32
WIDTH, HEIGHT = 256, 48
MUTED = "opacity:.7"


class Numbers(NamedTuple):
    """The finite ones of the values that were read, how many were read, and how many of them were not finite."""

    finite: np.ndarray
    read: int
    nan: int
    infinite: int


def escaped(text: Any) -> str:
    """Any text, as HTML shows it."""
    return html.escape(str(text))


def html_of_tensor(tensor: Any) -> str:
    """Shape, dtype and what else there is to say, a histogram of the values, and the text of `print`."""
    parts = [facts(tensor)]
    array = tensor._array
    if type(array) is not Meta and type(array) is not Lifted and array.size > 1:
        parts.append(picture(array))
    parts.append(f"<pre style='margin:0;max-height:24em;overflow:auto'>{escaped(repr(tensor))}</pre>")
    return f"<div>{''.join(parts)}</div>"


def facts(tensor: Any) -> str:
    """One line: class, shape, dtype, number of elements, where it is and whether it has a gradient."""
    name = type(tensor).__name__
    size = tensor.numel()
    words = [
        str(list(tensor.shape)),
        str(tensor.dtype),
        f"{size:,} element{'' if size == 1 else 's'}",
    ]
    if type(tensor._array) is Meta:
        words.append("meta: no values")
    if tensor.requires_grad:
        words.append("requires_grad")
    return f"<div><b>{escaped(name)}</b> <span style='{MUTED}'>{escaped(' · '.join(words))}</span></div>"


def picture(array: np.ndarray) -> str:
    """A histogram with the range of the values below it."""
    values = sample(array)
    if values.dtype == bool:
        return truths(values, array.size)
    of = "|values| " if values.dtype.kind == "c" else ""
    numbers = count_kinds(values)
    words = []
    bars = ""
    if numbers.finite.size:
        low, high = numbers.finite.min(), numbers.finite.max()
        words.append(f"{of}{low:.4g} to {high:.4g}, mean {mean(numbers.finite):.4g}")
        # halves: the whole may be too large for a float; that of the smallest floats is nothing
        if high / 2 > low / 2:
            bars = drawn(heights(numbers.finite, low, high))
    words += [f"{count:,} {kind}" for kind, count in (("nan", numbers.nan), ("infinite", numbers.infinite)) if count]
    if numbers.read < array.size:
        words.append(f"of a sample of {numbers.read:,}")
    return f"{bars}<div style='{MUTED}'>{escaped(' · '.join(words))}</div>"


def sample(array: np.ndarray) -> np.ndarray:
    """The elements, or of many a sample, the same each time; whatever the layout, the whole is not copied."""
    if array.size <= LARGEST_SAMPLE:
        return np.asarray(resolved(array)).reshape(-1)
    # exact although it wraps around: any residue will do, as long as it is below the size
    places = (np.arange(LARGEST_SAMPLE, dtype=np.uint64) * np.uint64(STEP)) % np.uint64(array.size)
    return np.asarray(resolved(array[np.unravel_index(places.astype(np.int64), array.shape)]))


def count_kinds(values: np.ndarray) -> Numbers:
    """Numbers as float64, of complex ones the absolute value; what is not finite is counted."""
    with np.errstate(all="ignore"):
        numbers = np.abs(values) if values.dtype.kind == "c" else values
        numbers = numbers.astype(np.float64)
    nan = np.isnan(numbers)
    finite = numbers[np.isfinite(numbers)]
    lost = int(nan.sum())
    return Numbers(finite, numbers.size, lost, numbers.size - finite.size - lost)


def mean(values: np.ndarray) -> float:
    """The mean, also where the sum would be too large for a float."""
    largest = max(np.abs(values).max(), 1e-300)
    return float((values / largest).mean() * largest)


def heights(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """How many values fall into each of the bars."""
    places = (values / 2 - low / 2) / (high / 2 - low / 2) * BARS
    return np.bincount(np.minimum(places.astype(np.int64), BARS - 1), minlength=BARS)


def drawn(counts: np.ndarray) -> str:
    """Bars in the colour of the text, so that they are seen on light and on dark pages."""
    width, highest = WIDTH / len(counts), counts.max()
    bars = "".join(
        f"<rect x='{number * width:.1f}' y='{HEIGHT - tall:.1f}' width='{width - 1:.1f}' height='{tall:.1f}'/>"
        for number, count in enumerate(counts)
        # one of a million is still seen
        if (tall := max(count / highest * HEIGHT, 1.0 if count else 0.0))
    )
    return (
        f"<svg width='{WIDTH}' height='{HEIGHT}' viewBox='0 0 {WIDTH} {HEIGHT}' role='img' aria-label='histogram' "
        f"style='display:block' fill='currentColor' fill-opacity='.6'>{bars}</svg>"
    )


def truths(values: np.ndarray, size: int) -> str:
    """How many are true; two bars would say no more."""
    whole = "" if values.size == size else f" · of a sample of {values.size:,}"
    return f"<div style='{MUTED}'>{int(values.sum()):,} True · {int((~values).sum()):,} False{whole}</div>"
