"""torch.distributed.checkpoint.stateful: objects that give and take their state."""

from typing import Any, Protocol, TypeVar, runtime_checkable

__all__ = ["Stateful", "StatefulT"]


@runtime_checkable
class Stateful(Protocol):
    """What a checkpoint may keep the state of."""

    def state_dict(self) -> dict[str, Any]:
        """The state."""
        ...

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take up a state."""
        ...


StatefulT = TypeVar("StatefulT", bound=Stateful)
