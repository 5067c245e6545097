"""Similarity: distances and angles between vectors, and vectors brought to length one."""

from __future__ import annotations

from rushlight.autograd.modes import no_grad
from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.rules import REAL
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.machine.transforms.words import OVER
from rushlight.ops.reductions.norms import norm, vector_norm
from rushlight.ops.shape.broadcasting import broadcast_tensors


def two_vectors(make):
    return [
        case(make.floats(3, 4), make.floats(3, 4)),
        case(make.floats(3, 4), make.floats(4)),
        case(make.floats(2, 3, 4), make.floats(2, 3, 4)),
        case(make.floats(4), make.floats(4)),
        case(make.floats(3, 4, dtype="float64"), make.floats(3, 4, dtype="float64")),
        case(make.floats(0, 4), make.floats(0, 4)),
        case(make.floats(3, 4), make.floats(3, 3)),
    ]


@composed(
    aliases=["nn.functional.cosine_similarity"],
    method=False,
    samples=cases(
        lambda make: [
            *[case(*each.args, dim=-1) for each in two_vectors(make)],
            case(make.floats(3, 4), make.floats(3, 4)),
            corner(make.floats(3, 4), make.floats(3, 4), 0, 3.0),
            corner(make.floats(2, 4) * 0, make.floats(2, 4)),
            case(make.ints(3, 4), make.ints(3, 4)),
            case(make.floats(3, 4), make.ints(3, 4)),
        ]
    ),
)
def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    """Cosine of the angle between vectors along `dim`; lengths below `eps` count as `eps`.

    >>> F.cosine_similarity(torch.tensor([[1.0, 0.0], [1.0, 2.0]]), torch.tensor([[1.0, 1.0], [-2.0, -4.0]]))
    tensor([ 0.7071, -1.0000])
    """
    if not (x1.dtype.differentiable or x2.dtype.differentiable) or x1.dtype.is_complex or x2.dtype.is_complex:
        raise RuntimeError(
            f"expected common dtype to be floating point, yet common dtype is {x1.dtype.scalar}: convert them, for "
            "example with .float()"
        )
    first, second = broadcast_tensors(as_floats(x1, x2), as_floats(x2, x1))
    return (unit(first, dim, eps) * unit(second, dim, eps)).sum(dim)


def as_floats(tensor, other):
    return tensor if tensor.dtype.differentiable else tensor.to(other.dtype)


def unit(vectors, dim, eps):
    length = vector_norm(vectors, 2, dim, True).clone()
    with no_grad():
        length.clamp_min_(eps)  # as in torch the gradient does not see this
    return vectors / length


# the same function under the node that torch shows for a distance
length = op(dtype=REAL, batch=OVER, name="_length", node="NormBackward1", samples=None)(vector_norm.op.body)
length.gradient(**vector_norm.op.gradients)


@composed(
    aliases=["nn.functional.pairwise_distance"],
    method=False,
    samples=cases(
        lambda make: [
            *two_vectors(make),
            case(make.floats(3, 4), make.floats(3, 4), 1.0, 0.0, True),
            case(make.floats(3, 4), make.floats(3, 4), p=3.0),
            case(make.floats(3, 4), make.floats(3, 4), float("inf")),
        ]
    ),
)
def pairwise_distance(x1, x2, p=2.0, eps=1e-06, keepdim=False):
    """Length of the differences between vectors along the last dimension; `eps` is added to each difference.

    >>> F.pairwise_distance(torch.tensor([[0.0, 0.0], [1.0, 1.0]]), torch.tensor([[3.0, 4.0], [1.0, 3.0]]))
    tensor([5.0000, 2.0000])
    """
    for name, given in (("x1", x1), ("x2", x2)):
        if not isinstance(given, Tensor):
            place = 1 if name == "x1" else 2
            raise TypeError(
                f"pairwise_distance(): argument '{name}' (position {place}) must be Tensor, not {type(given).__name__}"
            )
    return length(x1 - x2 + eps, p, -1, keepdim)


@composed(
    name="nn.functional.normalize",
    samples=cases(
        lambda make: [
            case(make.floats(3, 4)),
            case(make.floats(3, 4), 1.0, 0),
            case(make.floats(2, 3, 4), dim=(0, 2)),
            case(make.floats(2, 4) * 0),
            case(make.floats(4), dim=0, eps=5.0),
            case(make.complexes(3, 4)),
            case(make.floats(4)),
            case(make.ints(3, 4)),
        ]
    ),
)
def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    """Vectors along `dim` divided by their length, which counts as `eps` where it is below that.

    >>> F.normalize(torch.tensor([[3.0, 4.0], [0.0, 0.0]]))
    tensor([[0.6000, 0.8000],
            [0.0000, 0.0000]])
    """
    length = norm(input, p, dim, True).clamp_min(eps).expand_as(input)
    if out is None:
        return input / length
    from rushlight.ops.pointwise.division import div

    return div(input, length, out=out)
