"""Names that packages take from torch's files although they are no part of its documentation."""

import pickle

import numpy as np
import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight import _C, jit, nn, serialization
from rushlight._utils import _take_tensors
from rushlight.autograd import forward_ad
from rushlight.fx import graph
from rushlight.nn.modules.rnn import apply_permutation
from rushlight.nn.parallel.scatter_gather import scatter_kwargs
from rushlight.optim import optimizer


def test_arguments_of_attention_agree_about_the_batch():
    query = torch.ones(2, 3, 4)
    assert F._mha_shape_check(query, query, query, None, None, 2) is True
    assert F._mha_shape_check(query[0], query[0], query[0], None, None, 2) is False
    with pytest.raises(AssertionError, match="expected `key` and `value` to be 3-D"):
        F._mha_shape_check(query, query[0], query, None, None, 2)


def test_a_mask_of_bools_becomes_one_that_is_added():
    found = F._canonical_mask(torch.tensor([True, False]), "mask", None, "", torch.float32)
    assert found.tolist() == [-float("inf"), 0.0]
    assert F._canonical_mask(None, "mask", torch.bool, "other", torch.float32) is None
    with pytest.warns(UserWarning, match="Support for mismatched mask and other"):
        F._canonical_mask(torch.tensor([1.0]), "mask", torch.bool, "other", torch.float32)
    with pytest.raises(AssertionError, match="only bool and floating types of mask"):
        F._canonical_mask(torch.tensor([1]), "mask", None, "", torch.float32)


def test_the_dtype_of_a_mask_that_may_be_none():
    assert F._none_or_dtype(None) is None
    assert F._none_or_dtype(torch.ones(1)) is torch.float32
    with pytest.raises(RuntimeError, match=r"must be None or torch\.Tensor"):
        F._none_or_dtype(3)


def test_projections_of_attention_are_linear_maps():
    query, weight = torch.randn(2, 3, 4), torch.randn(12, 4)
    packed = F._in_projection_packed(query, query, query, weight)
    apart = F._in_projection(query, query, query, *weight.chunk(3))
    for one, other, part in zip(packed, apart, weight.chunk(3), strict=True):
        assert torch.allclose(one, F.linear(query, part)) and torch.allclose(one, other)
    with pytest.raises(AssertionError, match="expecting value weights shape"):
        F._in_projection(query, query, query, weight[:4], weight[:4], weight[:3])
    with pytest.raises(AssertionError, match="expecting key bias shape"):
        F._in_projection(query, query, query, *weight.chunk(3), b_k=torch.ones(3))


def test_a_padding_mask_has_a_number_for_each_key():
    F._check_key_padding_mask(torch.ones(2, 3), 3, 2)
    with pytest.raises(AssertionError, match=r"key_padded_mask.shape\[1\] to be 4"):
        F._check_key_padding_mask(torch.ones(2, 3), 4, 2)


def test_a_batch_of_one_value_has_no_variance():
    F._verify_batch_size([1, 3, 2])
    with pytest.raises(ValueError, match="Expected more than 1 value per channel"):
        F._verify_batch_size([1, 3])


def test_optimizers_of_packages_find_their_helpers():
    assert optimizer._get_value(torch.tensor(3.0)) == 3.0 and optimizer._get_value(2) == 2
    assert optimizer._to_scalar(torch.tensor([2.0])).shape == () and optimizer._to_scalar(3) == 3
    assert optimizer._stack_if_compiling([1]) == [1]
    assert optimizer._get_scalar_dtype() is torch.float32
    parameters, grads = [torch.ones(2, dtype=torch.complex64), torch.ones(1)], [torch.ones(2) + 0j, torch.ones(1)]
    optimizer._view_as_real(parameters, grads)
    assert [each.shape for each in parameters] == [(2, 2), (1,)] == [each.shape for each in grads]
    function = optimizer._disable_dynamo_if_unsupported(single_tensor_fn=None)(len)
    assert function is len
    groups = torch.optim.Optimizer._group_tensors_by_device_and_dtype([[torch.ones(1), torch.ones(2).double()]])
    assert sorted(str(dtype) for _, dtype in groups) == ["torch.float32", "torch.float64"]


def test_a_fused_step_takes_floats_only():
    optimizer._device_dtype_check_for_fused(torch.ones(1))
    with pytest.raises(RuntimeError, match="`fused=True` requires all the params to be floating point"):
        optimizer._device_dtype_check_for_fused(torch.ones(1, dtype=torch.int32))
    with pytest.raises(RuntimeError, match="requires all the params"):
        optimizer._device_dtype_check_for_fused(torch.ones(1, dtype=torch.int32), cuda_unsupported=True)


def test_classes_add_to_the_constants_of_a_layer():
    assert nn.Linear.__constants__ == ["in_features", "out_features"]
    assert nn.BatchNorm2d.__constants__ == ["track_running_stats", "momentum", "eps", "num_features", "affine"]
    assert nn.CTCLoss.__constants__ == ["blank", "reduction"]
    assert not hasattr(nn.Module, "__constants__")


def test_arguments_are_scattered_by_position_and_by_name():
    assert scatter_kwargs((1,), {"a": 2}, ["cpu", "cpu"]) == (((1,), (1,)), ({"a": 2}, {"a": 2}))
    assert scatter_kwargs((1, 2), None, ["cpu"]) == (((1, 2),), ({},))


def test_states_are_permuted_under_an_old_name():
    with pytest.warns(FutureWarning, match="apply_permutation"):
        found = apply_permutation(torch.arange(3).view(1, 3, 1), torch.tensor([2, 0, 1]))
    assert found.flatten().tolist() == [2, 0, 1]


def test_tensors_are_put_into_buckets():
    tensors = [torch.ones(3), torch.ones(3).double(), torch.ones(30), torch.ones(1)]
    found = [[each.numel() for each in bucket] for bucket in _take_tensors(tensors, 20)]
    assert found == [[3], [30], [1], [3]]


def test_an_optional_is_unwrapped():
    assert jit._unwrap_optional(3) == 3
    with pytest.raises(AssertionError, match="Unwrapping null optional"):
        jit._unwrap_optional(None)


def test_old_paths_lead_to_the_same_objects():
    from rushlight.cuda.amp import autocast_mode, grad_scaler

    assert grad_scaler.GradScaler is torch.cuda.amp.GradScaler
    assert autocast_mode.autocast is torch.cuda.amp.autocast
    assert serialization.pickle is pickle
    assert torch.functional.F is F and torch.functional.Tensor is torch.Tensor
    assert _C._LinAlgError is torch.linalg.LinAlgError
    assert graph.magic_methods["div"] == "{} / {}" and "eq" not in graph.reflectable_magic_methods


def test_modes_of_autograd_say_how_things_are():
    assert forward_ad._current_level == -1
    with forward_ad.dual_level():
        assert forward_ad._current_level == 0
    with pytest.raises(AttributeError, match="no attribute 'levels'"):
        _ = forward_ad.levels
    assert torch.autograd._is_checkpoint_valid() is True
    assert torch.autograd._profiler_enabled() is False
    with torch.autograd.profiler.profile():
        assert torch.autograd._profiler_enabled() is True
    with torch.autograd.set_multithreading_enabled(False) as entered:
        assert entered is None and torch.autograd.set_multithreading_enabled.enabled is False
    assert torch.autograd.set_multithreading_enabled.enabled is True


def test_functions_with_their_own_threads_setting_run():
    @torch.autograd.set_multithreading_enabled(False)
    def gradient():
        x = torch.ones(2, requires_grad=True)
        x.sum().backward()
        return x.grad.numpy()

    assert np.array_equal(gradient(), [1.0, 1.0])


def test_limits_are_asked_for_by_types_of_python_too():
    assert torch.finfo(float).dtype == torch.finfo(complex).dtype == "float64"
    assert torch.iinfo(int).max == 2**63 - 1
    with pytest.raises(TypeError, match="requires a floating point input type"):
        torch.finfo(int)
    with pytest.raises(TypeError, match=r"must be torch\.dtype, not list"):
        torch.iinfo([])
