"""Entries: a sample at one size, in one layout and dtype, called in one way; a whole scan is a list of them."""

import dataclasses
from dataclasses import dataclass, replace

from benchmarks.scanning.data import laid_out, layouts_of
from conformance.records import map_tensors, tensors_in

SIZES = (1_000, 100_000, 1_000_000)
LAYOUTS = ("contiguous", "transposed", "sliced", "expanded", "permuted")
DTYPES = ("float32", "float64", "float16", "bfloat16", "int64", "bool")


@dataclass(frozen=True)
class Entry:
    """One thing to measure."""

    subject: object
    number: int
    words: str
    arguments: tuple
    size: int
    layout: str
    dtype: str
    way: str

    @property
    def label(self):
        return f"{self.subject.name}({self.words}) {self.dtype} {self.layout} {self.way}"


def series_of(cases, sizes, everything=False):
    """Yield for each case, layout, dtype and way its entries, smaller ones first."""
    for place, case in enumerate(cases):
        factors = {size: case.growth.factor(case.arguments, size) for size in sizes}
        tensors = tensors_in(case.arguments)
        own = next((each.dtype for each in tensors if each.is_floating), tensors[0].dtype if tensors else "float32")
        for dtype in dtypes_of(tensors, own) if place == 0 or everything else (own,):
            for layout in layouts_for(tensors, dtype, own, place, everything):
                for way in ways_of(case, dtype, layout, place):
                    yield [
                        entry_of(case, size, factors[size], layout, dtype, own, way) for size in sizes_for(way, sizes)
                    ]


def dtypes_of(tensors, own):
    if not tensors:
        return (own,)
    found = (own, *DTYPES) if own.startswith(("float", "bfloat")) else (own, "int64", "bool")
    return tuple(dict.fromkeys(found))


def layouts_for(tensors, dtype, own, place, everything):
    """All layouts in the sample's own dtype, two in the others."""
    if not tensors:
        return ("contiguous",)
    possible = [each for each in LAYOUTS if each in layouts_of(len(tensors[0].shape))]
    if everything or (place == 0 and dtype == own):
        return possible
    return possible[:2] if place == 0 else possible[:1]


def ways_of(case, dtype, layout, place):
    """In place and as a method the first sample alone, the latter where nothing else is odd."""
    tensors = tensors_in(case.arguments)
    allowed = {"forward", "step"}
    if tensors and dtype.startswith(("float", "bfloat", "complex")):
        allowed.add("backward")
    if place == 0 and tensors_in(case.arguments[0][:1]):
        allowed |= {"in place", "method"} if layout == "contiguous" else {"in place"}
    return [way for way in case.ways if way in allowed]


def sizes_for(way, sizes):
    """A method is the function by another door, which is seen where little is computed."""
    return sizes[:1] if way == "method" else sizes


def entry_of(case, size, factor, layout, dtype, own, way):
    grown = case.growth.applied(case.arguments, factor)
    first = next((each.grown for each in tensors_in(grown)), None)
    cast = dtype != own

    def change(value):
        same_kind = value.is_floating if own.startswith(("float", "bfloat")) else value.dtype == own
        value = replace(value, dtype=dtype) if cast and same_kind else value
        return laid_out(value, layout) if value.grown == first else value

    return Entry(case.subject, case.number, case.words, map_tensors(grown, change), size, layout, dtype, way)


def smaller(entry):
    """The entry as a dictionary without its arguments: what a report needs."""
    kept = {each.name: getattr(entry, each.name) for each in dataclasses.fields(entry) if each.name != "arguments"}
    return {**kept, "subject": entry.subject.name, "kind": entry.subject.kind}
