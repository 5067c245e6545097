"""Words for normalization, attention and places of images, whose parameters may differ from sample to sample."""

from __future__ import annotations

from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.transforms.lifting import mapped
from rushlight.ops.machine.transforms.product_words import in_channels, out_of_channels
from rushlight.ops.machine.transforms.words import Batch, each_sample


def scales(batch: Batch) -> list[str]:
    """The parameters that a normalized result is multiplied with, or that are added to it, if one of them is mapped."""
    names = [name for name in ("weight", "bias") if name in batch.op.positions]
    return names if any([batch.is_mapped(batch.op.positions[name]) for name in names]) else []


def scaled(batch: Batch, output: Tensor, given: dict[str, Any], shape: Any) -> Tensor:
    """A result with its parameters, each brought to a shape that spreads over it."""
    for name, value in given.items():
        if value is not None:
            value = value if batch.is_mapped(batch.op.positions[name]) else value.unsqueeze(0)
            value = value.reshape(shape(value))
            output = output * value if name == "weight" else output + value
    return output


def LAYERED(batch: Batch) -> Any:
    """Normalized over the last dimensions."""
    names = scales(batch)
    if not names:
        return batch.call()
    batch.fill(0)
    given = {name: batch[name] for name in names}
    found = batch.call(**dict.fromkeys(names))
    lead = found[0].ndim - 1 - len(batch["normalized_shape"])
    spread = lambda value: (value.shape[0], *[1] * lead, *value.shape[1:])
    return type(found)(scaled(batch, found[0], given, spread), *found[1:])


def GROUPED(batch: Batch) -> Any:
    """(N, C, *), normalized in groups of channels: the batch is a part of N."""
    names = scales(batch)
    batch.fill(0)
    value = batch.arguments[0]
    given = {name: batch[name] for name in names}
    found = batch.call(input=value.flatten(0, 1), **dict.fromkeys(names))
    found = mapped(lambda each: each.unflatten(0, (batch.size, value.shape[1])), found)
    spread = lambda each: (each.shape[0], 1, each.shape[1], *[1] * (value.ndim - 3))
    return type(found)(scaled(batch, found[0], given, spread), *found[1:])


def BY_CHANNEL(batch: Batch) -> Any:
    """(N, C, *), each channel normalized over all the rest: the batch is more channels."""
    places = batch.tensors()
    batch.fill(*places)
    given = {batch.op.names[place]: batch.arguments[place].flatten(0, 1) for place in places if place}
    found = batch.call(**{**given, "input": in_channels(batch.arguments[0])})
    rest = [each.unflatten(0, (batch.size, -1)) for each in found[1:]]
    return type(found)(out_of_channels(found[0], batch.size), *rest)


def ATTENDED(batch: Batch) -> Any:
    """Queries, keys and values with dimensions in front, and masks that spread over their products."""
    place = batch.op.lists[0]
    values, known = batch.arguments[place], batch.inside[place]
    ndim = max([each.ndim - there for each, there in zip(values, known, strict=True)])
    if not known[0]:
        values = [batch.spread(values[0]), *values[1:]]
        known = [True, *known[1:]]
    raised = [
        each.reshape(each.shape[0], *[1] * (ndim + 1 - each.ndim), *each.shape[1:]) if there else each
        for each, there in zip(values, known, strict=True)
    ]
    batch.arguments[place] = raised
    for other in batch.tensors():
        batch.raise_to(other, ndim)
    return batch.call()


def COUNTED(batch: Batch) -> Any:
    """A column for each class, whose number has to be given."""
    if batch["num_classes"] < 0:
        raise RuntimeError(
            "When vmap-ing torch.nn.functional.one_hot, please provide an explicit positive num_classes argument: each "
            "sample may have another largest number."
        )
    return batch.call()


def AMONG(batch: Batch) -> Any:
    """Elements looked for among others, which are the same for all samples."""
    return each_sample(batch) if batch.is_mapped(1) else batch.call()


def PLACED_IN_IMAGES(batch: Batch) -> Any:
    """(N, *), where an option has N first: the batch is a part of N."""
    name = "size" if "size" in batch.op.positions else "shape"
    places = batch.tensors()
    batch.fill(*places)
    sizes = tuple(batch[name])
    for place in places:
        batch.arguments[place] = batch.arguments[place].flatten(0, 1)
    return batch.call(**{name: (batch.size * sizes[0], *sizes[1:])}).unflatten(0, (batch.size, sizes[0]))
