"""Node names against torch itself: what made each result of the operator database, plain and in place."""

import warnings
from itertools import islice

import pytest

torch = pytest.importorskip("torch")

from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402

from conformance.build import Builder  # noqa: E402
from conformance.entries import called_name, full_name  # noqa: E402
from conformance.gradients import tensors_of  # noqa: E402
from conformance.libraries import Library  # noqa: E402
from conformance.records import Unrepresentable, record  # noqa: E402
from conformance.translate import translate  # noqa: E402

TORCH, RUSHLIGHT = Library("torch"), Library("rushlight")
SAMPLES = 4

# made of other steps here than in torch, so that the last one is another
OTHERWISE_MADE = {
    "__rsub__ _batch_norm_with_update _chunk_cat _native_batch_norm_legit _softmax_backward_data _unsafe_masked_index",
    "_unsafe_masked_index_put_accumulate conj_physical lu_unpack native_dropout_backward round.decimals_0 sort",
    "nn.functional.linear_cross_entropy.chunked nn.functional.linear_cross_entropy.chunked_none",
    "torch.ops.aten._safe_softmax.default",
}
# the windows are leaves here; the others are left out
LEFT_OUT = ("signal.windows", "sparse", "to_sparse", "chalf", "_refs", "jiterator")


def compared():
    known = {name for line in OTHERWISE_MADE for name in line.split()}
    names = [full_name(op) for op in op_db]
    return [
        (name, op)
        for name, op in zip(names, op_db, strict=True)
        if name not in known and not name.startswith(LEFT_OUT) and torch.float64 in op.supported_dtypes("cpu")
    ]


def node_names(library, function, arguments, inplace):
    args, kwargs = (Builder(library).build(each) for each in arguments)
    library.seed()
    if inplace:
        args = (args[0].clone(), *args[1:])
    results = tensors_of(function(*args, **kwargs))
    return [each.grad_fn and each.grad_fn.name() for each in results]


def check(op, reference, function, inplace):
    for sample in islice(op.sample_inputs("cpu", torch.float64, requires_grad=True), SAMPLES):
        if inplace and (sample.broadcasts_input or not isinstance(sample.input, torch.Tensor)):
            continue
        try:
            arguments = record((sample.input, *sample.args)), record(sample.kwargs)
            expected = node_names(TORCH, reference, arguments, inplace)
        except (Unrepresentable, RuntimeError, TypeError, NotImplementedError):
            continue
        assert node_names(RUSHLIGHT, function, arguments, inplace) == expected


@pytest.mark.parametrize(("name", "op"), compared(), ids=lambda value: value if isinstance(value, str) else "")
def test_nodes_have_torchs_names(name, op):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        function = translate(op.op, RUSHLIGHT, called_name(op))
        if function is not None:
            check(op, op.op, function, False)
        if op.inplace_variant is not None:
            written = translate(op.inplace_variant, RUSHLIGHT)
            if written is not None:
                check(op, op.inplace_variant, written, True)
