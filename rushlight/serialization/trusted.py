"""Unpickling files that are trusted: Python's unpickler, with torch's names meaning ours."""

from __future__ import annotations

import io
from collections.abc import Callable
from pickle import UnpicklingError
from typing import Any

from rushlight.serialization.names import is_torch, our_object


def trusted_unpickler(module: Any, options: dict[str, Any]) -> Callable:
    """What reads one pickle by a module such as `pickle`: it runs whatever the file says."""

    def read(data: Any, place: int, storage_of: Callable[[Any], Any]) -> tuple[Any, int]:
        class Unpickler(module.Unpickler):
            """One that finds torch's classes here, and storages beside the pickle."""

            def find_class(self, mod_name: str, name: str) -> Any:
                """What a name of the file means."""
                if not is_torch(mod_name):
                    return super().find_class(mod_name, name)
                try:
                    return our_object(mod_name, name)
                except AttributeError as error:
                    raise UnpicklingError(str(error)) from None

            def persistent_load(self, pid: Any) -> Any:
                """What a reference of the file stands for."""
                return storage_of(pid)

        file = io.BytesIO(data)
        file.seek(place)
        return Unpickler(file, **options).load(), file.tell()

    return read
