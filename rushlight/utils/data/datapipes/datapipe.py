"""IterDataPipe and MapDataPipe: datasets with methods that make further ones of them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, TypeVar

from rushlight.utils.data.dataset import Dataset, IterableDataset

__all__ = ["DataChunk", "DFIterDataPipe", "IterDataPipe", "MapDataPipe"]

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)


class DataChunk(list[_T]):
    """A batch of samples as they are: a list, which also keeps them in `items`."""

    def __init__(self, items: Iterable[_T]) -> None:
        super().__init__(items)
        self.items = list(self)

    def as_str(self, indent: str = "") -> str:
        """The samples as text, in one line."""
        return f"{indent}[{', '.join(str(each) for each in self)}]"

    def raw_iterator(self) -> Iterator[_T]:
        """The samples, one after the other."""
        yield from self.items


class Functions:
    """What both kinds of pipes have: methods that were registered for their kind by name."""

    functions: ClassVar[dict[str, Callable]]

    def __getattr__(self, attribute_name: str) -> Any:
        found = type(self).functions.get(attribute_name)
        if found is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{attribute_name}'")
        return functools.partial(found, self)

    @classmethod
    def register_function(cls, function_name: str, function: Callable) -> None:
        """Let every pipe of the kind have a method."""
        cls.functions[function_name] = function

    @classmethod
    def register_datapipe_as_function(
        cls, function_name: str, cls_to_register: Callable, enable_df_api_tracing: bool = False
    ) -> None:
        """Let every pipe of the kind have a method that makes a pipe of another class of it."""
        if function_name in cls.functions:
            raise Exception(f"Unable to add DataPipe function name {function_name} as it is already taken")
        cls.functions[function_name] = cls_to_register

    def __repr__(self) -> str:
        return type(self).__qualname__

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.functions]


class IterDataPipe(Functions, IterableDataset[_T_co]):
    """Samples that come one after the other; one iterator at a time, before which `reset` is called."""

    functions: ClassVar[dict[str, Callable]] = {}
    _valid_iterator_id: int = 0

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__iter__" in vars(cls):
            cls.__iter__ = one_at_a_time(vars(cls)["__iter__"])  # type: ignore[method-assign]

    def __iter__(self) -> Iterator[_T_co]:
        return self

    def reset(self) -> None:
        """Begin anew: buffers and counts of a pipe that has them are emptied here."""


def one_at_a_time(make: Callable) -> Callable:
    """An `__iter__` that resets the pipe and ends the iterators that were made before."""
    if not inspect.isgeneratorfunction(make):
        return make

    @functools.wraps(make)
    def __iter__(self: Any) -> Iterator:
        self._valid_iterator_id += 1
        own = self._valid_iterator_id
        self.reset()
        for each in make(self):
            if own != self._valid_iterator_id:
                raise RuntimeError(
                    "This iterator has been invalidated because another iterator has been created from the same "
                    f"IterDataPipe: {self!r}"
                )
            yield each

    return __iter__


class DFIterDataPipe(IterDataPipe):
    """Refused: pipes of data frames are left out."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("DFIterDataPipe is not in Rushlight: read the frame first, and make a dataset of its rows")


class MapDataPipe(Functions, Dataset[_T_co]):
    """Samples that are found by a key."""

    functions: ClassVar[dict[str, Callable]] = {}


class _DataPipeSerializationWrapper:
    """Stands for a pipe that is to go to another process; `torchdata` puts it around those it is given."""

    def __init__(self, datapipe: Any) -> None:
        self._datapipe = datapipe

    def __len__(self) -> int:
        try:
            return len(self._datapipe)
        except Exception as error:
            raise TypeError(f"{type(self).__name__} instance doesn't have valid length") from error


class _IterDataPipeSerializationWrapper(_DataPipeSerializationWrapper, IterDataPipe):
    """The same samples, one after the other."""

    def __iter__(self) -> Iterator[Any]:
        return iter(self._datapipe)


class _MapDataPipeSerializationWrapper(_DataPipeSerializationWrapper, MapDataPipe):
    """The same samples, by index."""

    def __getitem__(self, index: Any) -> Any:
        return self._datapipe[index]
