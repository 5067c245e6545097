"""Graphs: what a network did with an input, call by call, as TensorBoard draws it."""

from __future__ import annotations

from typing import Any

from tensorboard.compat.proto.attr_value_pb2 import AttrValue
from tensorboard.compat.proto.config_pb2 import RunMetadata
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.compat.proto.node_def_pb2 import NodeDef
from tensorboard.compat.proto.step_stats_pb2 import DeviceStepStats, StepStats
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.compat.proto.versions_pb2 import VersionDef

from rushlight.core.object.tensor import Tensor
from rushlight.nn.modules.module import Module
from rushlight.overrides import TorchFunctionMode, resolve_name
from rushlight.utils._pytree import tree_leaves


class Recorder(TorchFunctionMode):
    """Notes each call that makes tensors: its name, in which module it was made, from what."""

    def __init__(self, model: Module):
        super().__init__()
        self.root = type(model).__name__
        self.paths = {
            module: f"{self.root}/{name.replace('.', '/')}".rstrip("/") for name, module in model.named_modules()
        }
        self.names = {id(each): f"{self.root}/{name.replace('.', '/')}" for name, each in model.named_parameters()}
        self.names |= {id(each): f"{self.root}/{name.replace('.', '/')}" for name, each in model.named_buffers()}
        self.used: set[str] = set()
        self.kept: list = [*model.parameters(), *model.buffers()]  # so that an id stays that of one tensor
        self.scopes: list[str] = [self.root]
        self.nodes: list[NodeDef] = []
        self.leaves = {id(each): each for each in self.kept}

    def __torch_function__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        result = func(*args, **(kwargs or {}))
        made = [each for each in tree_leaves(result) if isinstance(each, Tensor)]
        given = [each for each in tree_leaves((args, kwargs)) if isinstance(each, Tensor)]
        if made and given and getattr(func, "__name__", "") != "__get__":
            name = self.free(f"{self.scopes[-1]}/{short_name(func)}")
            self.nodes.append(node(name, f"aten::{short_name(func)}", [self.name_of(each) for each in given], made[0]))
            for each in made:
                self.names[id(each)] = name
            self.kept += made
        return result

    def name_of(self, tensor: Tensor) -> str:
        """The node behind a tensor; a parameter, or a tensor from nowhere, gets one when it is first read."""
        name = self.names.get(id(tensor))
        if name is None:
            name = self.names[id(tensor)] = self.free(f"{self.scopes[-1]}/constant")
            self.kept.append(tensor)
            self.nodes.append(node(name, "prim::Constant", [], tensor))
        elif self.leaves.pop(id(tensor), None) is not None:
            self.nodes.append(node(name, "Parameter", [], tensor))
        return name

    def free(self, name: str) -> str:
        """The name, with a number where it is taken."""
        chosen, count = name, 0
        while chosen in self.used:
            count += 1
            chosen = f"{name}_{count}"
        self.used.add(chosen)
        return chosen

    def enter(self, module: Module, args: Any) -> None:
        self.scopes.append(self.paths.get(module, f"{self.scopes[-1]}/{type(module).__name__}"))

    def leave(self, module: Module, args: Any, output: Any) -> None:
        self.scopes.pop()


def short_name(func: Any) -> str:
    """A function's name as people write it: `torch.nn.functional.relu` is relu, `Tensor.__add__` add."""
    name = str(resolve_name(func) or getattr(func, "__name__", "call")).rpartition(".")[2]
    return name.strip("_") or name


def node(name: str, kind: str, inputs: list[str], tensor: Tensor | None) -> NodeDef:
    """A box of the drawing, with the shape of what comes out of it."""
    attributes = {}
    if tensor is not None:
        shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=each) for each in tensor.shape])
        attributes["_output_shapes"] = AttrValue(list=AttrValue.ListValue(shape=[shape]))
        attributes["attr"] = AttrValue(s=f"{tensor.dtype}".encode())
    return NodeDef(name=name, op=kind, input=inputs, attr=attributes)


def graph(
    model: Module, args: Any, verbose: bool = False, use_strict_trace: bool = True
) -> tuple[GraphDef, RunMetadata]:
    """The graph of `model(*args)`: its inputs, parameters, calls and outputs, in boxes for its modules."""
    from rushlight.autograd import no_grad
    from rushlight.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook

    recorder = Recorder(model)
    arguments = args if isinstance(args, (tuple, list)) else (args,)
    for number, each in enumerate(each for each in tree_leaves(list(arguments)) if isinstance(each, Tensor)):
        recorder.names[id(each)] = name = f"input/input.{number}"
        recorder.nodes.append(node(name, "IO Node", [], each))
    handles = [register_module_forward_pre_hook(recorder.enter), register_module_forward_hook(recorder.leave)]
    was_training = model.training
    try:
        with no_grad(), recorder:
            output = model.eval()(*arguments)
    finally:
        model.train(was_training)
        for handle in handles:
            handle.remove()
    for number, each in enumerate(each for each in tree_leaves(output) if isinstance(each, Tensor)):
        source = recorder.names.get(id(each))
        recorder.nodes.append(node(f"output/output.{number}", "IO Node", [source] if source else [], each))
    drawn = GraphDef(node=recorder.nodes, versions=VersionDef(producer=22))
    if verbose:
        print(drawn)
    statistics = RunMetadata(step_stats=StepStats(dev_stats=[DeviceStepStats(device="/device:CPU:0")]))
    return drawn, statistics
