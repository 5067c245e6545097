"""Every op, from its own samples: forms agree, layouts do not matter, views alias, gradients are right."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch
from rushlight.autograd.gradcheck import gradcheck, gradgradcheck
from tests.ops.samples import RANDOM, SAMPLED, arguments, differentiable_calls, flat, method_of, outcome, same

# some samples are calls that torch warns about as well
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


# second derivatives of loops over time and of factored matrices: two thirds of the time that all of them take
COSTLY = {
    *("gru_cell", "lstm_cell", "nn.functional.multi_head_attention_forward", "linalg.lstsq", "ormqr"),
    *("gru", "lstm", "rnn_relu", "rnn_tanh", "nn.functional.grid_sample"),
    *("linalg.lu_solve", "linalg.matrix_exp", "lu_solve", "matrix_exp"),
}


def each_of(ops, costly=()):
    marks = {name: pytest.mark.thorough for name in costly}
    return pytest.mark.parametrize("op", [pytest.param(op, id=op.name, marks=marks.get(op.name, ())) for op in ops])


STEADY = [op for op in SAMPLED if op.name not in RANDOM]
every_op = each_of(SAMPLED)
steady = each_of(STEADY)


@every_op
def test_declaration_is_complete(op):
    assert op.doc.strip().endswith((".", ":", "`", ")")) or ">>>" in op.doc, "a docstring that is a sentence"
    assert op.samples(), "samples"
    assert any(not isinstance(outcome(op.function, *arguments(each)), type) for each in op.samples()), (
        "a sample that works"
    )


@steady
def test_method_agrees_with_function(op):
    method = method_of(op)
    for sample in op.samples():
        if method is None or not sample.args or not isinstance(sample.args[0], np.ndarray):
            continue
        expected = outcome(op.function, *arguments(sample))
        args, kwargs = arguments(sample)
        assert same(outcome(getattr(args[0], op.name), args[1:], kwargs), expected), sample


@steady
def test_inputs_stay_unchanged(op):
    for sample in op.samples():
        args, kwargs = arguments(sample)
        before, _ = arguments(sample)
        outcome(op.function, args, kwargs)
        assert same(flat(args), flat(before)), sample


@each_of([op for op in STEADY if op.inplace is not None])
def test_inplace_form_agrees_with_function(op):
    for sample in op.samples():
        args, kwargs = arguments(sample)
        expected = outcome(op.function, args, kwargs)
        if isinstance(expected, type) or not isinstance(args[0], torch.Tensor):
            continue
        target, rest = args[0].clone(), args[1:]
        version = target._version
        result = outcome(op.inplace, (target, *rest), kwargs)
        if expected.shape == target.shape and expected.dtype is target.dtype:
            assert result is target
            assert same(target, expected), sample
            assert target._version == version + 1
        elif isinstance(result, type):
            assert same(target, args[0]), f"a refused write left its mark: {sample}"


@steady
def test_layout_does_not_matter(op):
    for sample in op.samples():
        args, kwargs = arguments(sample)
        expected = outcome(op.function, args, kwargs)
        # native_group_norm refuses other layouts, as in torch
        by_layout = op.is_view or op.name.startswith(("as_strided", "empty", "view", "native_group_norm"))
        if by_layout or isinstance(expected, type):
            continue
        moved = [
            each.transpose(0, 1).contiguous().transpose(0, 1)
            if isinstance(each, torch.Tensor) and each.ndim > 1
            else each
            for each in args
        ]
        found = outcome(op.function, tuple(moved), kwargs)
        for one, two in zip(flat(found), flat(expected), strict=True):
            assert one.dtype is two.dtype
            assert one.shape == two.shape
            np.testing.assert_allclose(as_float(one), as_float(two), rtol=2e-3, atol=2e-4, err_msg=str(sample))


def as_float(tensor):
    array = tensor.numpy(force=True)
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


@each_of([op for op in STEADY if not op.is_composed])
def test_views_share_memory_and_copies_do_not(op):
    for sample in op.samples():
        args, kwargs = arguments(sample)
        result = outcome(op.function, args, kwargs)
        if isinstance(result, type) or not isinstance(args[0], torch.Tensor):
            continue
        for each in flat(result):
            if each.numel() and args[0].numel():
                shared = np.may_share_memory(each.detach().numpy(), args[0].numpy())
                assert shared == op.is_view, sample
            assert each._is_view() == op.is_view


@steady
def test_gradients_agree_with_differences(op):
    for sample, call, points in differentiable_calls(op):
        assert gradcheck(call, points, fast_mode=True, atol=1e-4, rtol=1e-3), sample


@each_of(STEADY, COSTLY)
def test_second_gradients_agree_with_differences(op):
    for sample, call, points in differentiable_calls(op):
        outputs = [each for each in call(*points) if each.requires_grad]
        starts = [torch.ones_like(each) for each in outputs]
        slopes = torch.autograd.grad(outputs, points, starts, create_graph=True, allow_unused=True)
        # a linear op has no second gradient
        if any(each is not None and each.requires_grad for each in slopes):
            assert gradgradcheck(call, points, fast_mode=True, atol=1e-4, rtol=1e-3), sample
