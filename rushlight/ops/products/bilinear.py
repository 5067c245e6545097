"""Bilinear forms: maps that are linear in each of two inputs."""

from __future__ import annotations

from rushlight.errors.explained import explained
from rushlight.errors.fixes import one_dtype
from rushlight.ops.machine.declare import composed
from rushlight.ops.machine.kinds import plain_name
from rushlight.ops.machine.samples import case, cases


@composed(
    aliases=["nn.functional.bilinear"],
    method=False,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), make.floats(3, 5), make.floats(2, 4, 5)),
            case(make.floats(3, 4), make.floats(3, 5), make.floats(2, 4, 5), make.floats(2)),
            case(make.floats(4), make.floats(5), make.floats(2, 4, 5)),
            case(make.floats(2, 3, 4), make.floats(2, 3, 5), make.floats(2, 4, 5), make.floats(2)),
            case(make.floats(0, 4), make.floats(0, 5), make.floats(2, 4, 5)),
            case(make.floats(3, 4), make.floats(3, 4), make.floats(2, 4, 5)),
            case(make.floats(3, 4), make.floats(2, 5), make.floats(2, 4, 5)),
        ]
    ),
)
def bilinear(input1, input2, weight, bias=None):
    """x1^T W_k x2 for each row and each output k: `(*, in1), (*, in2) -> (*, out)`, plus the bias.

    >>> weight = torch.tensor([[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [-1.0, 0.0]]])
    >>> F.bilinear(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]), weight)
    tensor([11., -2.])
    """
    given = {"input1": input1, "input2": input2, "weight": weight} | ({} if bias is None else {"bias": bias})
    if any(each._array.dtype != input1._array.dtype for each in given.values()):
        kinds = ", ".join(f"{name}: {plain_name(each._array)}" for name, each in given.items())
        words = f"All tensors must have the same dtype, got {kinds}"
        raise explained(RuntimeError, words, fix=one_dtype(*[each.dtype for each in given.values()]))
    outputs, first, second = weight.shape
    if input1.ndim != input2.ndim:
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {input1.ndim} and {input2.ndim}")
    for dim, (one, two) in enumerate(zip(input1.shape[:-1], input2.shape[:-1], strict=True)):
        if one != two:
            raise RuntimeError(f"bilinear(): input batch dimensions do not match at dim {dim}: got {one} and {two}")
    for name, input, size in (("input1", input1, first), ("input2", input2, second)):
        if input.shape[-1] != size:
            raise RuntimeError(
                f"bilinear(): {name} size does not match weight size: got {input.shape[-1]} but expected {size}"
            )
    if bias is not None and bias.ndim and len(bias) != outputs:
        raise RuntimeError(f"bilinear(): bias size does not match weight size: got {len(bias)} but expected {outputs}")
    # (rows, outputs, in2), then the product of each row of it with the second input
    half = input1.reshape(-1, first).mm(weight.transpose(0, 1).reshape(first, -1)).reshape(-1, outputs, second)
    found = half.matmul(input2.reshape(-1, second, 1)).reshape(*input1.shape[:-1], outputs)
    return found if bias is None else found + bias
