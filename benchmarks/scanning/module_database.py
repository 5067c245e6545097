"""Modules as torch's own database of them makes and calls them, described so that another process can do the same."""

from conformance.modules import SAMPLES, ModuleRecord, inputs_of, make_input, module_db, plain_name, recorded
from conformance.records import CallableRecord, Unrepresentable, record, without_grad

# the database has tens of inputs for some modules, which differ in one option each
ROWS = 8


def described_modules():
    """For each module of nn a list of how it is made and what it is called with."""
    found = {}
    for info in module_db:
        rows = found.setdefault(plain_name(info), [])
        for given in inputs_of(info, info.module_inputs_func, "float32", True)[:ROWS]:
            if given.forward_input is None:
                continue
            try:
                rows.append(row_of(plain_name(info), given.constructor_input, given.forward_input))
            except Unrepresentable:
                continue
    for name, rows in SAMPLES.items():
        for number, (_, *inputs) in enumerate(rows):
            args = tuple(record(make_input(each, "float32")) for each in inputs)
            if args:
                found.setdefault(name, []).append((("own", name, number), (without_grad(args), {})))
    return found


def row_of(name, made, forward):
    args = tuple(plain(recorded(each)) for each in made.args)
    kwargs = {option: plain(recorded(value)) for option, value in made.kwargs.items()}
    return ("module", name, args, kwargs), without_grad((record(forward.args), record(forward.kwargs)))


def plain(value):
    """A module among the arguments as a tuple, which needs nothing of torch to be read."""
    if isinstance(value, CallableRecord):
        raise Unrepresentable("a function of torch")
    if not isinstance(value, ModuleRecord):
        return value
    args = tuple(map(plain, value.args))
    return ("module", value.kind, args, {name: plain(each) for name, each in value.kwargs.items()})
