"""Small modules of torch.utils: timers, weak dictionaries, decorating contexts, questions."""

import gc

import pytest

import rushlight as torch
from rushlight.utils import _contextlib, _import_utils, _python_dispatch, _triton, _typing_utils, benchmark, weak


def test_a_timer_measures_a_statement():
    found = benchmark.Timer("x.sum()", globals={"x": torch.ones(3)}, label="sums", description="one").timeit(10)
    assert found.number_per_run == 10 and found.mean == found.median > 0 and found.iqr == 0
    assert repr(found).splitlines()[1] == "sums" and "1 measurement, 10 runs , 1 thread" in repr(found)
    assert found.label == "sums" and found.title == "sums"
    for name, limit in (("blocked_autorange", {}), ("adaptive_autorange", {"max_run_time": 0.05})):
        many = getattr(benchmark.Timer("torch.ones(2)"), name)(min_run_time=0.002, **limit)
        assert sum(many.raw_times) >= 0.002 and len(many.times) == len(many.raw_times)


def test_measurements_are_laid_side_by_side(capsys):
    timers = [benchmark.Timer("pass", sub_label=row, description=column) for row in "ab" for column in ("x", "y")]
    benchmark.Compare([each.timeit(5) for each in timers]).print()
    shown = capsys.readouterr().out
    assert "x" in shown and "y" in shown and "Times are in" in shown


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"stmt": 3}, "Currently only a `str` stmt"),
        ({"language": "c++"}, "Invalid language"),
        ({"global_setup": "x"}, "C\\+\\+ only"),
    ],
)
def test_wrong_timers_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        benchmark.Timer(**options)


def test_units_read_well():
    assert [benchmark.select_unit(each)[0] for each in (3e-9, 4e-6, 0.02, 5.0)] == ["ns", "us", "ms", "s"]


def test_a_weak_dictionary_compares_tensors_by_identity_and_forgets_them():
    first, second = torch.ones(2), torch.ones(2)
    notes = weak.WeakIdKeyDictionary({first: 1, second: 2})
    assert notes[first] == 1 and notes[second] == 2 and len(notes) == 2 and torch.ones(2) not in notes
    reference = weak.TensorWeakRef(first)
    assert reference() is first
    del first
    gc.collect()
    assert len(notes) == 1 and list(notes) == [second] and reference() is None
    del notes[second]
    assert not notes and 3 not in notes


def test_a_context_decorates_functions_and_generators():
    class Recording(_contextlib._DecoratorContextManager):
        """Notes that it was entered."""

        seen = 0

        def __enter__(self):
            Recording.seen += 1

        def __exit__(self, *exception):
            return None

    @Recording()
    def function():
        return Recording.seen

    @Recording()
    def generator():
        yield 1
        yield 2

    assert function() == 1 and list(generator()) == [1, 2] and Recording.seen == 4


def test_questions():
    assert not _triton.has_triton() and not _triton.has_triton_package()
    assert not _python_dispatch.is_traceable_wrapper_subclass(torch.ones(1))
    assert _import_utils._check_module_exists("numpy") and not _import_utils._check_module_exists("no_such_module")
    assert _typing_utils.not_none(3) == 3
    with pytest.raises(TypeError, match="value was None"):
        _typing_utils.not_none(None)
