"""Smaller helpers: groups of tensors, captured stacks, the report of the environment, `torch._utils`."""

import pickle
import traceback

import pytest

import rushlight as torch
from rushlight.utils import _foreach_utils, collect_env
from rushlight.utils._traceback import CapturedTraceback, format_frame, format_traceback_short, shorten_filename


def test_tensors_are_grouped_by_dtype():
    a, b, c = torch.ones(1), torch.ones(2, dtype=torch.float64), torch.ones(3)
    groups = _foreach_utils._group_tensors_by_device_and_dtype([[a, b, c], [None, b, a], []], with_indices=True)
    lists, rows = groups[torch.device("cpu"), torch.float32]
    assert [[id(each) for each in row] for row in lists] == [[id(a), id(c)], [id(None), id(a)], []]
    assert rows == [0, 2]
    assert groups[torch.device("cpu"), torch.float64][1] == [1]
    for wrong, words in (([], "empty"), ([[None]], "the 0-th Tensor is not"), ([[a], [a, c]], "all_of")):
        with pytest.raises(RuntimeError, match=words):
            _foreach_utils._group_tensors_by_device_and_dtype(wrong)


def test_which_tensors_are_taken_together():
    cpu = torch.device("cpu")
    assert _foreach_utils._has_foreach_support([None, torch.ones(1)], cpu)
    assert not _foreach_utils._has_foreach_support([torch.nn.Parameter(torch.ones(1))], cpu)
    assert "cpu" in _foreach_utils._get_fused_kernels_supported_devices()


def test_a_stack_is_captured():
    def inner():
        return CapturedTraceback.extract(), CapturedTraceback.extract(skip=1)

    whole, outer = inner()
    assert whole.summary()[-1].name == "inner"
    assert outer.summary()[-1].name == "test_a_stack_is_captured"
    assert "return CapturedTraceback.extract()" in whole.format()[-1]
    assert CapturedTraceback.format_all([whole])[0] == whole.format()
    assert pickle.loads(pickle.dumps(whole)).format() == []
    whole.cleanup()
    assert len(whole.summary()) == 0
    with pytest.raises(AssertionError, match="skip with script/cpp NYI"):
        CapturedTraceback.extract(cpp=True, skip=1)


def test_frames_are_shown_in_one_line():
    frame = traceback.FrameSummary("/a/b.py", 3, "f", line="x = 1")
    assert format_frame(frame, base="/a", line=True) == "x = 1  # b.py:3 in f"
    assert shorten_filename("c.py", base="/a") == "c.py"
    try:
        raise ValueError
    except ValueError as error:
        assert format_traceback_short(error.__traceback__).endswith("in test_frames_are_shown_in_one_line")


def test_the_environment_is_told(capsys):
    collect_env.main()
    shown = capsys.readouterr().out
    assert "PyTorch version: 2.13.0 (Rushlight" in shown
    assert "Is CUDA available: False" in shown


def test_imports_that_may_fail():
    assert torch._utils.try_import("json").__name__ == "json"
    assert torch._utils.try_import("no_such_module") is None
    assert torch._utils._import_dotted_name("collections.OrderedDict").__name__ == "OrderedDict"


def test_tensors_laid_end_to_end():
    tensors = [torch.ones(2, 1), torch.zeros(3)]
    flat = torch._utils._flatten_dense_tensors(tensors)
    assert flat.tolist() == [1, 1, 0, 0, 0]
    parts = torch._utils._unflatten_dense_tensors(flat, tensors)
    assert [part.shape for part in parts] == [(2, 1), (3,)]
    parts[1][0] = 7
    assert flat[2] == 7
