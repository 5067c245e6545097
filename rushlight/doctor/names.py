"""Names: what the program calls its parameters, modules and tensors."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any

from rushlight.core.object.tensor import Tensor
from rushlight.errors import location

if TYPE_CHECKING:
    from rushlight.doctor.lives import Lives


def user_frames() -> Iterator[FrameType]:
    """The frames of the program on the stack, innermost first."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not location.ours[frame.f_code.co_filename] and "site-packages" not in frame.f_code.co_filename:
            yield frame
        frame = frame.f_back


def variables_of(frame: FrameType) -> list[dict[str, Any]]:
    """The variables that a frame sees: its own, and those of its file."""
    if not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        return [frame.f_globals] if frame.f_locals is frame.f_globals else [frame.f_locals, frame.f_globals]
    own = dict(frame.f_locals)
    if sys.version_info < (3, 13):
        # the frame keeps what it has shown, and would hold on to values that the program lets go
        frame.f_locals.clear()
    return [own, frame.f_globals]


def parameters_of(module: Any) -> Iterator[tuple[str, Any]]:
    """All parameters with their names, as the base class finds them: packages have such methods of their own."""
    from rushlight.nn.modules.module import Module

    return Module.named_parameters(module, remove_duplicate=False)


def variable(value: Any) -> str | None:
    """The variable of the program that holds an object, or the attribute of an object that a variable holds."""
    inside = None
    for frame in user_frames():
        for names in variables_of(frame):
            for name, each in list(names.items()):
                if each is value and name != "self" and not name.startswith("_"):
                    return name
                inside = inside or attribute(name, each, value)
    return inside


def attribute(name: str, holder: Any, value: Any) -> str | None:
    """`agent.net`, where a plain object of the program holds a value; `self.net` is net."""
    if isinstance(holder, (Tensor, type)) or not hasattr(holder, "__dict__") or type(holder).__name__ == "module":
        return None
    for key, each in list(vars(holder).items()):
        if each is value and not key.startswith("_"):
            return key if name == "self" else f"{name}.{key}"
    return None


class Names:
    """Names of parameters, found once and remembered: later the variables may be out of sight."""

    def __init__(self, lives: Lives):
        self.lives = lives
        self.found: dict[int, tuple[Any, str]] = {}

    def of(self, tensor: Tensor) -> str:
        """`net.0.weight`, or what else tells which one it is."""
        known = self.found.get(id(tensor))
        if known is not None and known[0] is tensor:
            return known[1]
        name = self.look_for(tensor)
        if name is None:
            return self.described(tensor)
        self.found[id(tensor)] = tensor, name
        return name

    def learn(self) -> None:
        """Name every parameter there is, while the program's variables are in sight."""
        for module in self.roots():
            held = variable(module)
            for path, each in parameters_of(module):
                name = path if held is None else f"{held}.{path}"
                known = self.found.get(id(each))
                if known is None or known[0] is not each or len(known[1]) < len(name):
                    self.found[id(each)] = each, name

    def all(self, tensors: list[Tensor]) -> list[str]:
        return [self.of(each) for each in tensors]

    def look_for(self, tensor: Tensor) -> str | None:
        """In modules, the largest first; then among variables."""
        best = None
        for module in self.roots():
            for path, each in parameters_of(module):
                if each is tensor:
                    held = variable(module)
                    name = path if held is None else f"{held}.{path}"
                    best = name if best is None or len(name) > len(best) else best
        return best or variable(tensor)

    def roots(self) -> list[Any]:
        """The modules that are in no other module."""
        living = self.lives.living_modules()
        inside = {id(child) for each in living for child in each.__dict__.get("_modules", {}).values()}
        return [each for each in living if id(each) not in inside and "_modules" in each.__dict__]

    def of_module(self, module: Any) -> str:
        """`net.0`, or the kind of module with its line."""
        from rushlight.nn.modules.module import Module

        for root in self.roots():
            for path, each in Module.named_modules(root, remove_duplicate=False):
                if each is module:
                    held = variable(root)
                    whole = ".".join([part for part in (held, path) if part])
                    if whole:
                        return whole
        held = variable(module)
        return held or type(module).__name__

    def described(self, tensor: Tensor) -> str:
        place = self.lives.of_parameter(tensor).place
        shape = list(tensor.shape)
        return f"the parameter of shape {shape}" + (
            "" if place is None else f" made at {location.file_and_line(place)}"
        )


def listed(names: list[str], shown: int = 2) -> str:
    """`a, b and 3 more`."""
    if len(names) <= shown + 1:
        return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return f"{', '.join(names[:shown])} and {len(names) - shown} more"
