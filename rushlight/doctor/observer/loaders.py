"""Data loaders and logs: batches that are taken, and images that are written."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from typing import TYPE_CHECKING, Any

from rushlight.doctor.events import BatchTaken, ImageLogged, LoaderStarted
from rushlight.doctor.places import user_line

if TYPE_CHECKING:
    from rushlight.doctor.observer.observer import Observer

WRITER = "rushlight.utils.tensorboard.writer"


def install(observer: Observer) -> None:
    from rushlight.utils.data.dataloader import DataLoader, _BaseDataLoaderIter

    observer.patches.replace(DataLoader, "__iter__", starting(observer, DataLoader.__iter__))
    observer.patches.replace(_BaseDataLoaderIter, "__next__", taking(observer, _BaseDataLoaderIter.__next__))
    observer.patches.replace(DataLoader, "__init__", making(observer, DataLoader.__init__))
    if WRITER in sys.modules:
        watch_writer(observer, sys.modules[WRITER])
    else:
        observer.patches.insert(sys.meta_path, WriterFinder(observer))


def watch_writer(observer: Observer, module: Any) -> None:
    writer = module.SummaryWriter
    for name in ("add_image", "add_images"):
        observer.patches.replace(writer, name, logging(observer, getattr(writer, name)))


class WriterFinder(MetaPathFinder):
    """Waits until the program imports TensorBoard's writer: to import it for nothing would take a second."""

    def __init__(self, observer: Observer):
        self.observer = observer

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if fullname != WRITER:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            run: Any = spec.loader.exec_module

            def run_and_watch(module: Any) -> None:
                run(module)
                watch_writer(self.observer, module)

            spec.loader.exec_module = run_and_watch  # type: ignore[method-assign]
        return spec


def making(observer: Observer, function: Callable) -> Callable:
    @functools.wraps(function)
    def made(self: Any, *args: Any, **kwargs: Any) -> None:
        function(self, *args, **kwargs)
        observer.watch.lives.loaders[self] = user_line()

    return made


def starting(observer: Observer, function: Callable) -> Callable:
    @functools.wraps(function)
    def started(self: Any) -> Any:
        with observer.unseen():
            iterator = function(self)
        observer.watch.loaders[iterator] = self
        observer.watch.tell(LoaderStarted(self, iterator, user_line()))
        return iterator

    return started


def taking(observer: Observer, function: Callable) -> Callable:
    @functools.wraps(function)
    def taken(self: Any) -> Any:
        # the data set's own code is the program's: it stays seen
        observer.watch.health.passed("forward")
        batch = function(self)
        observer.watch.health.passed("data")
        loader = observer.watch.loaders.get(self)
        if loader is not None:
            observer.watch.tell(BatchTaken(loader, self, batch, user_line()))
        return batch

    return taken


def logging(observer: Observer, function: Callable) -> Callable:
    default = "CHW" if function.__name__ == "add_image" else "NCHW"

    @functools.wraps(function)
    def logged(self: Any, tag: str, image: Any, *args: Any, **kwargs: Any) -> Any:
        error: BaseException | None = None
        try:
            with observer.unseen():
                return function(self, tag, image, *args, **kwargs)
        except Exception as raised:
            error = raised
            raise
        finally:
            formats = kwargs.get("dataformats", args[2] if len(args) > 2 else default)
            observer.watch.tell(ImageLogged(function.__name__, image, formats, error, user_line()))

    return logged
