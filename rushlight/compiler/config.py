"""Settings of torch's compilers: any name can be set, read back, patched for a while; none changes anything."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any


class Config(ModuleType):
    """Settings by name, in place of a module; a name that was never set is refused, as a wrong one is in torch."""

    _settings: dict[str, Any]

    def __init__(self, name: str, **known: Any):
        super().__init__(name)
        self.__dict__["_settings"] = known

    def __getattr__(self, name: str) -> Any:
        if name in self._settings:
            return self._settings[name]
        raise AttributeError(f"{self.__name__}.{name} does not exist")

    def __setattr__(self, name: str, value: Any) -> None:
        # the import system writes the names with underscores
        (self.__dict__ if name.startswith("__") else self._settings)[name] = value

    def __delattr__(self, name: str) -> None:
        self._settings.pop(name, None)

    def __dir__(self) -> list[str]:
        return sorted(self._settings)

    def save_config(self) -> bytes:
        """The settings, to be loaded again."""
        import pickle

        return pickle.dumps(self._settings)

    def load_config(self, maybe_pickled_config: Any) -> None:
        """Take settings that were saved."""
        import pickle

        given = maybe_pickled_config
        self._settings.update(pickle.loads(given) if isinstance(given, bytes) else given)

    def get_config_copy(self) -> dict[str, Any]:
        """The settings by name."""
        return copy.deepcopy(self._settings)

    shallow_copy_dict = to_dict = get_config_copy

    def patch(self, arg1: str | dict[str, Any] | None = None, arg2: Any = None, **kwargs: Any) -> Patched:
        """Other settings for the time of a with statement, or of a function."""
        changes = {arg1: arg2} if isinstance(arg1, str) else dict(arg1 or {})
        return Patched(self, changes | kwargs)


class Patched:
    """Settings that hold for a while."""

    def __init__(self, config: Config, changes: dict[str, Any]):
        self.config, self.changes = config, changes

    def __enter__(self) -> None:
        self.before = dict(self.config._settings)
        self.config._settings.update(self.changes)

    def __exit__(self, *exception: object) -> None:
        self.config._settings.clear()
        self.config._settings.update(self.before)

    def __call__(self, function: Callable) -> Callable:
        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return inside


config = Config("torch.compiler.config", job_id=None, dynamic_shapes=True, assume_static_by_default=True)
