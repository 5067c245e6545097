"""Printing: a tensor as text, letter for letter as torch prints it, and the options that govern it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import inf, isfinite
from typing import Any, NamedTuple

import numpy as np

from rushlight.core.memory.deferred import resolved
from rushlight.core.memory.lifted import Lifted
from rushlight.core.memory.meta import Meta

__all__ = ["format_tensor", "get_printoptions", "printoptions", "repr_tensor", "set_printoptions"]


# Named tuples here and below: a dataclass takes 0.75 ms of the import, one of these 0.09.
class PrintOptions(NamedTuple):
    """How much of a tensor is shown, and how wide; the defaults are torch's."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


PROFILES = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=inf),
}

options = PROFILES["default"]


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set how tensors are printed from now on; what is left out stays as it is.

    >>> torch.set_printoptions(precision=2)
    >>> torch.tensor([1 / 3])
    tensor([0.33])
    >>> torch.set_printoptions(profile="default")

    **Arguments**

    - `precision`: digits after the point.
    - `threshold`: a tensor of more elements than this is summarised.
    - `edgeitems`: elements that a summary keeps at each end of a dimension.
    - `linewidth`: columns in a line.
    - `profile`: `"default"`, `"short"` or `"full"`; the other arguments then change that profile.
    - `sci_mode`: scientific notation always (`True`), never (`False`) or where the numbers ask for it
      (`None`). This one does not stay: leaving it out means `None`, as in torch.
    """
    global options
    given: dict[str, Any] = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    # An unknown profile changes nothing, as in torch.
    base = options if profile is None else PROFILES.get(profile, options)
    options = base._replace(sci_mode=sci_mode, **changes)


def get_printoptions() -> dict[str, Any]:
    """Return the options in force, by name; torch keeps this function to itself.

    >>> torch.get_printoptions()["linewidth"]
    80

    Torch has it as `torch._tensor_str.get_printoptions` only.
    """
    return options._asdict()


@contextmanager
def printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> Iterator[None]:
    """Set how tensors are printed inside a `with` block, and set it back afterwards; torch keeps this one to itself.

    >>> with torch.printoptions(precision=2):
    ...     torch.tensor([1 / 3])
    tensor([0.33])
    """
    global options
    before = options
    set_printoptions(precision, threshold, edgeitems, linewidth, profile, sci_mode)
    try:
        yield
    finally:
        options = before


def repr_tensor(
    tensor: Any,
    default_dtype: object = "torch.float32",
    prefix: str = "tensor(",
    more: Sequence[str] = (),
    contents: str | None = None,
) -> str:
    """Return the text that `repr(tensor)` shows: its values, then all that they do not tell, and what is told of it.

    `default_dtype` is the dtype that goes without saying, or its name; subclasses have another `prefix`, and may give
    `contents` to stand where the values do.
    """
    if type(tensor._array) is Meta:
        return repr_meta(tensor, str(default_dtype), prefix)
    if type(tensor._array) is Lifted:
        return tensor._array.level.shown(tensor, default_dtype, prefix)
    array, dtype, default = resolved(tensor._array), str(tensor.dtype), str(default_dtype)
    suffixes = []
    # The brackets of an empty tensor, or of one whose every element is left out, do not tell its shape.
    shape_untold = array.ndim != 1 if array.size == 0 else options.edgeitems == 0
    if shape_untold:
        suffixes.append(f"size={tuple(array.shape)}")
    if dtype not in dtypes_told_by_values(array, default):
        suffixes.append(f"dtype={dtype}")
    history = name_history(tensor)
    if history is not None:
        suffixes.append(f"grad_fn=<{history}>")
    elif tensor.requires_grad:
        suffixes.append("requires_grad=True")
    return format_tensor(array, [*suffixes, *more], prefix, contents)


def repr_meta(tensor: Any, default_dtype: str, prefix: str) -> str:
    """Return the text of a tensor that has no values."""
    suffixes = [f"size={tuple(tensor.shape)}"]
    if str(tensor.dtype) != default_dtype:
        suffixes.append(f"dtype={tensor.dtype}")
    history = name_history(tensor)
    if history is not None:
        suffixes.append(f"grad_fn=<{history}>")
    elif tensor.requires_grad:
        suffixes.append("requires_grad=True")
    return f"{prefix}..., device='meta', {', '.join(suffixes)})"


def dtypes_told_by_values(array: np.ndarray, default_dtype: str) -> tuple[str, ...]:
    """Return the dtypes that a reader knows from the printed values alone."""
    if array.size == 0:
        return (default_dtype,)
    default_complex = "torch.complex128" if default_dtype == "torch.float64" else "torch.complex64"
    return (default_dtype, default_complex, "torch.int64", "torch.bool")


def name_history(tensor: Any) -> str | None:
    """Return the name of the node that made a tensor, without its namespace; None for a leaf."""
    try:
        node = tensor.grad_fn
    except RuntimeError:
        # A view made without recording whose base then changed has no history, yet has to be printable.
        return "Invalid"
    return None if node is None else node.name().rpartition("::")[2]


def format_tensor(
    array: np.ndarray, suffixes: Sequence[str] = (), prefix: str = "tensor(", contents: str | None = None
) -> str:
    """Return the values of an array between `prefix` and a closing parenthesis, `suffixes` after them.

    >>> format_tensor(np.array([1.0, 2.5]), ["requires_grad=True"])
    'tensor([1.0000, 2.5000], requires_grad=True)'
    """
    indent = len(prefix)
    text = prefix + (format_values(array, indent) if contents is None else contents)
    # Two columns more than the last line has: torch breaks that much earlier.
    column = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if column + len(suffix) + 2 > options.linewidth:
            text += ",\n" + " " * indent + suffix
            column = indent + len(suffix)
        else:
            text += ", " + suffix
            column += len(suffix) + 2
    return text + ")"


def format_values(array: np.ndarray, indent: int) -> str:
    """Return the values of an array in nested brackets that open at column `indent`."""
    if array.size == 0:
        return "[]"
    array = widen(array)
    summarise = array.size > options.threshold
    shown = keep_edges(array) if summarise else array
    if shown.size == 0:
        return "[...]"
    style = choose_complex_style(shown) if array.dtype.kind == "c" else choose_style(shown)
    if array.ndim == 0:
        return style.write(array.item())
    return Layout(style, summarise).write(array, indent)


def widen(array: np.ndarray) -> np.ndarray:
    """Return an array of a dtype of NumPy's own: those of ml_dtypes, as bfloat16, become float32."""
    return array.astype(np.float32) if array.dtype.isbuiltin == 2 else array


def keep_edges(array: np.ndarray) -> np.ndarray:
    """Return the elements that a summary shows: those at both ends of each dimension."""
    edge = options.edgeitems
    for dim, size in enumerate(array.shape):
        if size > 2 * edge:
            front = (slice(None),) * dim
            # not take, which first copies what is no row of memory: 3.6 TiB of a number that was expanded to 10^12
            array = np.concatenate([array[(*front, slice(edge))], array[(*front, slice(size - edge, None))]], dim)
    return array


class NumberStyle(NamedTuple):
    """How the real numbers of one tensor are written: `write` gives each of them at least `width` columns."""

    spell: Callable[[Any], str]
    width: int

    def write(self, number: Any) -> str:
        return self.spell(number).rjust(self.width)


class ComplexStyle(NamedTuple):
    """How complex numbers are written: each part in its own style."""

    real: NumberStyle
    imag: NumberStyle

    @property
    def width(self) -> int:
        return self.real.width + self.imag.width + 1

    def write(self, number: complex) -> str:
        imag = self.imag.write(number.imag).lstrip()
        sign = "" if imag.startswith("-") else "+"
        return f"{self.real.write(number.real)}{sign}{imag}j"


def choose_complex_style(shown: np.ndarray) -> ComplexStyle:
    return ComplexStyle(choose_style(shown.real), choose_style(shown.imag))


def choose_style(shown: np.ndarray) -> NumberStyle:
    """Return the one style in which all the numbers of an array read well."""
    if shown.dtype.kind != "f":
        return NumberStyle(str, widest(str, shown))
    # Only these decide: a column of nan, inf and 0. is not aligned.
    telling = shown[np.isfinite(shown) & (shown != 0)]
    if telling.size == 0:
        return NumberStyle(spell_whole, 1)
    plain = spell_whole if (telling == np.ceil(telling)).all() else spell_fixed
    scientific = too_spread(telling, plain) if options.sci_mode is None else options.sci_mode
    spell = spell_scientific if scientific else plain
    return NumberStyle(spell, widest(spell, telling))


def too_spread(telling: np.ndarray, plain: Callable[[float], str]) -> bool:
    """Return whether plain notation would lose the small numbers among the large ones."""
    sizes = np.abs(telling)
    smallest, largest = float(sizes.min()), float(sizes.max())
    return largest / smallest > 1000 or largest > 1e8 or (plain is spell_fixed and smallest < 1e-4)


def widest(spell: Callable[[Any], str], numbers: np.ndarray) -> int:
    return max(len(spell(number)) for number in numbers.ravel().tolist())


def spell_whole(number: float) -> str:
    return f"{number:.0f}." if isfinite(number) else f"{number}"


def spell_fixed(number: float) -> str:
    return f"{number:.{options.precision}f}"


def spell_scientific(number: float) -> str:
    return f"{number:.{options.precision}e}"


class Layout(NamedTuple):
    """How the numbers of one tensor, their style chosen, are set in lines and brackets."""

    style: NumberStyle | ComplexStyle
    summarise: bool

    def write(self, array: np.ndarray, indent: int) -> str:
        """Return an array of one dimension or more in brackets that open at column `indent`."""
        if array.ndim == 1:
            return self.write_row(array, indent)
        blocks = self.write_parts(array, lambda block: self.write(block, indent + 1), "...")
        # A line break, and for each dimension over two a blank line more.
        gap = "," + "\n" * (array.ndim - 1) + " " * (indent + 1)
        return "[" + gap.join(blocks) + "]"

    def write_row(self, row: np.ndarray, indent: int) -> str:
        """Return a row of numbers in brackets, on as many lines as it takes."""
        words = self.write_parts(row, self.style.write, " ...")
        per_line = max(1, (options.linewidth - indent) // (self.style.width + 2))
        lines = [", ".join(words[start : start + per_line]) for start in range(0, len(words), per_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"

    def write_parts(self, array: np.ndarray, write: Callable[[Any], str], dots: str) -> list[str]:
        """Return the texts of the parts of an array, with `dots` for those that a summary leaves out."""
        edge = options.edgeitems
        if not self.summarise or len(array) <= 2 * edge:
            return [write(part) for part in array]
        return [*map(write, array[:edge]), dots, *map(write, array[-edge:])]
