"""Generated functions: what users call, with torch's parameters, handing them on to the caller in one tuple."""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import CellType, CodeType, FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.errors.location import GENERATED
from rushlight.ops.machine.calling import ABSENT, OLD_NUMBERS, again, is_flag, odd_flag
from rushlight.ops.machine.option_kinds import is_real, odd_number
from rushlight.ops.machine.shown import ShownSignature, function_parameters, method_parameters
from rushlight.ops.machine.signature import REQUIRED, Parameter, all_names, parameters_of

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op


def generate(op: Op, name: str, entry: Callable, out: bool) -> Callable:
    """The public function `name` of an op; `entry` is the caller it goes to."""
    positional, keyword, arguments, varargs = [], [], [], ""
    lines: list[str] = []
    real: dict[str, str] = {}

    def stand_in(actual: str) -> str:
        real[f"p{len(real)}"] = actual
        return f"p{len(real) - 1}"

    for each in op.parameters:
        passed = stand_in(each.name)
        lines += option_line(each, passed, len(arguments))
        if each.annotation == "Size":
            varargs = stand_in(each.name + "_")
            keyword.append(passed)
            passed = f"sizes({varargs}, {passed})"
        elif each.keyword or varargs:
            keyword.append(passed)
        else:
            positional.append(passed)
        arguments.append(passed)
    if out:
        keyword.append(stand_in("out"))
    if op.name in OLD_NUMBERS:
        varargs = stand_in("more")
    star = [f"*{varargs}"] if varargs else ["*"] if keyword else []
    given = "".join(f"{each}, " for each in [*positional, *keyword, varargs] if each)
    odd = f"rest or {varargs}" if op.name in OLD_NUMBERS else "rest"
    lines.insert(0, f"if {odd}: return again(op, me, ({given}), rest)")
    parameters = ", ".join([*positional, *star, *keyword, "**rest"])
    code = template(parameters, tuple(lines), ", ".join(arguments), keyword[-1] if out else "")
    code = code.replace(co_varnames=tuple([real.get(each, each) for each in code.co_varnames]))
    return finished(op, name, code, entry, [real[each] for each in keyword], len(positional))


def option_line(parameter: Parameter, passed: str, place: int) -> list[str]:
    """The line that looks at an option that must be True or False, or a number; 15 and 25 ns."""
    if is_flag(parameter):
        return [f"if {passed} is not True and {passed} is not False: {passed} = odd_flag(op, {place}, {passed})"]
    if is_real(parameter):
        return [f"if type({passed}) not in numbers: odd_number(op, {place}, {passed})"]
    return []


@functools.cache
def template(parameters: str, lines: tuple[str, ...], arguments: str, out: str) -> CodeType:
    """Code shared by all ops whose signatures have one form; compiling one for each op would double the import."""
    body = "\n  ".join([*lines, f"return call(op, ({arguments},){', ' + out if out else ''})"])
    return code_of(f" def made({parameters}):\n  {body}\n")


def finished(op: Op, name: str, code: CodeType, entry: Callable, keyword: list[str], count: int) -> Callable:
    """The function around the code, with the op's own defaults."""
    known = {each.name: ABSENT if is_missing(each) else each.default for each in op.parameters}
    known = {each: None if value is REQUIRED else value for each, value in known.items()}
    defaults = tuple([known[each.name] for each in op.parameters[:count]])
    function = FunctionType(code, {}, name, defaults, enclosed(code, op=op, call=entry))
    function.__kwdefaults__ = {each: known.get(each) for each in keyword}
    function.__qualname__, function.__doc__, function.__module__ = name, op.doc, public_place(op)
    if name.endswith("_") and op.is_method:
        function.__qualname__ = f"Tensor.{name}"
    form = function_parameters if name == op.name.rpartition(".")[2] else method_parameters
    function.__signature__ = ShownSignature(op, form)  # type: ignore[attr-defined]
    return named(function)


def public_place(op: Op) -> str:
    """The module where users, and pickles, find an op's function."""
    place, _, _ = op.name.rpartition(".")
    return f"rushlight.{place}" if place else "rushlight"


def enclosed(code: CodeType, **own: Any) -> tuple[CellType, ...]:
    """The cells of a generated function; `me` is filled once there is one."""
    cells = {name: CellType(own.get(name, value)) for name, value in CELLS.items()}
    return tuple([cells[free] for free in code.co_freevars])


def named(function: FunctionType) -> Callable:
    """The function, known to itself."""
    function.__closure__[function.__code__.co_freevars.index("me")].cell_contents = function
    return function


def guard(op: Op, function: Callable, failed: Callable) -> Callable:
    """A composed function whose failures go through `failed`; no arguments are packed on the way."""
    code = function.__code__
    positional = [f"p{place}" for place in range(code.co_argcount)]
    keyword = [f"p{len(positional) + place}" for place in range(code.co_kwonlyargcount)]
    many = f"p{len(positional) + len(keyword)}" if code.co_flags & CO_VARARGS else ""
    rest = f"p{len(all_names(function)) - 1}" if code.co_flags & CO_VARKEYWORDS else ""
    parameters = parameters_of(function)
    flags = tuple([line for place, each in enumerate(parameters) for line in option_line(each, f"p{place}", place)])
    wrapper = guard_template((tuple(positional), tuple(keyword), many, rest), flags)
    real = {f"p{place}": name for place, name in enumerate(all_names(function))}
    wrapper = wrapper.replace(co_varnames=tuple([real.get(each, each) for each in wrapper.co_varnames]))
    plain = code.replace(co_argcount=code.co_argcount + code.co_kwonlyargcount, co_kwonlyargcount=0)
    plain_function = FunctionType(plain, function.__globals__, function.__name__, None, function.__closure__)
    closure = enclosed(wrapper, op=op, function=plain_function, failed=failed)
    defaults = tuple([ABSENT if is_missing(each) else each.default for each in parameters[: code.co_argcount]])
    made = FunctionType(wrapper, {}, op.name.rpartition(".")[2], defaults, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__, made.__doc__, made.__module__ = made.__name__, function.__doc__, public_place(op)
    made.__signature__ = ShownSignature(op, function_parameters)  # type: ignore[attr-defined]
    return made if rest else named(made)


def in_place(function: Any, module: str) -> Callable:
    """The same function for another module, where users and pickles find it."""
    made = FunctionType(function.__code__, {}, function.__name__, function.__defaults__, function.__closure__)
    made.__kwdefaults__, made.__qualname__ = function.__kwdefaults__, function.__qualname__
    made.__doc__, made.__module__ = function.__doc__, module
    made.__signature__ = function.__signature__  # type: ignore[attr-defined]
    return made


def as_method(op: Op, function: Any) -> Callable:
    """The same function under the signature of a method."""
    made = FunctionType(function.__code__, {}, function.__name__, function.__defaults__, function.__closure__)
    made.__kwdefaults__, made.__qualname__ = function.__kwdefaults__, f"Tensor.{function.__name__}"
    made.__doc__, made.__module__ = function.__doc__, function.__module__
    made.__signature__ = ShownSignature(op, method_parameters)  # type: ignore[attr-defined]
    return made


def is_missing(parameter: Parameter) -> bool:
    """Whether a call without this argument is refused."""
    return parameter.default is REQUIRED and not parameter.keyword


@functools.cache
def guard_template(names: tuple, flags: tuple) -> CodeType:
    """Code for all composed functions with as many parameters."""
    positional, keyword, many, rest = names
    star = [f"*{many}"] if many else ["*"] if keyword else []
    parameters = ", ".join([*positional, *star, *keyword, f"**{rest or 'rest'}"])
    passed = ", ".join([*positional, *keyword, *([f"*{many}"] if many else []), *([f"**{rest}"] if rest else [])])
    values = "".join(f"{each}, " for each in (*positional, *keyword, many, rest) if each)
    lines = list(flags)
    if not rest:
        lines.insert(0, f"if rest: return again(op, me, ({values}), rest)")
    first = "".join(f"  {line}\n" for line in lines)
    return code_of(
        f" def made({parameters}):\n{first}  try:\n   return function({passed})\n"
        f"  except Exception as error:\n   raise failed(op, ({values}), error)\n"
    )


def code_of(text: str) -> CodeType:
    """The code of the function `made` that the text defines."""
    form = FORMS.get(text)
    if form is not None:
        return inner_code(form.__code__).replace(co_filename=GENERATED)
    return inner_code(inner_code(compile(form_of(text), GENERATED, "exec", dont_inherit=True)))


def form_of(text: str) -> str:
    """A function around the one that the text defines, with what this one finds around it."""
    return f"def form({', '.join(CELLS)}):\n{text} return made\n"


def inner_code(outer: CodeType) -> CodeType:
    """The code of the function that is defined in this code."""
    return next(each for each in outer.co_consts if isinstance(each, CodeType))


def forms_ahead() -> dict[str, FunctionType]:
    """Forms that tools/forms.py wrote when the package was built: an import compiles what is not there, 0.2 ms each."""
    try:
        return import_module("rushlight.ops.machine.forms").FORMS
    except ImportError:
        return {}


def sizes(many: tuple, named: Any) -> Any:
    """Sizes given one by one, as one sequence, or by name."""
    if named is not None and (named is not ABSENT or not many):
        return named
    if len(many) == 1 and not isinstance(many[0], (int, np.integer, Tensor)):
        return many[0]
    return many


FORMS = forms_ahead()
# what generated code finds around it
CELLS: dict[str, Any] = {
    "op": None,
    "call": None,
    "function": None,
    "failed": None,
    "me": None,
    "sizes": sizes,
    "again": again,
    "odd_flag": odd_flag,
    "odd_number": odd_number,
    "numbers": frozenset((int, float)),
    "type": type,
}
