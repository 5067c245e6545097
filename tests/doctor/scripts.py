"""Scripts of the corpus: run under a watch in this process, and what they are expected to be told."""

from __future__ import annotations

import contextlib
import gc
import io
import re
import sys
from pathlib import Path
from types import ModuleType

from rushlight import compat, doctor
from rushlight.core.settings.state import state

CORPUS = Path(__file__).parent / "corpus"
EXPECTED = re.compile(r"#\s*finding:\s*([a-z0-9-]+)\s*$")


def expected(path: Path) -> set[tuple[str, int]]:
    """The ids and lines that a script's own comments name: `# finding: history-detach`."""
    lines = path.read_text().splitlines()
    return {(found[1], number) for number, line in enumerate(lines, 1) if (found := EXPECTED.search(line))}


def watch_script(path: Path, **options: object) -> doctor.Watch:
    """The watch after a script has run as `__main__`; its output and warnings are nobody's business here."""
    module = ModuleType("__main__")
    module.__file__ = str(path)
    before = sys.modules["__main__"]
    compat.install()
    sys.modules["__main__"] = module
    watch = doctor.Watch(**options)  # type: ignore[arg-type]
    # a watch looks at all objects that are there: those of the test suite are out of its sight
    gc.freeze()
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception), quiet(), watch:
            exec(compile(path.read_text(), str(path), "exec"), vars(module))
    finally:
        sys.modules["__main__"] = before
        compat.uninstall()
        state.grad = True
    for _, error in watch.broken:
        raise error
    return watch


@contextlib.contextmanager
def quiet():
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
