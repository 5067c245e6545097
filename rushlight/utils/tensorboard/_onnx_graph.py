"""Graphs of ONNX files, as TensorBoard draws them."""

from __future__ import annotations

from typing import Any

from tensorboard.compat.proto.attr_value_pb2 import AttrValue
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.compat.proto.node_def_pb2 import NodeDef
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.compat.proto.versions_pb2 import VersionDef


def load_onnx_graph(path: Any) -> GraphDef:
    """The graph in an ONNX file; needs the onnx package."""
    try:
        import onnx
    except ImportError as error:
        raise ImportError("add_onnx_graph reads the file with the onnx package: pip install onnx") from error
    return parse(onnx.load(path).graph)


def parse(graph: Any) -> GraphDef:
    """A box for each input and output, and one for each operation."""
    ends = [
        NodeDef(name=each.name, op="Variable", input=[], attr=shape_of(each)) for each in (*graph.input, *graph.output)
    ]
    makers = {name: unique(node, number) for number, node in enumerate(graph.node) for name in node.output}
    boxes = [
        NodeDef(
            name=unique(node, number),
            op=node.op_type,
            input=[makers.get(each, each) for each in node.input],
            attr={"parameters": AttrValue(s=", ".join(str(each) for each in node.attribute).encode())},
        )
        for number, node in enumerate(graph.node)
    ]
    return GraphDef(node=[*ends, *boxes], versions=VersionDef(producer=22))


def unique(node: Any, number: int) -> str:
    return node.name or f"{node.op_type}_{number}"


def shape_of(value: Any) -> dict[str, AttrValue]:
    dims = [TensorShapeProto.Dim(size=each.dim_value) for each in value.type.tensor_type.shape.dim]
    shapes = AttrValue.ListValue(shape=[TensorShapeProto(dim=dims)])
    return {"_output_shapes": AttrValue(list=shapes)}
