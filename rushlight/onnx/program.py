"""torch.onnx.ONNXProgram: a network as an ONNX model, to be saved or run."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.onnx.errors import OnnxExporterError, OnnxExporterWarning
from rushlight.serialization.replacing import replaced

# a file of ONNX is a message of protocol buffers, which has two gigabytes at most
LARGEST = 1_800_000_000


def tensors_of(tree: Any) -> Iterator[Tensor]:
    if isinstance(tree, Tensor):
        yield tree
    elif isinstance(tree, (list, tuple)):
        for each in tree:
            yield from tensors_of(each)
    elif isinstance(tree, dict):
        yield from tensors_of(list(tree.values()))


class ONNXProgram:
    """A network in ONNX's form; calling it runs it in ONNX Runtime."""

    def __init__(self, model: Any, exported_program: Any = None):
        self.model = model
        self.exported_program = exported_program
        self._inference_session: Any = None

    @property
    def model_proto(self) -> Any:
        """The model, an `onnx.ModelProto`."""
        return self.model

    def __repr__(self) -> str:
        from onnx import printer

        return f"ONNXProgram(\n{printer.to_text(self.model)}\n)"

    def __call__(self, *args: Any, **kwargs: Any) -> Sequence[Tensor]:
        """Run the network in ONNX Runtime, with the arguments that it was exported with."""
        if self._inference_session is None:
            self.initialize_inference_session()
        return wrapped(self._inference_session.run(None, self.named(args, kwargs)))

    def call_reference(self, *args: Any, **kwargs: Any) -> Sequence[Tensor]:
        """Run the network in the reference evaluator of the onnx package."""
        from onnx.reference import ReferenceEvaluator

        return wrapped(ReferenceEvaluator(self.model).run(None, self.named(args, kwargs)))

    def named(self, args: tuple, kwargs: dict[str, Any]) -> dict[str, np.ndarray]:
        weights = {each.name for each in self.model.graph.initializer}
        names = [each.name for each in self.model.graph.input if each.name not in weights]
        arrays = [np.array(each.detach().numpy(), order="C") for each in tensors_of([args, kwargs])]
        return dict(zip(names, arrays, strict=True))

    def initialize_inference_session(self, initializer: Any = None) -> None:
        """Make the session of ONNX Runtime that calls use; `initializer` makes it from the bytes of the file."""
        content = self.model.SerializeToString()
        self._inference_session = session(content) if initializer is None else initializer(content)

    def release(self) -> None:
        """Let go of the session."""
        self._inference_session = None

    def optimize(self) -> None:
        """Nothing: constants are folded, and nodes that nobody needs left out, when the model is made."""

    def apply_weights(self, state_dict: dict[str, Tensor]) -> None:
        """Take other weights, by their names."""
        from onnx import numpy_helper

        from rushlight.errors.warning import warn

        known = {each.name: each for each in self.model.graph.initializer}
        for name, tensor in state_dict.items():
            if name in known:
                known[name].CopyFrom(numpy_helper.from_array(np.array(tensor.detach().numpy(), order="C"), name))
            else:
                warn(f"Weight '{name}' not found in the model. Skipped applying.", OnnxExporterWarning)
        self.release()

    def save(
        self,
        destination: str | os.PathLike | io.BytesIO,
        *,
        include_initializers: bool = True,
        keep_initializers_as_inputs: bool = False,
        external_data: bool | None = None,
    ) -> None:
        """Write the file, at once and whole; weights stand in it, or beside it with `external_data=True`."""
        model = self.adjusted(include_initializers, keep_initializers_as_inputs)
        if isinstance(destination, io.BytesIO):
            destination.write(model.SerializeToString())
            return
        path = os.fspath(destination)
        if external_data or model.ByteSize() > LARGEST:
            save_beside(model, path)
            return
        with replaced(path) as file:
            file.write(model.SerializeToString())

    def adjusted(self, include_initializers: bool, keep_initializers_as_inputs: bool) -> Any:
        """The model as it is to be written: without weights, or with weights that can be given as inputs."""
        if include_initializers and not keep_initializers_as_inputs:
            return self.model
        from onnx import ModelProto, helper

        model = ModelProto()
        model.CopyFrom(self.model)
        if keep_initializers_as_inputs:
            for each in model.graph.initializer:
                model.graph.input.append(helper.make_tensor_value_info(each.name, each.data_type, each.dims))
        if not include_initializers:
            del model.graph.initializer[:]
        return model


def session(content: bytes) -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        words = 'running an exported network needs ONNX Runtime: pip install "rushlight[onnx]"'
        raise OnnxExporterError(words) from error
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def wrapped(arrays: Iterable[Any]) -> tuple[Tensor, ...]:
    from rushlight import from_numpy

    return tuple(from_numpy(np.array(each)) for each in arrays)


def save_beside(model: Any, path: str) -> None:
    """The weights in a file of their own, `<path>.data`; it is there before the file that names it."""
    from onnx import ModelProto
    from onnx.external_data_helper import set_external_data

    copy = ModelProto()
    copy.CopyFrom(model)
    offset = 0
    with replaced(f"{path}.data") as file:
        for each in copy.graph.initializer:
            content = each.raw_data
            set_external_data(each, os.path.basename(path) + ".data", offset, len(content))
            each.ClearField("raw_data")
            file.write(content)
            offset += len(content)
    with replaced(path) as file:
        file.write(copy.SerializeToString())
