"""Checkpoints: an optimizer's state with parameters replaced by their numbers, and back."""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor, wrap
from rushlight.optim.parts import counter_dtype

if TYPE_CHECKING:
    from rushlight.optim.optimizer import Optimizer


def pack(state: dict, groups: list[dict[str, Any]]) -> dict[str, Any]:
    """State and groups in torch's layout."""
    numbers: dict[int, int] = {}
    packed = []
    start = 0
    for group in groups:
        # as in torch, a parameter that a group lists twice has its last number
        added = {id(param): number for number, param in enumerate(group["params"], start)}
        numbers = added | numbers
        start += len(group["params"])
        options = {name: value for name, value in group.items() if name != "params"}
        packed.append({**options, "params": [numbers[id(param)] for param in group["params"]]})
    by_number = {numbers[id(key)] if isinstance(key, Tensor) else key: value for key, value in state.items()}
    return {"state": by_number, "param_groups": packed}


def unpack(state_dict: dict[str, Any], groups: list[dict[str, Any]]) -> dict[str, Any]:
    """New state and groups for the parameters of `groups`, from what `pack` gave."""
    given = copy.deepcopy(state_dict["param_groups"])
    if len(given) != len(groups):
        raise ValueError(
            "loaded state dict has a different number of parameter groups: "
            f"it has {len(given)}, this optimizer {len(groups)}"
        )
    for new, group in zip(given, groups, strict=True):
        if len(new["params"]) != len(group["params"]):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group: "
                f"it has {len(new['params'])} parameters, this optimizer's {len(group['params'])}"
            )
    numbers = chain.from_iterable(group["params"] for group in given)
    params = ((param, new) for group, new in zip(groups, given, strict=True) for param in group["params"])
    owners = dict(zip(numbers, params, strict=True))
    state: defaultdict = defaultdict(dict)
    for number, value in state_dict["state"].items():
        if number in owners:
            param, options = owners[number]
            state[param] = fitted(param, options, value)
        else:
            state[number] = value
    for new, group in zip(given, groups, strict=True):
        new["params"] = group["params"]
        if "param_names" in group:
            new.setdefault("param_names", group["param_names"])
    return {"state": state, "param_groups": given}


def fitted(param: Tensor, options: dict[str, Any], value: Any, name: Any = None) -> Any:
    """Loaded state in the parameter's dtype; the count of steps keeps its own. As in torch, no more is copied."""
    if isinstance(value, Tensor):
        kind = value.dtype
        if name == "step":
            kind = dtypes.float32 if options.get("capturable") or options.get("fused") else kind
        elif param.is_floating_point():
            kind = param.dtype
        return value.to(kind)
    if isinstance(value, dict):
        return {key: fitted(param, options, each, key) for key, each in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return type(value)(fitted(param, options, each) for each in value)  # type: ignore[call-arg]
    return value


def renew(optimizer: Optimizer, group: dict[str, Any]) -> None:
    """Counts of steps that an older version kept as numbers become tensors."""
    for param in group["params"]:
        known = optimizer.state.get(param)
        if not known:
            continue
        for name in optimizer.counted:
            if name not in known:
                raise KeyError(f"{name}: the state is that of another method than {type(optimizer).__name__}")
        if "step" in known and not isinstance(known["step"], Tensor):
            known["step"] = wrap(np.array(known["step"], counter_dtype(group)))
