"""What is asked of an input first: of something that is no tensor Python says that it lacks this, as in torch."""

from __future__ import annotations

from typing import Any

from rushlight.core.object.tensor import Tensor

# torch's functions that are written in Python, and the first attribute of the input that they touch
FIRST = {
    "softmax": "softmax",
    "log_softmax": "log_softmax",
    "softsign": "abs",
    "tanhshrink": "tanh",
    "normalize": "norm",
    "instance_norm": "size",
    "lp_pool1d": "pow",
    "lp_pool2d": "pow",
    "lp_pool3d": "pow",
}
FIRST |= dict.fromkeys(
    "glu group_norm dropout1d dropout2d dropout3d interpolate embedding_bag local_response_norm".split(), "dim"
)
FIRST = {f"nn.functional.{name}": attribute for name, attribute in FIRST.items()}
# and those that hand it on under another name
WORDS = {
    "_layer_norm": "layer_norm(): argument 'input' (position 1)",
    "_rms_norm": "rms_norm(): argument 'input' (position 1)",
    "nn.functional.logsigmoid": "log_sigmoid(): argument 'input' (position 1)",
    "nn.functional.fold": "col2im(): argument 'input' (position 1)",
    "nn.functional.unfold": "im2col(): argument 'input' (position 1)",
    "nn.functional.embedding": "embedding(): argument 'indices' (position 2)",
}


def not_a_tensor(name: str, given: dict[str, Any]) -> Exception | None:
    """What torch says of the input of a function, by the name of the op, if it is no tensor."""
    input = given.get("input")
    if "input" not in given or isinstance(input, Tensor):
        return None
    kind = type(input).__name__
    if name == "nn.functional.softmin" and given.get("dim") is not None:
        if not hasattr(input, "__neg__"):
            return TypeError(f"bad operand type for unary -: '{kind}'")
        name = "nn.functional.softmax"
    if name in FIRST:
        attribute = FIRST[name]
        if attribute.endswith("softmax") and given.get("dim") is None:
            attribute = "dim"
        short = name.rpartition(".")[2]
        words = f"'{kind}' object has no attribute '{attribute}': {short}() takes a Tensor"
        return None if hasattr(input, attribute) else AttributeError(words)
    if name in WORDS:
        return TypeError(f"{WORDS[name]} must be Tensor, not {kind}")
    if name in ("conv1d", "conv2d", "conv3d"):
        kinds = ", ".join([type(each).__name__ for each in given.values()])
        return TypeError(
            f"{name}() received an invalid combination of arguments - got ({kinds}): the input must be a Tensor"
        )
    if given.get("inplace") is True:
        return TypeError(f"{name.rpartition('.')[2]}_(): argument 'input' (position 1) must be Tensor, not {kind}")
    return None
