"""A library under comparison: its module, the names it offers, its seed."""

import importlib
from types import ModuleType


class Library:
    """A module with torch's programming model, found by its import name.

    >>> Library("torch").find("linalg.pinv").__name__
    'linalg_pinv'
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.module: ModuleType = importlib.import_module(name)

    def find(self, dotted: str) -> object | None:
        """What the public path `dotted` names below the library's module, or None."""
        found: object = self.module
        for step, part in enumerate(dotted.split(".")):
            parent = found
            found = getattr(parent, part, None)
            if found is None and isinstance(parent, ModuleType):
                found = submodule(".".join([self.name, *dotted.split(".")[: step + 1]]))
            if found is None:
                return None
        return found

    def find_function(self, dotted: str) -> object | None:
        """The function at `dotted`, or else Tensor's method of that name (`torch.bool` is no function)."""
        found = self.find(dotted)
        if callable(found) and not isinstance(found, type):
            return found
        method = self.find_method(dotted)
        return method if callable(method) else None

    def find_method(self, name: str) -> object | None:
        """Tensor's own attribute of that name; what every class has from `object`, or what only refuses, is none."""
        tensor = self.module.Tensor
        own = any(name in vars(base) for base in tensor.__mro__ if base is not object)
        found = getattr(tensor, name, None) if own else None
        return None if getattr(found, "left_out", False) else found

    def offers(self, dotted: str) -> bool:
        """Whether the library has a function of that name, or a Tensor method or attribute."""
        dotted = dotted.removeprefix("torch.")
        return self.find_function(dotted) is not None or self.find_method(dotted) is not None

    def seed(self, number: int = 0) -> None:
        self.module.manual_seed(number)


def submodule(path: str) -> ModuleType | None:
    """The module at `path`, for packages that their parent does not import on its own."""
    try:
        return importlib.import_module(path)
    except ImportError:
        return None


def dtype_name(dtype: object) -> str:
    """`torch.float32` and `rushlight.float32` are both `float32`."""
    return str(dtype).rsplit(".", 1)[-1]
