"""Pointwise calls: arithmetic, comparison, choice, conversion."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.onnx.graph import BOOL, Edge, Graph
from rushlight.onnx.tables.table import common_dtype, numpy_dtype, unsupported, writes

UNARY = dict(
    zip(
        """exp log sqrt neg abs floor ceil round sin cos tan asin acos atan sinh cosh asinh acosh atanh erf reciprocal
        sign tanh sigmoid negative absolute arcsin arccos arctan arcsinh arccosh arctanh sgn expit""".split(),
        """Exp Log Sqrt Neg Abs Floor Ceil Round Sin Cos Tan Asin Acos Atan Sinh Cosh Asinh Acosh Atanh Erf Reciprocal
        Sign Tanh Sigmoid Neg Abs Asin Acos Atan Asinh Acosh Atanh Sign Sigmoid""".split(),
        strict=True,
    )
)
# of whole numbers they are the number itself
WHOLE = {"floor", "ceil", "round", "trunc"}
ARITHMETIC = {"mul": "Mul", "multiply": "Mul", "maximum": "Max", "minimum": "Min"}
COMPARING = {"eq": "Equal", "lt": "Less", "le": "LessOrEqual", "gt": "Greater", "ge": "GreaterOrEqual"}
COMPARING |= dict(zip("less less_equal greater greater_equal".split(), list(COMPARING.values())[1:], strict=True))
COMPARING |= dict.fromkeys(("ne", "not_equal"), "Equal")
LOGICAL = dict(
    zip(
        "logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor".split(),
        "And Or Xor And Or Xor".split(),
        strict=True,
    )
)
CONVERTING = "float double half bfloat16 long int short char byte bool to type_as cpu contiguous clone detach data real"


@writes(" ".join(UNARY))
def unary(graph: Graph, input: Edge, *, decimals: int = 0) -> Edge:
    if decimals:
        unsupported(graph, "decimals", "multiply, round and divide")
    if input.dtype.kind in "iub" and graph.name in WHOLE:
        return input
    return graph.add(UNARY[graph.name], graph.cast(input, graph.result.dtype))


@writes(" ".join(ARITHMETIC))
def arithmetic(graph: Graph, input: Any, other: Any) -> Edge:
    dtype = graph.result.dtype
    if dtype == BOOL:
        return graph.add(
            {"Mul": "And", "Max": "Or", "Min": "And"}[ARITHMETIC[graph.name]],
            graph.tensor(input, BOOL),
            graph.tensor(other, BOOL),
        )
    return graph.add(ARITHMETIC[graph.name], graph.tensor(input, dtype), graph.tensor(other, dtype))


@writes("add sub subtract rsub")
def sums(graph: Graph, input: Any, other: Any, *, alpha: Any = 1) -> Edge:
    dtype = graph.result.dtype
    left, right = graph.tensor(input, dtype), graph.tensor(other, dtype)
    if dtype == BOOL:
        return graph.add("Or", left, right)
    if graph.name == "rsub":
        left, right = right, left
        if alpha != 1:
            right = graph.add("Mul", right, graph.tensor(alpha, dtype))
    elif alpha != 1:
        right = graph.add("Mul", right, graph.tensor(alpha, dtype))
    return graph.add("Add" if graph.name == "add" else "Sub", left, right)


@writes("div divide true_divide floor_divide")
def div(graph: Graph, input: Any, other: Any, *, rounding_mode: str | None = None) -> Edge:
    dtype = graph.result.dtype
    rounding = "floor" if graph.name == "floor_divide" else rounding_mode
    if rounding is not None and dtype.kind in "iu":
        # whole numbers are cut towards zero by Div; doubles hold what sizes and indices are
        found = graph.add("Div", graph.tensor(input, np.float64), graph.tensor(other, np.float64))
        return graph.cast(graph.add("Floor", found) if rounding == "floor" else found, dtype)
    found = graph.add("Div", graph.tensor(input, dtype), graph.tensor(other, dtype))
    if rounding == "trunc":
        return graph.add("Mul", graph.add("Sign", found), graph.add("Floor", graph.add("Abs", found)))
    return graph.add("Floor", found) if rounding == "floor" else found


@writes("remainder fmod")
def remainder(graph: Graph, input: Any, other: Any) -> Edge:
    dtype = graph.result.dtype
    left, right = graph.tensor(input, dtype), graph.tensor(other, dtype)
    if graph.name == "fmod" or dtype.kind in "iu":
        return graph.add("Mod", left, right, fmod=int(graph.name == "fmod"))
    return graph.add("Sub", left, graph.add("Mul", graph.add("Floor", graph.add("Div", left, right)), right))


@writes("pow float_power")
def power(graph: Graph, input: Any, exponent: Any) -> Edge:
    dtype = graph.result.dtype
    if exponent == 2:
        left = graph.tensor(input, dtype)
        return graph.add("Mul", left, left)
    return graph.add("Pow", graph.tensor(input, dtype), graph.tensor(exponent, dtype))


@writes("square rsqrt log2 log10 log1p expm1 exp2 trunc frac erfc")
def composed(graph: Graph, input: Edge) -> Edge:
    dtype = graph.result.dtype
    value = graph.cast(input, dtype)
    if dtype.kind in "iu" and graph.name == "trunc":
        return value

    def number(value: float) -> Edge:
        return graph.constant(value, dtype)

    if graph.name == "square":
        return graph.add("Mul", value, value)
    if graph.name == "rsqrt":
        return graph.add("Reciprocal", graph.add("Sqrt", value))
    if graph.name in ("log2", "log10"):
        return graph.add("Div", graph.add("Log", value), number(np.log(2 if graph.name == "log2" else 10)))
    if graph.name == "log1p":
        return graph.add("Log", graph.add("Add", value, number(1)))
    if graph.name == "expm1":
        return graph.add("Sub", graph.add("Exp", value), number(1))
    if graph.name == "erfc":
        return graph.add("Sub", number(1), graph.add("Erf", value))
    if graph.name == "exp2":
        return graph.add("Pow", number(2), value)
    whole = graph.add("Mul", graph.add("Sign", value), graph.add("Floor", graph.add("Abs", value)))
    return whole if graph.name == "trunc" else graph.add("Sub", value, whole)


@writes(" ".join(COMPARING))
def comparing(graph: Graph, input: Any, other: Any) -> Edge:
    dtype = common_dtype(input, other)
    if dtype == BOOL and COMPARING[graph.name] != "Equal":
        dtype = np.dtype(np.int32)
    found = graph.add(COMPARING[graph.name], graph.tensor(input, dtype), graph.tensor(other, dtype), dtype=BOOL)
    return graph.add("Not", found) if graph.name in ("ne", "not_equal") else found


@writes(" ".join(LOGICAL))
def logical(graph: Graph, input: Any, other: Any) -> Edge:
    if graph.result.dtype != BOOL:
        unsupported(graph, "whole numbers", "combine tensors of truth values")
    return graph.add(LOGICAL[graph.name], graph.tensor(input, BOOL), graph.tensor(other, BOOL))


@writes("logical_not bitwise_not")
def negation(graph: Graph, input: Edge) -> Edge:
    if graph.result.dtype != BOOL:
        unsupported(graph, "whole numbers", "negate tensors of truth values")
    return graph.add("Not", graph.cast(input, BOOL))


@writes("isnan isinf isfinite")
def finite(graph: Graph, input: Edge) -> Edge:
    if input.dtype.kind not in "fV":
        input = graph.cast(input, np.float32)
    if graph.name != "isfinite":
        return graph.add("IsNaN" if graph.name == "isnan" else "IsInf", input, dtype=BOOL)
    # infinite and not-a-number alike give no zero
    return graph.add("Equal", graph.add("Sub", input, input), graph.constant(0, input.dtype), dtype=BOOL)


@writes("where")
def where(graph: Graph, condition: Edge, input: Any, other: Any) -> Edge:
    dtype = graph.result.dtype
    return graph.where(graph.cast(condition, BOOL), graph.tensor(input, dtype), graph.tensor(other, dtype))


@writes("masked_fill")
def masked_fill(graph: Graph, input: Edge, mask: Edge, value: Any) -> Edge:
    dtype = graph.result.dtype
    return graph.where(graph.cast(mask, BOOL), graph.tensor(value, dtype), graph.cast(input, dtype))


@writes("clamp clip clamp_min clamp_max")
def clamp(graph: Graph, input: Edge, min: Any = None, max: Any = None) -> Edge:
    dtype = graph.result.dtype
    if graph.name == "clamp_max":
        min, max = max, min
    found = graph.cast(input, dtype)
    if min is not None:
        found = graph.add("Max", found, graph.tensor(min, dtype))
    return found if max is None else graph.add("Min", found, graph.tensor(max, dtype))


@writes("lerp")
def lerp(graph: Graph, input: Edge, end: Edge, weight: Any) -> Edge:
    step = graph.add("Mul", graph.add("Sub", end, input), graph.tensor(weight, input.dtype))
    return graph.add("Add", input, step)


@writes("addcmul addcdiv")
def added_product(graph: Graph, input: Edge, tensor1: Edge, tensor2: Edge, *, value: Any = 1) -> Edge:
    dtype = graph.result.dtype
    found = graph.add(
        "Mul" if graph.name == "addcmul" else "Div", graph.cast(tensor1, dtype), graph.cast(tensor2, dtype)
    )
    return graph.add("Add", graph.cast(input, dtype), graph.add("Mul", found, graph.tensor(value, dtype)))


@writes(CONVERTING)
def converting(graph: Graph, input: Edge, *options: Any, **more: Any) -> Edge:
    dtype = graph.result.dtype
    if dtype == BOOL and input.dtype != BOOL:
        equal = graph.add("Equal", input, graph.constant(0, input.dtype), dtype=BOOL)
        return graph.add("Not", equal)
    if graph.name == "type" and not options:
        return graph.cast(input, numpy_dtype(None))
    return graph.cast(input, dtype)


@writes("dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout feature_dropout")
def dropout(
    graph: Graph, input: Edge, p: float = 0.5, training: bool = True, inplace: bool = False, train: bool = False
) -> Edge:
    if not training or not p:
        return input
    if graph.name != "dropout":
        unsupported(graph, "training=True", "call model.eval() before the export")
    ratio, on = graph.constant(p, input.dtype), graph.constant(True, BOOL)
    return graph.add("Dropout", input, ratio, on)
