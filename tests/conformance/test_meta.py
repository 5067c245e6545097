"""The meta device beside torch's: shape, dtype and strides of what every op gives for tensors without memory."""

import importlib
import warnings
from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")


def registry() -> dict[str, Any]:
    return importlib.import_module("rushlight.ops.machine.late").registry()


def function_of(library: Any, name: str) -> Any:
    for part in name.split("."):
        library = getattr(library, part, None)
    return library


def placed(library: Any, value: Any, place: str) -> Any:
    if isinstance(value, np.ndarray):
        if value.dtype.isbuiltin == 2:
            raise NotImplementedError
        return library.from_numpy(value.copy()).to(place)
    if isinstance(value, rushlight.dtype):
        return getattr(library, str(value).removeprefix("torch."))
    if type(value) in (list, tuple):
        return type(value)([placed(library, each, place) for each in value])
    return value


def shown(found: Any) -> Any:
    """What can be known of a result."""
    if isinstance(found, (torch.Tensor, rushlight.Tensor)):
        steps = [step for size, step in zip(found.shape, found.stride(), strict=True) if size > 1]
        return tuple(found.shape), str(found.dtype), steps if found.numel() else [], str(found.device)
    return [shown(each) for each in found] if isinstance(found, (tuple, list)) else None


def outcome(library: Any, name: str, sample: Any, place: str = "meta") -> Any:
    """What a call shows, or the error it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        args = placed(library, tuple(sample.args), place)
        kwargs = {key: placed(library, value, place) for key, value in sample.kwargs.items()}
        try:
            return shown(function_of(library, name)(*args, **kwargs))
        except Exception as error:
            return error


# what asks for numbers here on the way to a shape, or lies otherwise in memory or has another dtype than in torch
KNOWN = """
take_along_dim narrow block_diag masked_select nonzero argwhere combinations allclose equal
nn.functional.rrelu rrelu cov nn.functional.one_hot repeat_interleave nn.functional.embedding_bag tensordot
nn.functional.ctc_loss stft istft nn.functional.grouped_mm bincount nn.functional.gaussian_nll_loss lu_unpack
lu_solve svd_lowrank pca_lowrank lobpcg matrix_power nn.functional.multi_margin_loss
nn.functional.multilabel_margin_loss quantile nanquantile masked.median native_batch_norm lstm gru rnn_tanh
rnn_relu segment_reduce unique unique_consecutive
nn.functional.soft_margin_loss kthvalue fft.rfftn fft.hfftn fft.hfft2 linalg.svd svd linalg.lu_solve linalg.eig
linalg.ldl_solve linalg.matrix_rank nonzero_static _weight_norm_interface
""".split()
NAMES = [name for name, op in registry().items() if callable(op.samples) and name not in KNOWN]
# of each op, for a run of minutes
FEW = 3


@pytest.mark.parametrize("name", NAMES)
def test_results_on_meta_are_those_of_torch(name: str) -> None:
    if function_of(torch, name) is None or function_of(rushlight, name) is None:
        pytest.skip("no such name")
    compared = 0
    for sample in registry()[name].samples()[:FEW]:
        try:
            if isinstance(outcome(torch, name, sample, "cpu"), Exception):
                continue  # torch looks at less on meta
            wanted = outcome(torch, name, sample)
            got = outcome(rushlight, name, sample)
        except NotImplementedError:
            continue
        if isinstance(wanted, Exception):
            # torch has no kernel for it: ours may have an answer, but the process lives
            continue
        compared += 1
        assert not isinstance(got, Exception), (sample, got)
        assert got == wanted, sample
    if not compared:
        pytest.skip("torch has no answer")
