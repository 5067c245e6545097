"""The README's example runs and learns."""

import re
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"


def test_the_example_learns(capsys):
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    names = {}
    exec(compile(example, str(README), "exec"), names)
    assert names["loss"].item() < 0.05
    assert capsys.readouterr().out.startswith("tensor(0.0")
