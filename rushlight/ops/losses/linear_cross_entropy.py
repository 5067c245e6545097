"""Cross entropy of a linear layer: the layer and the loss in one call."""

from __future__ import annotations

from rushlight.errors.warning import warn
from rushlight.ops.losses.cross_entropy import cross_entropy
from rushlight.ops.machine.declare import composed
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.products.linear import linear

REDUCTIONS = ("mean", "sum", "none")


@composed(
    name="nn.functional.linear_cross_entropy",
    samples=cases(
        lambda make: [
            *[
                case(make.floats(5, 4), make.floats(3, 4), make.ints(5, low=0, high=3), reduction=each)
                for each in REDUCTIONS
            ],
            case(make.floats(4), make.floats(3, 4), make.ints(low=0, high=3), linear_bias=make.floats(3)),
            case(make.floats(5, 4), make.floats(3, 4), make.floats(5, 3, low=0), weight=make.floats(3, low=0)),
            case(make.floats(5, 4), make.floats(3, 2, 4), make.ints(5, 2, low=0, high=3), label_smoothing=0.1),
            case(make.floats(5, 4), make.floats(3, 4), make.ints(5, low=0, high=3), ignore_index=1),
            case(make.floats(5, 4), make.floats(3, 5), make.ints(5, low=0, high=3)),
            case(make.floats(5, 4), make.floats(3, 4), make.floats(5, 3, low=0), ignore_index=1),
            case(make.floats(2, 5, 4), make.floats(3, 4), make.ints(5, low=0, high=3)),
            case(make.floats(4), make.floats(3, 2, 4), make.ints(2, low=0, high=3)),
        ]
    ),
)
def linear_cross_entropy(
    input,
    linear_weight,
    target,
    *,
    linear_bias=None,
    weight=None,
    reduction="mean",
    ignore_index=None,
    label_smoothing=0.0,
    options=None,
):
    """`cross_entropy` of `linear(input, linear_weight, linear_bias)`, for `(N, in_features)` or one row.

    A weight `(C, d1, ..., in_features)` gives a loss at each place of `(d1, ...)`. `options` ask torch to save memory;
    the numbers are the same.

    >>> weight = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> F.linear_cross_entropy(torch.tensor([[2.0, -2.0]]), weight, torch.tensor([0]))
    tensor(0.1429)
    """
    shape = logits_shape(input, linear_weight, linear_bias)
    if target.shape == shape and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    if options is not None:
        check_options(options, reduction, label_smoothing, target, linear_weight)
    if linear_weight.ndim > 2:
        linear_weight = linear_weight.reshape(-1, linear_weight.shape[-1])
        linear_bias = None if linear_bias is None else linear_bias.reshape(-1)
    logits = linear(input, linear_weight, linear_bias).reshape(shape)
    return cross_entropy(
        logits,
        target,
        weight,
        ignore_index=-100 if ignore_index is None else ignore_index,
        reduction=reduction,
        label_smoothing=label_smoothing,
    )


def logits_shape(input, weight, bias):
    """The shape of the logits, if input, weight and bias go together."""
    if input.ndim not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.ndim}")
    if weight.ndim < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {weight.ndim}")
    classes, *places, features = weight.shape
    if input.shape[-1] != features:
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), got "
            f"{input.shape[-1]} and {features}, respectively"
        )
    if bias is not None and tuple(bias.shape) != (classes, *places):
        raise RuntimeError(f"expected linear_bias shape {(classes, *places)}, got {tuple(bias.shape)}")
    if places and input.ndim == 1:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {tuple(weight.shape)} requires batched input, "
            f"(N, {features}), got unbatched input with shape {tuple(input.shape)}"
        )
    return (*input.shape[:-1], classes, *places)


def check_options(options, reduction, label_smoothing, target, weight):
    """Say where torch leaves the options out of account, and refuse two sizes of a chunk."""
    if weight.ndim > 2 or label_smoothing != 0.0 or target.dtype.is_floating_point:
        warn(
            "linear_cross_entropy: ``options`` ignored; chunked path needs reduction in {'mean','sum','none'}, "
            "label_smoothing == 0, target.dtype == int64, out_features == ()."
        )
    elif options.batch_chunk_size is not None and options.chunking_method not in (None, "auto"):
        rows = 1 if target.ndim == 0 else len(target)
        found = options.chunk(rows, weight.shape[-1], weight.shape[0])
        if found != options.batch_chunk_size:
            raise ValueError(
                f"batch_chunk_size (={options.batch_chunk_size}) and chunking_method ('{options.chunking_method}') "
                f"give different chunk sizes ({options.batch_chunk_size} vs {found}); pass only one."
            )
