"""What is scanned: every op of the registry, module of nn and optimizer, with the samples that declare them."""

import contextlib
import inspect
import warnings
from dataclasses import dataclass, replace

from benchmarks.scanning.calls import call_of, tensors_of
from benchmarks.scanning.data import drawn_like
from benchmarks.scanning.growth import find_growth
from conformance.records import Unrepresentable, map_tensors, record, tensors_in
from conformance.registry import registry_of

# samples of one op that differ in more than dtype and layout
SAMPLES = 6
# shapes of an optimizer's parameters: a wide layer, its bias, a narrow one
SHAPES = ((6, 5), (6, 1), (2, 6))


@dataclass(frozen=True)
class Subject:
    """Something that both libraries call by one name."""

    name: str
    # function, module or optimizer
    kind: str
    # how it is made, for a module or an optimizer
    making: tuple = ()


@dataclass
class Case:
    """A subject, the arguments of one sample of it, and how they grow."""

    subject: Subject
    number: int
    arguments: tuple
    growth: object = None
    # in words, to be told from the others
    words: str = ""
    ways: tuple = ("forward", "backward")


def declared_ops(library, only):
    """The registry's ops that are public, and are among those asked for, if any are."""
    for op in list(registry_of(library).values()):
        last = op.name.rsplit(".", 1)[-1]
        if not last.startswith("_") and callable(op.samples) and (not only or last in only or op.name in only):
            yield op


def functions(library, only):
    """Yield each op of the registry with its cases."""
    for op in declared_ops(library, only):
        subject, found = Subject(op.name, "function"), []
        ways = ["forward", "backward"]
        ways += ["in place"] if library.find_method(op.name + "_") else []
        ways += ["method"] if library.find_method(op.name) and library.find(op.name) else []
        samples = [(tuple(each.args), dict(each.kwargs)) for each in op.samples()]
        for number, sample in enumerate(distinct(samples)):
            with contextlib.suppress(Unrepresentable):
                arguments = map_tensors(record(sample, arrays_are_tensors=True), drawn_like)
                found.append(Case(subject, number, arguments, words=describe(arguments), ways=tuple(ways)))
        yield subject, grown(found, library, ".images." in op.body.__module__)


def modules(library, described, only):
    """Cases of nn's modules; `described` are those that torch's database makes, as records."""
    for name, rows in described.items():
        if only and name not in only and f"nn.{name}" not in only:
            continue
        found = []
        for number, (making, called) in enumerate(rows):
            arguments = map_tensors(called, drawn_like)
            if tensors_in(arguments):
                subject = Subject(f"nn.{name}", "module", making)
                found.append(Case(subject, number, arguments, words=describe((making[1:], arguments))))
        yield Subject(f"nn.{name}", "module"), grown(few(found), library, True)


def optimizers(library, only):
    """Cases of every class of optim: as it is by default, and with each switch and number that is off turned on."""
    optim = library.module.optim
    for name in sorted(vars(optim)):
        kind = getattr(optim, name)
        if not (inspect.isclass(kind) and issubclass(kind, optim.Optimizer)) or kind is optim.Optimizer:
            continue
        if only and name not in only and f"optim.{name}" not in only:
            continue
        found = []
        for number, options in enumerate(options_of(kind)):
            subject = Subject(f"optim.{name}", "optimizer", (options,))
            arguments = map_tensors(record((optimizer_parameters(), {}), arrays_are_tensors=True), drawn_like)
            found.append(Case(subject, number, arguments, words=describe(options), ways=("step",)))
        yield Subject(f"optim.{name}", "optimizer"), grown(found, library, False)


def optimizer_parameters():
    import numpy as np

    return tuple(np.linspace(-1, 1, rows * columns, dtype="float32").reshape(rows, columns) for rows, columns in SHAPES)


def options_of(kind):
    """Keyword arguments to try, from the signature."""
    ways = ("foreach", "capturable", "differentiable", "fused")
    start = {"lr": 1e-4}
    yield start
    for name, each in inspect.signature(kind).parameters.items():
        if name not in ways and each.default is False:
            yield {**start, name: True}
        elif name in ("momentum", "weight_decay", "lr_decay") and each.default == 0:
            yield {**start, name: 0.1}


def distinct(samples):
    """Samples that differ in more than values, dtype and layout, those with a matrix of floats first."""
    seen, found = set(), []
    for args, kwargs in sorted(samples, key=plainness):
        key = repr(shown((args, kwargs)))
        usable = all(0 not in each.shape for each in arrays_in((args, kwargs)))
        if key not in seen and usable:
            seen.add(key)
            found.append((args, kwargs))
    return few(found)


def few(found):
    return found[:SAMPLES]


def plainness(sample):
    """How far a sample is from matrices of floats."""
    arrays = arrays_in(sample)
    if not arrays:
        return 0
    return (
        4 * (arrays[0].dtype.name != "float32")
        + 2 * (arrays[0].ndim == 0)
        + min(sum(each.ndim < 2 for each in arrays), 3)
    )


def arrays_in(value):
    if isinstance(value, list | tuple):
        return [found for each in value for found in arrays_in(each)]
    if isinstance(value, dict):
        return arrays_in(list(value.values()))
    return [value] if hasattr(value, "ndim") else []


def shown(value):
    """What tells one sample from another."""
    if hasattr(value, "ndim"):
        return f"{value.ndim}d {value.dtype.kind}"
    if isinstance(value, list | tuple):
        return [shown(each) for each in value]
    if isinstance(value, dict):
        return {name: shown(each) for name, each in value.items()}
    return value


def describe(value):
    """Arguments in a few words: a tensor by its rank."""
    if hasattr(value, "grown"):
        return f"{len(value.shape)}d"
    if isinstance(value, dict):
        return ", ".join(f"{name}={describe(each)}" for name, each in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(text for text in map(describe, value) if text)
    if hasattr(value, "name") and hasattr(value, "kind"):
        return value.name
    return repr(value)


def grown(cases, library, alone_first):
    """Those cases that can grow, with how they do."""
    found = []
    for case in cases:
        growth = find_growth(
            case.arguments, lambda arguments, case=case: attempt(case, arguments, library), alone_first
        )
        if growth is not None:
            found.append(replace(case, growth=growth))
    return found


def attempt(case, arguments, library):
    """The number of elements that a call gives, or None if it is refused."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = call_of(library, case.subject, arguments, case.ways[0]).run()
    except Exception:
        return None
    return max((each.numel() for each in tensors_of(result)), default=0)
