"""Naming: while `torch` means Rushlight, its classes say that they are torch's.

`print(type(x))` shows `<class 'torch.Tensor'>`, and packages find out by `type(x).__module__` whose tensors they were
given.
"""

import sys
from types import ModuleType

import rushlight
from rushlight.core.surface.lazy import loaded_names
from rushlight.core.surface.torch_names import torch_name

CLASSES = ("Tensor", "Size", "dtype", "device", "finfo", "iinfo", "layout", "memory_format")
# whose classes programs meet; those of other parts ask their own names whether a class is theirs
PARTS = tuple(
    f"rushlight.{part}"
    for part in "nn optim distributions utils autograd amp profiler core.random.streams errors.kinds".split()
)
# what each class said before
renamed: dict[type, tuple[str, str]] = {}
# modules of torch that are being looked for: the import itself puts them in their place
underway: set[str] = set()


def name_classes() -> None:
    """Give the classes that are loaded their names in torch."""
    for name in CLASSES:
        rename(getattr(rushlight, name), "torch", name)
    for module in list(sys.modules.values()):
        name_module(module)


def name_module(module: ModuleType) -> None:
    """Give the classes that stand in a module of Rushlight their names in torch."""
    own = getattr(module, "__name__", "")
    if not own.startswith(PARTS):
        return
    for value in list(loaded_names(module).values()):
        # by its type: NoArray refuses every attribute
        if issubclass(type(value), type) and value.__module__ == own:
            place, name = torch_name(own, value.__name__)
            behind = "rushlight" + place.removeprefix("torch")
            if behind != own and value.__name__.startswith("_"):
                # one of our own helpers, which is not to be found in torch's module
                continue
            if behind in sys.modules and place not in underway:
                # whoever reads a class's annotations looks its module up there
                sys.modules.setdefault(place, sys.modules[behind])
            rename(value, place, name)


def rename(kind: type, module: str, name: str) -> None:
    renamed.setdefault(kind, (kind.__module__, kind.__qualname__))
    kind.__module__ = module
    if name != kind.__name__:
        kind.__name__ = kind.__qualname__ = name


def restore() -> None:
    """Give all classes their own names again."""
    for kind, (module, name) in renamed.items():
        kind.__module__ = module
        if name != kind.__qualname__:
            kind.__name__ = kind.__qualname__ = name
    renamed.clear()
