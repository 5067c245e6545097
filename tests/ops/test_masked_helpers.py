"""torch.masked._ops: the helpers that packages import from there."""

import pytest

import rushlight as torch
import rushlight.masked._ops as helpers

MASK = torch.tensor([[True, False], [False, False]])


def test_the_functions_are_those_of_torch_masked():
    assert helpers.sum is torch.masked.sum and helpers.softmax is torch.masked.softmax
    assert helpers._canonical_dim(None, 3) == (0, 1, 2) and helpers._canonical_dim((0, -1), 3) == (0, 2)


def test_masks_of_inputs_and_results():
    x = torch.ones(2, 2)
    assert helpers._input_mask(x, mask=MASK[0]).tolist() == [[True, False]] * 2
    with pytest.raises(ValueError, match="_input_mask requires explicit mask"):
        helpers._input_mask(x)
    assert helpers._output_mask(helpers.sum, x, 1, mask=MASK).tolist() == [True, False]
    assert helpers._output_mask(helpers.amax, x, (0,), keepdim=True, mask=MASK).tolist() == [[True, False]]
    assert helpers._output_mask(helpers.softmax, x, 1, mask=MASK).tolist() == MASK.tolist()
    with pytest.raises(ValueError, match="_output_mask expected masked operation"):
        helpers._output_mask(torch.sin, x, mask=MASK)


def test_what_changes_nothing():
    x = torch.ones(2)
    mask = torch.tensor([True, False])
    assert helpers._combine_input_and_mask(helpers.sum, x, mask).tolist() == [1, 0]
    assert helpers._combine_input_and_mask(helpers.amax, x, mask).tolist() == [1, -torch.inf]
    assert helpers._combine_input_and_mask(helpers.prod, x, None) is x
    assert helpers._reduction_identity("norm", x, -torch.inf).item() == torch.inf
    assert helpers._reduction_identity("mean", x) is None and helpers._reduction_identity("median", x).isnan()
    with pytest.raises(NotImplementedError, match=r"identity of any on torch.float32 input"):
        helpers._reduction_identity("any", x)
