"""Generated functions: what users call, with torch's parameters, handing them on to the caller in one tuple."""

from __future__ import annotations

import functools
from collections.abc import Callable
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import CellType, CodeType, FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.location import GENERATED
from rushlight.core.tensor import Tensor
from rushlight.ops.signature import REQUIRED, all_names

if TYPE_CHECKING:
    from rushlight.ops.declare import Op

# torch takes NumPy's names for these too
NUMPY_NAMES = {"dim": "axis", "keepdim": "keepdims"}


def generate(op: Op, name: str, entry: Callable, out: bool) -> Callable:
    """The public function `name` of an op; `entry` is the caller it goes to."""
    positional, keyword, arguments, varargs = [], [], [], ""
    real: dict[str, str] = {}

    def stand_in(actual: str) -> str:
        real[f"p{len(real)}"] = actual
        return f"p{len(real) - 1}"

    for each in op.parameters:
        passed = stand_in(each.name)
        if each.annotation == "Size":
            varargs = stand_in(each.name + "_")
            keyword.append(passed)
            passed = f"sizes({varargs}, {passed})"
        elif each.keyword or varargs:
            keyword.append(passed)
        else:
            positional.append(passed)
        if each.name in NUMPY_NAMES:
            keyword.append(stand_in(NUMPY_NAMES[each.name]))
            passed = f"{passed} if {keyword[-1]} is None else {keyword[-1]}"
        arguments.append(passed)
    if out:
        keyword.append(stand_in("out"))
    star = [f"*{varargs}"] if varargs else ["*"] if keyword else []
    code = template(", ".join(positional + star + keyword), ", ".join(arguments), keyword[-1] if out else "")
    code = code.replace(co_varnames=tuple([real[each] for each in code.co_varnames]))
    return finished(op, name, code, entry, [real[each] for each in keyword], len(positional))


@functools.cache
def template(parameters: str, arguments: str, out: str) -> CodeType:
    """Code shared by all ops whose signatures have one form; compiling one for each op would double the import."""
    call = f"return call(op, ({arguments},){', ' + out if out else ''})"
    return inner_code(f"def make(op, call, sizes):\n def function({parameters}):\n  {call}\n return function")


def finished(op: Op, name: str, code: CodeType, entry: Callable, keyword: list[str], count: int) -> Callable:
    """The function around the code, with the op's own defaults."""
    cells = {"op": op, "call": entry, "sizes": sizes}
    closure = tuple([CellType(cells[free]) for free in code.co_freevars])
    known = {each.name: each.default for each in op.parameters}
    defaults = tuple([each.default for each in op.parameters[:count] if each.default is not REQUIRED])
    function = FunctionType(code, {}, name, defaults, closure)
    given = {each: known.get(each) for each in keyword}
    function.__kwdefaults__ = {each: None if value is REQUIRED else value for each, value in given.items()}
    function.__qualname__, function.__doc__, function.__module__ = name, op.doc, op.body.__module__
    return function


def guard(op: Op, function: Callable, failed: Callable) -> Callable:
    """A composed function whose failures go through `failed`; no arguments are packed on the way."""
    code = function.__code__
    positional = [f"p{place}" for place in range(code.co_argcount)]
    keyword = [f"p{len(positional) + place}" for place in range(code.co_kwonlyargcount)]
    many = f"p{len(positional) + len(keyword)}" if code.co_flags & CO_VARARGS else ""
    rest = f"p{len(all_names(function)) - 1}" if code.co_flags & CO_VARKEYWORDS else ""
    wrapper = guard_template(tuple(positional), tuple(keyword), many, rest)
    real = {f"p{place}": name for place, name in enumerate(all_names(function))}
    wrapper = wrapper.replace(co_varnames=tuple([real.get(each, each) for each in wrapper.co_varnames]))
    plain = code.replace(co_argcount=code.co_argcount + code.co_kwonlyargcount, co_kwonlyargcount=0)
    plain_function = FunctionType(plain, function.__globals__, function.__name__, None, function.__closure__)
    cells = {"op": op, "function": plain_function, "failed": failed}
    closure = tuple([CellType(cells[free]) for free in wrapper.co_freevars])
    made = FunctionType(wrapper, {}, op.name.rpartition(".")[2], function.__defaults__, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__, made.__doc__, made.__module__ = made.__name__, function.__doc__, function.__module__
    return made


@functools.cache
def guard_template(positional: tuple, keyword: tuple, many: str, rest: str) -> CodeType:
    """Code for all composed functions with as many parameters."""
    star = [f"*{many}"] if many else ["*"] if keyword else []
    last = [f"**{rest}"] if rest else []
    parameters = ", ".join([*positional, *star, *keyword, *last])
    passed = ", ".join([*positional, *keyword, *([f"*{many}"] if many else []), *last])
    values = "".join(f"{each}, " for each in (*positional, *keyword, many, rest) if each)
    return inner_code(
        f"def make(op, function, failed):\n def guarded({parameters}):\n  try:\n   return function({passed})\n"
        f"  except Exception as error:\n   raise failed(op, ({values}), error)\n return guarded"
    )


def inner_code(text: str) -> CodeType:
    """The code of the function inside the function that the text defines."""
    made = compile(text, GENERATED, "exec")
    maker = next(each for each in made.co_consts if isinstance(each, CodeType))
    return next(each for each in maker.co_consts if isinstance(each, CodeType))


def sizes(many: tuple, named: Any) -> Any:
    """Sizes given one by one, as one sequence, or by name."""
    if named is not None:
        return named
    if len(many) == 1 and not isinstance(many[0], (int, np.integer, Tensor)):
        return many[0]
    return many
