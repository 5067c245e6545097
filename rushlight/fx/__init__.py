"""torch.fx: a module's forward recorded as a graph of calls, which can be read, changed and run as Python code.

traced = torch.fx.symbolic_trace(module)
print(traced.graph)
print(traced.code)
"""

from rushlight.core.surface.lazy import names_of
from rushlight.fx._symbolic_trace import PH, ProxyableClassMeta, Tracer, symbolic_trace, wrap
from rushlight.fx.graph import CodeGen, Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.interpreter import Interpreter, Transformer
from rushlight.fx.node import Node, has_side_effect, map_arg
from rushlight.fx.proxy import Proxy
from rushlight.fx.subgraph_rewriter import replace_pattern

__all__ = [
    "PH",
    "CodeGen",
    "Graph",
    "GraphModule",
    "Interpreter",
    "Node",
    "Proxy",
    "ProxyableClassMeta",
    "Tracer",
    "Transformer",
    "has_side_effect",
    "map_arg",
    "replace_pattern",
    "symbolic_trace",
    "wrap",
]

__getattr__ = names_of(
    "rushlight.fx", ("_compatibility", "experimental", "operator_schemas", "passes", "tensor_type", "traceback")
)
