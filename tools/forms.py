"""Writes the forms of generated functions as a module, so that they are compiled with the package, not at each import.

    python tools/forms.py path/to/forms.py

Part of the build (meson.build); it needs NumPy and the sources alone. It takes what `import rushlight.nn` declares;
what is declared later is compiled then. rushlight/ops/machine/generate.py looks the forms up by their texts.
"""

import os
import sys
import types
from pathlib import Path

os.environ["RUSHLIGHT_NATIVE"] = "0"
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.dont_write_bytecode = True

HEAD = '''"""Forms of generated functions, by their texts: written by tools/forms.py when the package was built."""

FORMS = {}


def of(text):
    return lambda form: FORMS.setdefault(text, form)
'''


class Asked(dict):
    """Forms, of which none is there; each text that is asked for is kept."""

    def get(self, text):
        return self.setdefault(text)


def texts() -> list[str]:
    """What an import compiles, in the order of need."""
    module = types.ModuleType("rushlight.ops.machine.forms")
    asked = module.FORMS = Asked()
    sys.modules[module.__name__] = module
    import rushlight.nn  # noqa: F401

    return list(asked)


def main(path: str) -> None:
    needed = texts()
    from rushlight.ops.machine.generate import form_of

    forms = [f"@of({text!r})\n{form_of(text)}" for text in needed]
    Path(path).write_text("\n\n".join([HEAD, *forms]), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
