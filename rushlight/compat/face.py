"""The module object that `import torch` gives: Rushlight's names under torch's name and version."""

from functools import partial
from types import ModuleType
from typing import Any

import rushlight
from rushlight.compat.naming import name_classes
from rushlight.core.surface.lazy import loaded_names
from rushlight.torch_version import __version__ as TORCH_VERSION

# of the distribution, as `importlib.metadata` and pip show it
DISTRIBUTION_VERSION = f"{TORCH_VERSION}+rushlight"


class TorchFace(ModuleType):
    """Reads and writes go to `rushlight`; only dunder names, `__version__` among them, are its own."""

    def __init__(self):
        super().__init__("torch", rushlight.__doc__)
        self.__version__ = TORCH_VERSION
        self.__file__ = rushlight.__file__
        self.__path__ = rushlight.__path__
        # On the instance, as a module has it: on the class it would slow down every `torch.tanh` by 0.2 us.
        self.__getattr__ = partial(fetch, self)
        # `torch.torch` is torch: a module that imports itself shows its name, and packages use it
        loaded_names(self)["torch"] = self
        name_classes()

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if not is_dunder(name):
            setattr(rushlight, name, value)

    def __delattr__(self, name):
        loaded_names(self).pop(name, None)
        delattr(rushlight, name)

    @property
    def __dict__(self):
        for name in dir(rushlight):
            getattr(self, name)
        return loaded_names(self)

    def __dir__(self):
        return dir(rushlight)

    def __repr__(self):
        return f"<module 'torch' (Rushlight {rushlight.__version__})>"


def fetch(face: TorchFace, name: str) -> Any:
    """A name not read before: ask `rushlight`, and keep the answer."""
    value = loaded_names(face)[name] = getattr(rushlight, name)
    return value


def is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def missing(name: str) -> str:
    """What to say when a program imports something of torch's that Rushlight lacks."""
    from rushlight.errors.absent import clause

    return f"{name} is not in Rushlight {rushlight.__version__}" + clause(name.removeprefix("torch."))
