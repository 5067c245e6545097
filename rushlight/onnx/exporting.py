"""torch.onnx.export: run the network, lay the runs on each other, translate the calls, write the file."""

from __future__ import annotations

import inspect
import io
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.errors.explained import explained
from rushlight.errors.warning import warn
from rushlight.onnx.dynamic import Axes, from_dynamic_axes, from_dynamic_shapes
from rushlight.onnx.errors import OnnxExporterError, refuse
from rushlight.onnx.graph import Edge, Graph
from rushlight.onnx.program import ONNXProgram, tensors_of
from rushlight.onnx.recording import Call, Recorder
from rushlight.onnx.sizes import Merged, Merging, Size, Sizes
from rushlight.onnx.tables import TABLE

DEFAULT_OPSET = 20
OLDEST_OPSET = 14


class Exporting:
    """Whether a network is being exported right now."""

    is_on = False


def export(
    model: Any,
    args: tuple[Any, ...] = (),
    f: str | os.PathLike | io.BytesIO | None = None,
    *,
    kwargs: dict[str, Any] | None = None,
    verbose: bool | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    opset_version: int | None = None,
    dynamo: bool = True,
    external_data: bool = True,
    dynamic_shapes: dict[str, Any] | tuple[Any, ...] | list[Any] | None = None,
    custom_translation_table: dict[Callable, Callable] | None = None,
    report: bool = False,
    optimize: bool = True,
    verify: bool = False,
    profile: bool = False,
    dump_exported_program: bool = False,
    artifacts_dir: str | os.PathLike = ".",
    export_params: bool = True,
    keep_initializers_as_inputs: bool = False,
    dynamic_axes: Mapping[str, Mapping[int, str]] | Mapping[str, Sequence[int]] | None = None,
    training: Any = None,
    operator_export_type: Any = None,
    do_constant_folding: bool = True,
    custom_opsets: Mapping[str, int] | None = None,
    export_modules_as_functions: Any = False,
    autograd_inlining: bool = True,
) -> ONNXProgram | None:
    """Write a network as an ONNX file, which other programs run without Python.

    The network runs on the example arguments, and its calls are translated one by one; parameters keep the names of the
    state_dict. Axes named in `dynamic_shapes` may have other sizes later. With `dynamo=False` nothing is returned.
    """
    require_onnx()
    if custom_translation_table or custom_opsets:
        raise OnnxExporterError("custom translations are not in Rushlight: write the network with operations of torch")
    if not dynamo and dynamic_shapes:
        raise ValueError("The exporter only supports dynamic shapes through parameter dynamic_axes when dynamo=False.")
    if isinstance(args, Tensor):
        args = (args,)
    if not kwargs and args and isinstance(args[-1], dict):
        args, kwargs = args[:-1], args[-1]
    request = Request(model, tuple(args), dict(kwargs or {}), input_names)
    request.choose_axes(dynamic_shapes, dynamic_axes)
    opset = DEFAULT_OPSET if opset_version is None else check_opset(opset_version)
    program = ONNXProgram(written(request, opset, output_names, wants_training(model, training, dynamo)))
    if verify:
        compare(program, request)
    if f is not None:
        beside = external_data and dynamo and not isinstance(f, io.BytesIO) and program.model.ByteSize() > 1 << 30
        options: dict[str, Any] = {"keep_initializers_as_inputs": keep_initializers_as_inputs, "external_data": beside}
        program.save(f, include_initializers=export_params, **options)
    return program if dynamo else None


def require_onnx() -> None:
    try:
        import onnx  # noqa: F401
    except ImportError as error:
        words = "torch.onnx.export needs the onnx package"
        raise explained(ModuleNotFoundError, words, fix='pip install "rushlight[onnx]"') from error


def check_opset(version: int) -> int:
    from onnx import defs

    newest = defs.onnx_opset_version()
    if not OLDEST_OPSET <= version <= newest:
        raise ValueError(f"opset_version is {version}: Rushlight writes versions {OLDEST_OPSET} to {newest}")
    return version


def wants_training(model: Any, training: Any, dynamo: bool) -> bool | None:
    """The mode that the network is to run in: with `dynamo=False` that of `training`, else as it is, with a warning."""
    if not dynamo:
        name = getattr(training, "name", "EVAL")
        return None if name == "PRESERVE" else name == "TRAINING"
    if getattr(model, "training", False):
        warn(
            "Exporting a model while it is in training mode. Please ensure that this is intended, as it may lead to "
            "different behavior during inference. Calling model.eval() before export is recommended."
        )
    return None


class Request:
    """What is to be exported: a network, example arguments and the axes that may change."""

    def __init__(self, model: Any, args: tuple, kwargs: dict[str, Any], input_names: Sequence[str] | None):
        # a tensor that is given twice is two inputs
        self.model, self.args, self.kwargs = model, distinct(args), distinct(kwargs)
        self.arguments = self.by_name()
        self.tensors = list(tensors_of(list(self.arguments.values())))
        self.names = list(self.default_names())
        for place, name in enumerate(input_names or ()):
            if place < len(self.names):
                self.names[place] = name
        self.axes: Axes = [{} for _ in self.tensors]

    def by_name(self) -> dict[str, Any]:
        """The arguments in their order, under the names of the parameters."""
        try:
            bound = inspect.signature(getattr(self.model, "forward", self.model)).bind(*self.args, **self.kwargs)
        except (TypeError, ValueError):
            return {**{f"input_{place}": each for place, each in enumerate(self.args)}, **self.kwargs}
        found: dict[str, Any] = {}
        for name, value in bound.arguments.items():
            kind = bound.signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_POSITIONAL:
                found.update({f"{name}_{place}": each for place, each in enumerate(value)})
            elif kind is inspect.Parameter.VAR_KEYWORD:
                found.update(value)
            else:
                found[name] = value
        return found

    def default_names(self) -> Iterator[str]:
        for name, value in self.arguments.items():
            inside = list(tensors_of(value))
            if isinstance(value, Tensor):
                yield name
            else:
                yield from (f"{name}_{place}" for place in range(len(inside)))

    def choose_axes(self, dynamic_shapes: Any, dynamic_axes: Any) -> None:
        if dynamic_shapes is not None:
            self.axes = from_dynamic_shapes(dynamic_shapes, self.arguments)
        elif dynamic_axes is not None:
            self.axes = from_dynamic_axes(dynamic_axes, list(zip(self.names, self.tensors, strict=True)))

    def run(self, inputs: dict[int, Tensor]) -> Any:
        """The network on other tensors in place of the example's."""

        def change(tensor: Tensor) -> Tensor:
            return inputs.get(id(tensor), tensor)

        return self.model(*exchanged(self.args, change), **exchanged(self.kwargs, change))

    def sizes(self) -> Sizes:
        base: dict[str, int] = {}
        for axes, tensor, name in zip(self.axes, self.tensors, self.names, strict=True):
            for axis, symbol in axes.items():
                if base.setdefault(symbol, tensor.size(axis)) != tensor.size(axis):
                    words = f"the axis '{symbol}' has two sizes in the example inputs, one of them in '{name}'"
                    raise explained(OnnxExporterError, words, fix="give axes of different sizes different names")
        if len(base) > 4:
            raise OnnxExporterError(f"{len(base)} sizes that may change are too many: at most 4 names of axes")
        return Sizes(base)

    def inputs(self, sizes: dict[str, int], turn: bool) -> dict[int, Tensor]:
        """The example tensors, by identity, at other sizes: repeated, and turned around so that the numbers differ."""
        return {
            id(tensor): resized(tensor, {axis: sizes[name] for axis, name in axes.items()}, turn)
            for tensor, axes in zip(self.tensors, self.axes, strict=True)
        }


def resized(tensor: Tensor, wanted: dict[int, int], turn: bool) -> Tensor:
    from rushlight import from_numpy

    array = tensor.detach().numpy()
    for axis, size in wanted.items():
        array = array.take(np.arange(size) % array.shape[axis], axis)
    return from_numpy(np.array(np.flip(array) if turn else array))


def exchanged(tree: Any, change: Callable[[Tensor], Tensor]) -> Any:
    """Arguments with other tensors in their places."""
    if isinstance(tree, Tensor):
        return change(tree)
    if isinstance(tree, (list, tuple)):
        inside = [exchanged(each, change) for each in tree]
        return type(tree)(*inside) if hasattr(tree, "_fields") else type(tree)(inside)
    if isinstance(tree, dict):
        return {name: exchanged(each, change) for name, each in tree.items()}
    return tree


def distinct(tree: Any) -> Any:
    return exchanged(tree, lambda tensor: tensor.detach())


@contextmanager
def kept(model: Any, training: bool | None) -> Iterator[None]:
    """The network runs in a mode; its buffers, its modes and the random stream are afterwards as before."""
    from rushlight.random import get_rng_state, set_rng_state

    modules = list(model.modules()) if hasattr(model, "modules") else []
    modes = [each.training for each in modules]
    buffers = [dict(each._buffers) for each in modules]
    contents = [(each, each.detach().clone()) for own in buffers for each in own.values() if each is not None]
    stream = get_rng_state()
    if training is not None and modules:
        model.train(training)
    Exporting.is_on = True
    try:
        yield
    finally:
        Exporting.is_on = False
        set_rng_state(stream)
        for module, mode, own in zip(modules, modes, buffers, strict=True):
            module.training = mode
            module._buffers.update(own)
        for buffer, before in contents:
            if not np.array_equal(buffer._array, before._array):
                buffer.detach().copy_(before)


def record(request: Request, sizes: Sizes, training: bool | None) -> tuple[list[Recorder], list[Any]]:
    """The runs at all sizes, and what each gave."""
    from rushlight import no_grad

    model = request.model
    names: dict[int, str] = {}
    if hasattr(model, "named_parameters"):
        for name, tensor in [*model.named_parameters(), *model.named_buffers()]:
            names.setdefault(id(tensor), name)
    recorders, outputs = [], []
    for turn, each in enumerate(sizes.runs):
        inputs = request.inputs(each, turn > 0)
        recorder = Recorder(names, TABLE)
        recorder.inputs = [recorder.take_input(inputs[id(tensor)]) for tensor in request.tensors]
        with kept(model, training), no_grad(), recorder:
            try:
                found = request.run(inputs)
            except Exception as error:
                if turn == 0 or isinstance(error, OnnxExporterError):
                    raise
                words = f"the network does not run at the sizes {each}: {error}"
                fix = "give axes that must have one size one name, and leave out those that cannot change"
                raise explained(OnnxExporterError, words, fix=fix) from error
        recorders.append(recorder)
        outputs.append([recorder.value_of(tensor) for tensor in tensors_of(found)])
    return recorders, outputs


def written(request: Request, opset: int, output_names: Sequence[str] | None, training: bool | None) -> Any:
    """The model: runs, laid on each other and translated."""
    sizes = request.sizes()
    recorders, outputs = record(request, sizes, training)
    merging = Merging(sizes)
    inputs = [merging.value(each, None) for each in zip(*[one.inputs for one in recorders], strict=True)]
    calls = merging.calls([one.calls for one in recorders])
    results = [merging.value(each, None) for each in zip(*outputs, strict=True)]
    writer = Writer(opset, request, inputs, output_names or ())
    for call in calls:
        writer.translate(call)
    return writer.model(results, output_names)


class Writer:
    """Translates calls into a graph."""

    def __init__(self, opset: int, request: Request, inputs: Sequence[Merged], output_names: Sequence[str]):
        self.graph = Graph(opset, [*request.names, *output_names])
        self.edges: dict[int, Edge] = {}
        self.inputs = []
        for name, value, axes in zip(request.names, inputs, request.axes, strict=True):
            shape = [
                Size({frozenset([axes[axis]]): 1}) if axis in axes else each for axis, each in enumerate(value.shape)
            ]
            edge = self.edges[id(value)] = Edge(name, value.dtype, shape)
            self.inputs.append(edge)
            for axis, symbol in axes.items():
                self.graph.sources.setdefault(symbol, (edge, axis))

    def edge(self, value: Merged) -> Edge:
        """The edge of a value; parameters and constants become initializers."""
        found = self.edges.get(id(value))
        if found is None:
            if value.kind == "parameter":
                found = self.graph.initializer(value.name, value.array)
            elif value.is_constant:
                found = self.graph.constant(value.array, value.dtype)
            else:
                fix = "compute it from the network's inputs with operations of torch"
                refuse("a tensor that is not computed by the network changes with its inputs", value.place, fix)
            found = self.edges[id(value)] = Edge(found.name, found.dtype, list(value.shape))
        return found

    def tree(self, given: Any) -> Any:
        if isinstance(given, Merged):
            return self.edge(given)
        if isinstance(given, (list, tuple)):
            return type(given)(self.tree(each) for each in given)
        if isinstance(given, dict):
            return {name: self.tree(each) for name, each in given.items()}
        return given

    def translate(self, call: Call) -> None:
        results: Any = call.results
        if not call.live and all(each.is_constant for each in results):
            # whatever uses them finds constants
            return
        graph = self.graph
        graph.results, graph.name, graph.place = results, call.name, call.place
        try:
            made = TABLE[call.name](graph, *self.tree(call.args), **self.tree(call.kwargs))
        except (TypeError, ValueError, LookupError, ZeroDivisionError) as error:
            fix = "write the call with the arguments of its first form in torch's reference"
            refuse(f"'{call.name}' is not exported with these arguments: {error}", call.place, fix)
        several = [made] if isinstance(made, Edge) else list(made or ())
        for value, edge in zip(results, several, strict=False):
            edge = graph.cast(edge, value.dtype)
            self.edges[id(value)] = Edge(edge.name, edge.dtype, list(value.shape))

    def model(self, results: Sequence[Merged], output_names: Sequence[str] | None) -> Any:
        from onnx import checker, helper

        graph = self.graph
        names = list(output_names or ())
        plain = ["output"] if len(results) == 1 else [f"output_{place}" for place in range(len(results))]
        names += [graph.fresh(each) for each in plain[len(names) :]]
        outputs = []
        for name, value in zip(names, results, strict=False):
            edge = self.edge(value)
            graph.nodes.append(helper.make_node("Identity", [edge.name], [name], name=f"{name}_identity"))
            outputs.append(Edge(name, value.dtype, list(value.shape)))
        nodes = graph.pruned([each.name for each in outputs])
        weights = [initializer(name, array) for name, array in graph.initializers.items()]
        made = helper.make_graph(
            nodes, "main_graph", [info(each) for each in self.inputs], [info(each) for each in outputs], weights
        )
        opsets = [helper.make_opsetid("", graph.opset)]
        found = helper.make_model(
            made, opset_imports=opsets, producer_name="rushlight", ir_version=10 if graph.opset <= 21 else None
        )
        if found.ByteSize() < 1 << 30:
            checker.check_model(found)
        return found


def initializer(name: str, array: np.ndarray) -> Any:
    from onnx import numpy_helper

    return numpy_helper.from_array(np.array(array, order="C"), name)


def info(edge: Edge) -> Any:
    """The type of an input or output: a size that changes has a name."""
    from onnx import helper

    shape = [str(each) if isinstance(each, Size) else each for each in edge.shape or ()]
    return helper.make_tensor_value_info(edge.name, helper.np_dtype_to_tensor_dtype(edge.dtype), shape)


def compare(program: ONNXProgram, request: Request) -> None:
    """Run the file and the network on the example, and refuse where they differ."""
    from rushlight import no_grad

    with no_grad():
        expected = list(tensors_of(request.run({})))
    found = program(*request.tensors)
    for place, (one, two) in enumerate(zip(expected, found, strict=True)):
        if not np.allclose(one.detach().numpy(), two.numpy(), rtol=1e-3, atol=1e-5, equal_nan=True):
            raise OnnxExporterError(f"output {place} of the exported network differs from that of the network itself")
