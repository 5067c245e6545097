"""The benchmark of a learning agent: what it runs, and how it counts."""

from benchmarks import learning


def test_both_libraries_run_the_example_as_it_is():
    ours, theirs = (learning.program(library, 3) for library in ("rushlight", "torch"))
    assert learning.IMPORT in ours and "\nimport torch  # isort" in theirs and learning.IMPORT not in theirs
    assert ours.replace(learning.IMPORT, "import torch") == theirs
    compile(ours, "program", "exec")
    assert "\"--seed\", '3'" in ours and 'if __name__ == "__main__"' not in ours


def test_the_rate_is_that_of_all_runs_together(tmp_path):
    runs = [[[0.5, 10, 1.0], [1.0, 100, 20.0]], [[3.0, 300, 30.0]]]
    assert learning.rate(runs) == 100
    learning.draw({"rushlight": runs, "torch": runs}, tmp_path / "learning.png")
    assert (tmp_path / "learning.png").read_bytes().startswith(b"\x89PNG")
