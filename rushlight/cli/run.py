"""Run a program as `python` would: the same sys.argv, sys.path, `__main__` and tracebacks."""

import builtins
import os
import pkgutil
import runpy
import sys
from importlib.machinery import SourceFileLoader
from types import ModuleType, TracebackType

from rushlight import compat


def run_script(path: str, arguments: list[str]) -> None:
    """What `python path ...` does, with `torch` meaning Rushlight; `arguments` begin with the path."""
    prepare(arguments)
    if pkgutil.get_importer(path) is not None:  # a folder or an archive with a __main__.py
        runpy.run_path(path, run_name="__main__")
        return
    filename = os.path.abspath(path)
    try:
        with open(path, "rb") as file:
            source = file.read()
    except OSError as error:
        reason = f"[Errno {error.errno}] {error.strerror}"
        print(f"python -m rushlight: can't open file {filename!r}: {reason}", file=sys.stderr)
        sys.exit(2)
    if not sys.flags.safe_path:
        sys.path[0] = os.path.dirname(os.path.realpath(path))
    # runpy.run_path would make argv[0] and __file__ the same, and take the module away at the end.
    module = ModuleType("__main__")
    loader = SourceFileLoader("__main__", filename)
    vars(module).update(__file__=filename, __cached__=None, __builtins__=builtins, __loader__=loader)
    sys.modules["__main__"] = module
    exec(compile(source, filename, "exec", dont_inherit=True), vars(module))


def run_module(name: str, arguments: list[str]) -> None:
    """What `python -m name ...` does; `arguments` begin with the name, which becomes the module's file."""
    prepare(arguments)
    runpy.run_module(name, run_name="__main__", alter_sys=True)


def prepare(arguments: list[str]) -> None:
    sys.argv = list(arguments)
    sys.excepthook = without_our_frames(sys.excepthook)
    compat.install()


def without_our_frames(hook):
    """An excepthook whose traceback begins in the user's program, where the one of `python` would."""

    def excepthook(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
        while traceback is not None and is_ours(traceback.tb_frame.f_code.co_filename):
            traceback = traceback.tb_next
        hook(kind, error.with_traceback(traceback), traceback)

    return excepthook


def is_ours(filename: str) -> bool:
    """Whether a frame of this file led to the program: this folder, `__main__.py` beside it, and runpy."""
    package = os.path.dirname(os.path.dirname(__file__))
    inside = (("cli", "__init__.py"), ("__main__.py",), ("distributed", "process.py"))
    ours = (__file__, *(os.path.join(package, *each) for each in inside))
    return filename in ours or filename in ("<frozen runpy>", runpy.__file__)
