"""Collections that refuse to be changed: the arguments of a node, which its graph keeps count of."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["immutable_dict", "immutable_list"]


def refuse(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
    raise NotImplementedError(
        f"'{type(self).__name__}' object does not support mutation. If you are attempting to modify the kwargs or "
        "args of a torch.fx.Node object, instead create a new copy of it and assign the copy to the node: "
        "new_args = ... # copy and mutate args; node.args = new_args"
    )


class immutable_list(list):
    """A list that stays as it is."""

    append = clear = extend = insert = pop = remove = reverse = sort = refuse
    __setitem__ = __delitem__ = __iadd__ = __imul__ = refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> tuple:
        return immutable_list, (tuple(self),)


class immutable_dict(dict):
    """A dict that stays as it is."""

    clear = pop = popitem = setdefault = update = refuse
    __setitem__ = __delitem__ = __ior__ = refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple:
        return immutable_dict, (dict(self),)
