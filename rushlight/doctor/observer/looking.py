"""Looking: whether the program runs where the observer sees it."""

from rushlight.core.settings.state import state
from rushlight.core.surface.overriding import modes


def is_looking() -> bool:
    """Not inside of the library, nor of a function transform, whose tensors stand for many and have no numbers."""
    return modes.observer is not None and not state.levels
