"""Saved tensors: what a node keeps of a tensor, with the user's hooks on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rushlight.autograd import modes
from rushlight.core.numbers.dtypes import DIFFERENTIABLE
from rushlight.core.object.tensor import Tensor, geometry_of, new, storage_of

if TYPE_CHECKING:
    from rushlight.autograd.graph import Node
    from rushlight.ops.machine.declare import Plan


def snapshot(tensor: Tensor) -> Tensor:
    """The tensor without its history: saving a result must not make a circle."""
    copy = new(Tensor)
    copy._array = tensor._array
    copy._storage = storage_of(tensor)
    return copy


def reattach(value: Tensor, node: Node, output: int) -> Tensor:
    """A saved result, back in the graph, so that gradients of gradients flow through it."""
    copy = snapshot(value)
    copy._node, copy._output, copy._requires_grad = node, output, True
    return copy


class Packed:
    """Marks a saved value that went through the user's pack hook, with the history it has when it comes back."""

    __slots__ = ("edge", "hooks", "output")

    def __init__(self, hooks: tuple, tensor: Tensor, output: int | None):
        from rushlight.autograd.graph import edge_of

        self.hooks = hooks
        # which output of its own node it is; else where its gradient goes
        self.output = output if tensor._array.dtype in DIFFERENTIABLE else None
        self.edge = None if output is not None else (edge_of(tensor), tensor._output)

    def pack(self, tensor: Tensor) -> Any:
        """What the pack hook makes of the tensor."""
        before = tensor._version
        with modes.no_grad():
            found = self.hooks[0](tensor)
        if tensor._version != before:
            raise RuntimeError(
                "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook "
                "cannot be modified by in-place operations as this can lead to unexpected side-effects: return a "
                "changed copy."
            )
        return found

    def give_back(self, value: Any) -> Tensor:
        """The tensor that the unpack hook gives back."""
        found = self.hooks[1](value)
        if not isinstance(found, Tensor):
            raise TypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                f"{type(found).__name__}"
            )
        return found

    def unpack(self, value: Any, node: Node) -> Tensor:
        """The tensor that the unpack hook gives back, in the graph as the saved one was."""
        found = self.give_back(value)
        if self.output is not None:
            return reattach(found, node, self.output)
        target, number = self.edge or (None, 0)
        if target is None or target is found:
            return found
        if isinstance(target, Tensor):
            from rushlight.autograd.graph import alias_of

            return reattach(found, alias_of(target), 0)
        return reattach(found, target, number)


def save(plan: Plan, arguments: tuple, results: tuple[Tensor, ...], node: Node) -> tuple[list, list]:
    """What the formulas will need, with the version of each tensor (None for what is no tensor)."""
    values: list = []
    versions: list = []
    for kind, position in plan.sources:
        version: Any = None
        if kind == "argument":
            value = arguments[position]
            if isinstance(value, Tensor):
                version = 0 if value._storage is None else value._storage.version
                if value._inference:
                    raise_inference()
            elif isinstance(value, (list, tuple)) and value and isinstance(value[0], Tensor):
                if any([each._inference for each in value]):
                    raise_inference()
                version = versions_of(value, node)
                if modes.state.saved_hooks:
                    value, version = packed_each(node, value, version, modes.state.saved_hooks[-1])
        elif kind == "memory":
            value = arguments[position]
            if value._inference:
                raise_inference()
            is_whole = value._array.ndim == 2 and plan.folded[len(values)]
            value = value if is_whole or modes.state.saved_hooks else snapshot(value)
            version = value._version
        elif kind == "shape":
            value = arguments[position]
            value = value._array.shape if isinstance(value, Tensor) else shape_of(value)
        elif kind == "geometry":
            value = geometry_of(arguments[position])
        else:
            value = snapshot(results[position])
            version = value._version
        if version is not None and modes.state.saved_hooks and isinstance(value, Tensor):
            value, version = packed(node, value, position if kind == "result" else None, modes.state.saved_hooks[-1])
        values.append(value)
        versions.append(version)
    return values, versions


ALWAYS, NEVER = -1, -2


def versions_of(tensors: list | tuple, node: Any) -> tuple[int | None, ...]:
    """The versions of tensors in a list; None for those that no gradient which is wanted needs."""
    partners = node.op.partners
    if not partners:
        return tuple(each._version for each in tensors)
    needed = [who == ALWAYS or (who != NEVER and tensors[who].requires_grad) for who in partners[: len(tensors)]]
    return tuple(each._version if need else None for each, need in zip(tensors, needed, strict=True))


def packed(node: Node, value: Tensor, output: int | None, hooks: tuple) -> tuple[Any, Packed]:
    """What the user's pack hook makes of a value; it sees a result with its history."""
    is_result = output is not None and value._array.dtype in DIFFERENTIABLE
    mark = Packed(hooks, value, output)
    return mark.pack(reattach(value, node, output or 0) if is_result else value), mark


def packed_each(node: Node, tensors: list | tuple, versions: tuple, hooks: tuple) -> tuple[list, tuple]:
    """What the user's pack hook makes of each tensor of a list that a gradient needs, and their marks."""
    pairs = [
        (each, None) if version is None else packed(node, each, None, hooks)
        for each, version in zip(tensors, versions, strict=True)
    ]
    return [value for value, _ in pairs], tuple([mark for _, mark in pairs])


def raise_inference() -> None:
    raise RuntimeError(
        "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
        "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use "
        "it in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
    )


def shape_of(value: Any) -> Any:
    """The shapes of a list of tensors; a number has the empty one."""
    return [each._array.shape for each in value] if isinstance(value, (list, tuple)) else ()


class SavedTensor:
    """One saved tensor of a node, as `node._raw_saved_self` shows it: hooks may be put on it."""

    __slots__ = ("node", "place")

    def __init__(self, node: Any = None, place: int | None = None):
        if node is None:
            raise RuntimeError("Trying to create a SavedTensor object from Python is forbidden.")
        # no place: torch's node has a room for it that is empty
        self.node, self.place = node, place

    def unpack(self) -> Tensor | None:
        """The tensor, as backward will see it."""
        return None if self.place is None else self.node.value_at(self.place)

    @property
    def data(self) -> Any:
        """What is kept: the tensor, or what the pack hook made of it."""
        return None if self.place is None else self.node.kept_at(self.place)[0]

    def register_hooks(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        """Pass the tensor through `pack_hook` now and through `unpack_hook` when it is used."""
        if not callable(pack_hook) or not callable(unpack_hook):
            raise TypeError("register_hooks(): incompatible function arguments: both hooks must be callable")
        if self.node.freed is not None:
            raise RuntimeError(
                "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the "
                "graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need "
                "them after that."
            )
        value, packed = (None, None) if self.place is None else self.node.kept_at(self.place)
        if value is None and packed is None:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        if packed is not None:
            raise RuntimeError(
                "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of "
                "hooks is allowed at a time."
            )
        self.node.pack_at(self.place, pack_hook, unpack_hook)

    def __repr__(self) -> str:
        return f"<torch._C._autograd.SavedTensor object at {id(self):#x}>"
