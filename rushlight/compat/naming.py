"""Naming: while `torch` means Rushlight, its classes say that they are torch's.

`print(type(x))` shows `<class 'torch.Tensor'>`, and packages find out by `type(x).__module__` whose tensors they were
given.
"""

import sys

import rushlight
from rushlight.core.surface.lazy import loaded_names
from rushlight.core.surface.torch_names import torch_name

CLASSES = ("Tensor", "Size", "dtype", "device", "finfo", "iinfo", "layout", "memory_format")
# what each class said before, and the modules whose classes were looked at
renamed: dict[type, str] = {}
looked_at: set[str] = set()


def name_classes() -> None:
    """Give the classes that stand in `torch` itself their names there."""
    for name in CLASSES:
        rename(getattr(rushlight, name), "torch")


def name_networks() -> None:
    """Give the classes of `torch.nn` their names; called again, those that were loaded since."""
    modules = [name for name in sys.modules if name.startswith("rushlight.nn.") and name not in looked_at]
    looked_at.update(modules)
    for name in modules:
        for value in list(loaded_names(sys.modules[name]).values()):
            # by its type: NoArray refuses every attribute
            if issubclass(type(value), type) and value.__module__ == name:
                place = torch_name(name, value.__name__)[0]
                # whoever reads a class's annotations looks its module up there
                sys.modules.setdefault(place, sys.modules["rushlight" + place.removeprefix("torch")])
                rename(value, place)


def rename(kind: type, module: str) -> None:
    renamed.setdefault(kind, kind.__module__)
    kind.__module__ = module


def restore() -> None:
    """Give all classes their own names again."""
    for kind, module in renamed.items():
        kind.__module__ = module
    renamed.clear()
    looked_at.clear()
