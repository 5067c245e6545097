"""Random objects to save: tensors of all kinds in nested containers, made alike in both libraries from one seed."""

from __future__ import annotations

import random
from collections import Counter, OrderedDict
from typing import Any

DTYPES = """
    bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128
    """.split()


class Maker:
    """Draws objects of one library; the same seed gives the same ones in the other."""

    def __init__(self, torch: Any, seed: int, modules: bool = False):
        self.torch = torch
        self.draw = random.Random(seed)
        self.tensors: list[Any] = []
        self.modules = modules

    def make(self, depth: int = 3) -> Any:
        """A container of more objects."""
        kind = self.draw.randrange(4)
        count = self.draw.randrange(1, 5)
        if kind == 0:
            return [self.one(depth) for _ in range(count)]
        if kind == 1:
            return tuple([self.one(depth) for _ in range(count)])
        if kind == 2:
            return OrderedDict([(self.key(), self.one(depth)) for _ in range(count)])
        return {self.key(): self.one(depth) for _ in range(count)}

    def one(self, depth: int) -> Any:
        if depth and self.draw.random() < 0.3:
            return self.make(depth - 1)
        choices = [self.tensor, self.tensor, self.view, self.view, self.leaf, self.object_of_torch]
        if self.modules:
            choices += [self.module, self.optimizer, self.trusted]
        return self.draw.choice(choices)()

    def key(self) -> Any:
        return self.draw.choice(
            [
                f"name{self.draw.randrange(1000)}",
                self.draw.randrange(1000),
                (1, "a", self.draw.randrange(99)),
                "schlüssel",
            ]
        )

    def leaf(self) -> Any:
        """What Python has."""
        number = self.draw.randrange(-(10**6), 10**6)
        return self.draw.choice(
            [
                None,
                True,
                number,
                number * 10**30,
                number / 7,
                float("inf"),
                complex(number, 1),
                f"text {number} é",
                b"\x00\xff",
                *(bytearray(b"ab"), {1, "a", number}, (), [], {}, Counter({"a": 2}), "", -1, 256, 2**31, -(2**31)),
            ]
        )

    def object_of_torch(self) -> Any:
        """What torch has beside tensors."""
        torch, draw = self.torch, self.draw
        return draw.choice(
            [
                lambda: torch.Size([2, 3]),
                lambda: torch.device("cpu"),
                lambda: torch.device("cuda", 1),
                lambda: getattr(torch, draw.choice(DTYPES)),
                lambda: torch.strided,
                lambda: torch.tensor([1, 2], dtype=torch.uint8).untyped_storage(),
            ]
        )()

    def tensor(self) -> Any:
        """A tensor with memory of its own."""
        torch, draw = self.torch, self.draw
        shape = [
            draw.randrange(0, 5) if draw.random() < 0.2 else draw.randrange(1, 4) for _ in range(draw.randrange(4))
        ]
        kind = getattr(torch, draw.choice(DTYPES))
        made = torch.tensor(self.numbers(shape), dtype=torch.float64).reshape(shape).to(kind)
        if kind.is_floating_point or kind.is_complex:
            choice = draw.random()
            if choice < 0.2:
                made.requires_grad_()
            elif choice < 0.4:
                made = torch.nn.Parameter(made, requires_grad=draw.random() < 0.7)
        if draw.random() < 0.1:
            made.note = {"a": draw.randrange(9)}
        self.tensors.append(made)
        return made

    def numbers(self, shape: list[int]) -> list[float]:
        count = 1
        for each in shape:
            count *= each
        return [float(self.draw.randrange(0, 100)) for _ in range(count)]

    def view(self) -> Any:
        """A view of a tensor from before, or that tensor again."""
        draw = self.draw
        if not self.tensors:
            return self.tensor()
        base = draw.choice(self.tensors).detach()
        views = [
            lambda: base,
            lambda: base.t() if base.ndim <= 2 else base.transpose(0, 2),
            lambda: base[1:] if base.ndim and len(base) > 1 else base,
            lambda: base[::2] if base.ndim else base,
            lambda: base.unsqueeze(0).expand(3, *base.shape),
            lambda: base.reshape(-1),
            lambda: base.conj() if base.is_complex() else base,
            lambda: base.conj().imag if base.is_complex() and base.numel() else base,
            lambda: base[..., :0] if base.ndim else base,
        ]
        found = draw.choice(views)()
        self.tensors.append(found)
        return found

    def module(self) -> Any:
        """A network with parameters and buffers."""
        nn = self.torch.nn
        made = self.draw.choice(
            [
                lambda: nn.Linear(2, 3),
                lambda: nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU()),
                lambda: nn.Embedding(3, 2),
                lambda: nn.GRU(2, 3, num_layers=2),
                lambda: nn.MultiheadAttention(4, 2),
                lambda: nn.TransformerEncoderLayer(4, 2, 8),
                lambda: nn.ModuleDict({"a": nn.LayerNorm(2), "b": nn.Dropout()}),
                lambda: nn.ParameterList([nn.Parameter(self.torch.ones(2))]),
            ]
        )()
        for each in made.parameters():
            each.data = self.torch.tensor(self.numbers(list(each.shape))).reshape(each.shape)
        return made

    def optimizer(self) -> Any:
        """The state of an optimizer that has made a step, and of its schedule."""
        torch = self.torch
        param = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
        made = self.draw.choice([torch.optim.Adam, torch.optim.SGD, torch.optim.RMSprop])([param], lr=0.1)
        schedule = torch.optim.lr_scheduler.StepLR(made, 3)
        param.grad = torch.ones(2)
        made.step()
        schedule.step()
        return [made.state_dict(), schedule.state_dict()]

    def trusted(self) -> Any:
        """What is loaded from trusted files only."""
        torch = self.torch
        generator = torch.Generator()
        generator.manual_seed(self.draw.randrange(99))
        return self.draw.choice(
            [lambda: generator, lambda: torch.nn.functional.softsign, lambda: torch.max(torch.tensor([[1.0, 2.0]]), 1)]
        )()


def described(found: Any, torch: Any, storages: dict[int, int] | None = None) -> Any:
    """All that can be seen of an object, which tensors share memory included, in terms that both libraries have."""
    storages = {} if storages is None else storages
    if isinstance(found, torch.Tensor):
        return described_tensor(found, torch, storages)
    if torch.is_storage(found):
        return "storage", str(getattr(found, "dtype", "")), found.tolist()
    if isinstance(found, torch.nn.Module):
        return type(found).__name__, repr(found), described(dict(found.state_dict()), torch, storages)
    if isinstance(found, torch.Generator):
        return "generator", found.get_state().tolist(), found.initial_seed()
    if isinstance(found, dict):
        items = [(described(key, torch, storages), described(value, torch, storages)) for key, value in found.items()]
        return type(found).__name__, items, described(getattr(found, "_metadata", None), torch, storages)
    if isinstance(found, (list, tuple)):
        return type(found).__name__, [described(each, torch, storages) for each in found]
    if isinstance(found, set):
        return "set", sorted(map(repr, found))
    if callable(found) and hasattr(found, "__name__"):
        return "function", found.__name__
    return type(found).__name__, repr(found)


def described_tensor(found: Any, torch: Any, storages: dict[int, int]) -> tuple:
    # memory of no bytes is nobody's
    held = found.untyped_storage()
    same = storages.setdefault(held._cdata, len(storages)) if held.nbytes() else -1
    numbers = found.detach().resolve_conj().resolve_neg()
    shown = numbers.to(torch.float64).tolist() if not numbers.is_complex() else str(numbers.tolist())
    extra = {name: value for name, value in vars(found).items() if not name.startswith("_")}
    return (
        type(found).__name__,
        str(found.dtype),
        tuple(found.shape),
        # of nothing views have other strides in the libraries
        found.stride() if found.numel() else None,
        found.storage_offset() if found.numel() else None,
        str(shown),
        *(found.requires_grad, found.is_conj(), found.is_neg(), same, held.nbytes(), sorted(extra)),
    )
