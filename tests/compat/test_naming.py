"""Classes have torch's names while `torch` means Rushlight."""

import importlib
import pickle
import subprocess
import sys
import traceback

import pytest

import rushlight
from rushlight import compat

# what torch 2.13 prints for each
PRINTED = {
    "torch.nn.Linear": "<class 'torch.nn.modules.linear.Linear'>",
    "torch.optim.Adam": "<class 'torch.optim.adam.Adam'>",
    "torch.optim.Optimizer": "<class 'torch.optim.optimizer.Optimizer'>",
    "torch.optim.lr_scheduler.StepLR": "<class 'torch.optim.lr_scheduler.StepLR'>",
    "torch.optim.lr_scheduler.ReduceLROnPlateau": "<class 'torch.optim.lr_scheduler.ReduceLROnPlateau'>",
    "torch.optim.swa_utils.AveragedModel": "<class 'torch.optim.swa_utils.AveragedModel'>",
    "torch.distributions.Normal": "<class 'torch.distributions.normal.Normal'>",
    "torch.distributions.TanhTransform": "<class 'torch.distributions.transforms.TanhTransform'>",
    "torch.utils.data.DataLoader": "<class 'torch.utils.data.dataloader.DataLoader'>",
    "torch.utils.data.TensorDataset": "<class 'torch.utils.data.dataset.TensorDataset'>",
    "torch.utils.hooks.RemovableHandle": "<class 'torch.utils.hooks.RemovableHandle'>",
    "torch.autograd.Function": "<class 'torch.autograd.function.Function'>",
    "torch.no_grad": "<class 'torch.autograd.grad_mode.no_grad'>",
    "torch.amp.GradScaler": "<class 'torch.amp.grad_scaler.GradScaler'>",
    "torch.profiler.profile": "<class 'torch.profiler.profiler.profile'>",
    "torch.Generator": "<class 'torch._C.Generator'>",
    "torch.linalg.LinAlgError": "<class 'torch._C._LinAlgError'>",
}


@pytest.fixture
def torch():
    with compat.installed():
        yield importlib.import_module("torch")


def found(name):
    module, _, last = name.rpartition(".")
    return getattr(importlib.import_module(module), last)


@pytest.mark.parametrize("name", PRINTED)
def test_a_class_is_printed_as_torchs(torch, name):
    assert repr(found(name)) == PRINTED[name]


@pytest.mark.parametrize("name", PRINTED)
def test_a_class_is_found_under_the_name_it_shows(torch, name):
    kind = found(name)
    assert getattr(importlib.import_module(kind.__module__), kind.__qualname__) is kind
    assert pickle.loads(pickle.dumps(kind)) is kind


def test_classes_that_are_loaded_later_are_named_too():
    program = "import torch; from torch.distributions import Weibull; print(Weibull, torch.optim.lr_scheduler.CyclicLR)"
    run = [sys.executable, "-c", f"from rushlight import compat; compat.install(); {program}"]
    printed = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    assert printed == ("<class 'torch.distributions.weibull.Weibull'> <class 'torch.optim.lr_scheduler.CyclicLR'>\n")


def test_a_module_that_is_imported_by_its_whole_name_is_loaded_once():
    program = "import torch.optim.swa_utils as a; import rushlight.optim.swa_utils as b; assert a is b; print(a.SWALR)"
    run = [sys.executable, "-c", f"from rushlight import compat; compat.install(); {program}"]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout == (
        "<class 'torch.optim.swa_utils.SWALR'>\n"
    )


def test_an_error_of_linear_algebra_has_torchs_name_in_a_traceback(torch):
    with pytest.raises(torch.linalg.LinAlgError) as caught:
        torch.linalg.inv(torch.zeros(2, 2))
    assert traceback.format_exception_only(caught.value)[0].startswith(
        "torch._C._LinAlgError: linalg.inv: The diagonal"
    )


def test_divergences_are_found_for_the_named_classes(torch):
    normal = torch.distributions.Normal(0.0, 1.0)
    assert torch.distributions.kl_divergence(normal, torch.distributions.Normal(1.0, 1.0)).item() == 0.5


def test_names_are_given_back(torch):
    kinds = [rushlight.optim.Adam, rushlight.linalg.LinAlgError]
    compat.uninstall()
    assert [repr(kind) for kind in kinds] == [
        "<class 'rushlight.optim.adam.Adam'>",
        "<class 'rushlight.errors.kinds.LinAlgError'>",
    ]
    compat.install()
