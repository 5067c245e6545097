"""The runner itself: what it must carry over unchanged, and the faults it must find."""

import sys
import types

import numpy as np
import pytest
import torch

from conformance import entries
from conformance.build import Builder, contiguous, to_numpy
from conformance.calls import Arguments, observe
from conformance.compare import Rules, compare, compare_errors, compare_outcomes, compare_values
from conformance.entries import Options, check_entry, full_name, spread
from conformance.libraries import Library
from conformance.outcomes import freeze
from conformance.pool import Pool
from conformance.records import SizeRecord, Unrepresentable, record, record_array
from conformance.translate import translate

TORCH = Library("torch")
TENSORS = {
    "plain": torch.arange(6.0).reshape(2, 3),
    "transposed": torch.arange(6.0, dtype=torch.float64).reshape(2, 3).t(),
    "offset": torch.arange(10)[3:9:2],
    "expanded": torch.tensor([[1.0], [2.0]]).expand(2, 4),
    "zero-dim": torch.tensor(3),
    "no elements": torch.zeros(2, 0, 3),
    "bool": torch.tensor([True, False]),
    "bfloat16": torch.tensor([1.5, -2.0], dtype=torch.bfloat16),
    "conjugate": torch.tensor([1 + 2j, 3 - 1j]).conj(),
    "leaf": torch.ones(3, requires_grad=True),
}


@pytest.mark.parametrize("name", TENSORS)
def test_a_tensor_survives_the_way_through_numpy(name):
    tensor = TENSORS[name]
    built = Builder(TORCH).build(record(tensor))
    assert built.dtype == tensor.dtype and built.shape == tensor.shape
    assert built.requires_grad == tensor.requires_grad
    assert torch.equal(built, tensor)
    if tensor.numel() and not tensor.is_conj():
        assert built.stride() == tensor.stride()
        assert built.storage_offset() == tensor.storage_offset()


def test_arguments_of_every_kind_are_rebuilt():
    given = (
        [torch.ones(2), 3],
        {"dtype": torch.int8, "dim": None},
        slice(1, None),
        torch.Size([2]),
        torch.strided,
    )
    built = Builder(TORCH).build(record(given))
    assert torch.equal(built[0][0], torch.ones(2)) and built[0][1] == 3
    assert built[1:] == ({"dtype": torch.int8, "dim": None}, slice(1, None), torch.Size([2]), torch.strided)
    assert isinstance(built[3], torch.Size) and isinstance(record(given)[3], SizeRecord)


def test_a_strided_array_stands_for_a_strided_tensor():
    array = np.arange(6.0).reshape(2, 3).T
    made = record_array(array)
    assert made.strides == (1, 3)
    np.testing.assert_array_equal(contiguous(made), array)


@pytest.mark.parametrize("odd", [torch.eye(2).to_sparse(), torch.ones(1, device="meta"), object()])
def test_what_has_no_counterpart_is_refused(odd):
    with pytest.raises(Unrepresentable):
        record(odd)


def test_bfloat16_comes_back_as_its_values():
    tensor = torch.tensor([1.5, 2.0], dtype=torch.bfloat16)
    np.testing.assert_array_equal(to_numpy(tensor, TORCH), [1.5, 2.0])


@pytest.mark.parametrize(
    ("expected", "got", "dtype", "agrees"),
    [
        ([1.0, np.nan, np.inf], [1.0 + 1e-8, np.nan, np.inf], "float64", True),
        ([1.0], [1.0 + 1e-5], "float64", False),
        ([1.0], [1.0 + 1e-5], "float32", True),
        ([np.inf], [-np.inf], "float32", False),
        ([1.0], [np.nan], "float32", False),
        ([np.nan], [1.0], "float32", False),
        ([1 + 1j], [1 + 1.1j], "complex64", False),
        ([1, 2], [1, 3], "int64", False),
    ],
)
def test_values_are_compared_by_dtype(expected, got, dtype, agrees):
    reason = compare_values(np.array(expected), np.array(got), dtype, Rules())
    assert (reason is None) == agrees


def test_cancellation_is_forgiven_in_sums_only():
    expected, got = np.array([1000.0, 0.0]), np.array([1000.0, 1e-3])
    assert compare_values(expected, got, "float32", Rules(scaled=True)) is None
    assert compare_values(expected, got, "float32", Rules(scaled=False))


def test_exceptions_agree_by_type_or_subclass():
    assert compare_errors(RuntimeError(), NotImplementedError()) is None
    assert "torch raises IndexError" in compare_errors(IndexError("far"), RuntimeError("off"))
    mine = type("LinAlgError", (RuntimeError,), {})()
    assert compare_errors(torch.linalg.LinAlgError(), mine) is None
    assert compare_errors(torch.linalg.LinAlgError(), RuntimeError())


def test_aliasing_is_seen():
    arguments = Arguments(record((torch.arange(6.0),)))
    view, copy, itself = (
        observe(TORCH, function, arguments) for function in (lambda x: x[1:], lambda x: x[1:].clone(), lambda x: x)
    )
    assert "aliasing" in compare_outcomes(view, copy, Rules())
    assert "aliasing" in compare_outcomes(copy, view, Rules())
    assert compare_outcomes(view, copy, Rules(aliasing=False)) is None
    assert itself.result.same_object == 0 and view.result.offset == 1


def test_named_results_must_have_their_names():
    builder = Builder(TORCH)
    pair = torch.ones(2, 2).max(0)
    named, bare = freeze(pair, TORCH, builder), freeze(tuple(pair), TORCH, builder)
    assert named.fields == ("values", "indices")
    assert "field names" in compare(named, bare, Rules())
    assert "a list" in compare(bare, freeze(list(pair), TORCH, builder), Rules())


def test_samples_are_spread_over_the_list():
    assert spread(list(range(100)), 3) == [0, 50, 99]
    assert spread([1, 2], 5) == [1, 2]
    assert spread(list(range(9)), None) == list(range(9))


def faulty(**replacements):
    """Torch with some names replaced, as a library to be found out."""
    module = types.ModuleType("faulty")
    module.__getattr__ = lambda name: getattr(torch, name)
    for name, value in replacements.items():
        setattr(module, name, value)
    sys.modules["faulty"] = module
    return Library("faulty")


def check(name, library):
    index = next(i for i, op in enumerate(entries.op_db) if full_name(op) == name)
    return check_entry(index, library, Options(samples=5))


@pytest.mark.parametrize("name", ["add", "max.reduction_with_dim", "where", "normal", "linalg.svd", "view", "T"])
def test_torch_agrees_with_itself(name):
    answer = check(name, TORCH)
    assert answer["status"] == "pass", answer["reasons"]
    assert answer["complex"]["status"] != "fail", answer["complex"]["reasons"]


def first_of_memory(tensor):
    """What a library reads that takes every tensor for a contiguous one."""
    return tensor.as_strided(tensor.shape, torch.empty(tensor.shape).stride())


FAULTS = {
    "value": ("sin", "function", lambda x, **out: torch.sin(x, **out) * 1.001),
    "dtype": ("sin", "function", lambda x, **out: torch.sin(x, **out).double()),
    "shape": ("sum", "function", lambda x, *args, **kwargs: torch.sum(x, *args, **kwargs)[None]),
    "copy": ("transpose", "function", lambda *args, **kwargs: torch.transpose(*args, **kwargs).clone()),
    "history": ("tanh", "gradient", lambda x, **out: torch.tanh(x.detach(), **out)),
    "gradient": ("exp", "gradient", lambda x, **out: x - x.detach() + torch.exp(x.detach(), **out)),
    "out": ("cos", "out", lambda x, **out: torch.cos(x)),
    "strides ignored": ("square", "strided", lambda x, **out: torch.square(first_of_memory(x), **out)),
    "argument changed": ("log1p", "function", lambda x, **out: torch.log1p(x, **out).add(x.zero_())),
    "no error": ("tril", "error", lambda x, *args: torch.tril(x, *args) if x.dim() > 1 else x),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found(fault):
    name, part, replacement = FAULTS[fault]
    answer = check(name, faulty(**{name: replacement}))
    assert answer["status"] == "fail"
    assert part in answer["failed"]


def test_wrong_second_order_is_found():
    class OnceDifferentiable(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.sin()

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[0].detach().cos()

    answer = check("sin", faulty(sin=lambda x, **out: OnceDifferentiable.apply(x)))
    assert "gradient" not in answer["failed"] and "second order" in answer["failed"]


def test_a_lambda_of_op_db_runs_in_the_library():
    where = next(op for op in entries.op_db if op.name == "where")
    library = faulty(where=lambda *args: "from the library")
    assert translate(where.op, library, "where")(1, 2, 3) == "from the library"
    assert translate(torch.Tensor.add, library) is torch.Tensor.add


def test_what_the_library_has_is_known_by_its_public_names():
    assert TORCH.offers("linalg.pinv") and TORCH.offers("T") and TORCH.offers("__ror__")
    assert not TORCH.offers("no_such_op") and not TORCH.offers("__class_getitem__")
    # an op of its own, under the name of an in-place method
    exponential = next(op for op in entries.op_db if op.name == "exponential")
    assert not TORCH.offers("exponential") and entries.is_offered(exponential, TORCH)


def test_a_crash_or_a_hang_costs_one_entry(tmp_path, monkeypatch):
    source = (
        "import os, time, torch\n"
        "def __getattr__(name): return getattr(torch, name)\n"
        "def acos(*args, **kwargs): os._exit(3)\n"
        "def asin(*args, **kwargs): time.sleep(1000)\n"
    )
    (tmp_path / "crashing.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:.")
    wanted = ("acos", "asin", "atan")
    tasks = [
        {"kind": "entry", "index": index, "name": op.name, "samples": 2, "dtypes": ["float32"]}
        for index, op in enumerate(entries.op_db)
        if op.name in wanted
    ]
    answers = {}
    Pool("crashing", jobs=1, seconds=6).run(tasks, lambda task, answer: answers.update({task["name"]: answer}))
    assert "crash: exit status 3" in answers["acos"]["fault"]
    assert "hang" in answers["asin"]["fault"]
    assert answers["atan"]["result"]["status"] == "pass"
