"""`import torch` means Rushlight while the import hook is in place."""

import importlib
import pickle
import sys
import types
import typing

import pytest

import rushlight
from rushlight import compat


@pytest.fixture
def torch():
    with compat.installed():
        yield importlib.import_module("torch")


def test_submodules_are_the_same_objects(torch):
    import torch.nn as nn
    import torch.nn.functional as F
    from torch.distributions import Normal

    assert nn is rushlight.nn is torch.nn
    assert F is sys.modules["rushlight.nn.functional"]
    assert Normal is sys.modules["rushlight.distributions"].Normal
    assert torch.Tensor is rushlight.Tensor


def test_modules_below_a_package_are_found(torch):
    from torch.utils.checkpoint import checkpoint

    assert checkpoint is sys.modules["rushlight.utils.checkpoint"].checkpoint


def test_functorch_comes_along(torch):
    import functorch

    assert functorch.vmap is torch.vmap
    assert functorch is sys.modules["rushlight._functorch.functorch"]


def test_modules_that_have_another_name_here_are_found(torch):
    import torch.autograd.grad_mode
    from torch.autograd.anomaly_mode import detect_anomaly

    assert torch.autograd.grad_mode.no_grad is torch.no_grad
    assert detect_anomaly is torch.autograd.detect_anomaly


def test_aliased_modules_keep_their_own_name_and_spec(torch):
    import torch.nn

    assert torch.nn.__name__ == "rushlight.nn"
    assert torch.nn.__spec__.name == "rushlight.nn"


def test_the_version_is_torchs_and_rushlight_keeps_its_own(torch):
    assert torch.__version__ == "2.13.0"
    assert torch.__name__ == "torch"
    assert rushlight.__version__ != "2.13.0"


def test_torch_finds_itself(torch):
    assert torch.torch is torch


def test_names_are_listed(torch):
    assert set(dir(torch)) >= {"tensor", "nn", "Tensor"}
    assert repr(torch) == f"<module 'torch' (Rushlight {rushlight.__version__})>"


def test_assignment_and_deletion_reach_rushlight(torch):
    torch.invented = 3
    assert rushlight.invented == 3
    torch.invented = 4
    assert rushlight.invented == torch.invented == 4
    del torch.invented
    assert not hasattr(rushlight, "invented")
    assert not hasattr(torch, "invented")


def test_a_missing_name_says_so_in_torchs_words(torch):
    with pytest.raises(AttributeError, match=r"^module 'torch' has no attribute 'nonsense': it is not in Rushlight$"):
        _ = torch.nonsense
    with pytest.raises(AttributeError, match=r"^module 'torch' has no attribute 'sotfmax': did you mean torch.softmax"):
        _ = torch.sotfmax


def test_the_face_shows_every_name(torch):
    assert {"quantile", "conv2d", "nn", "autocast", "Tensor", "float32"} <= set(dir(torch))
    assert {name for name in dir(torch) if not name.startswith("__")} <= set(vars(torch))
    assert vars(torch)["quantile"] is rushlight.quantile


def test_a_missing_submodule_says_so_in_rushlights_name(torch):
    with pytest.raises(ModuleNotFoundError, match=r"^torch\.nonsense is not in Rushlight \d"):
        import torch.nonsense
    with pytest.raises(ModuleNotFoundError, match=r"^torch\.nn\.nonsense is not in Rushlight \d"):
        import torch.nn.nonsense  # noqa: F401


def test_a_missing_name_in_a_from_import_says_so_in_rushlights_name(torch):
    with pytest.raises(ImportError, match=r"^torch\.nonsense is not in Rushlight \d"):
        from torch import nonsense
    with pytest.raises(ImportError, match=r"rushlight\.nn"):
        from torch.nn import nonsense  # noqa: F401


def test_a_module_that_fails_to_import_something_else_says_what(torch, tmp_path, monkeypatch):
    (tmp_path / "broken_module.py").write_text("import surely_not_installed")
    monkeypatch.setattr(rushlight, "__path__", [*rushlight.__path__, str(tmp_path)])
    with pytest.raises(ModuleNotFoundError, match="surely_not_installed"):
        import torch.broken_module  # noqa: F401


def test_uninstall_brings_back_what_torch_was(monkeypatch):
    # conformance runs beside the real torch, so stand-ins take its place here.
    real, real_part = types.ModuleType("torch"), types.ModuleType("torch.part")
    monkeypatch.setitem(sys.modules, "torch", real)
    monkeypatch.setitem(sys.modules, "torch.part", real_part)
    compat.install()
    import torch

    assert torch is not real
    assert "torch.part" not in sys.modules
    compat.uninstall()
    assert sys.modules["torch"] is real
    assert sys.modules["torch.part"] is real_part


def test_rushlight_comes_before_a_torch_that_is_installed(tmp_path, monkeypatch):
    (tmp_path / "torch.py").write_text("raise AssertionError('the other torch')")
    monkeypatch.syspath_prepend(tmp_path)
    with compat.installed():
        import torch

        assert torch.tensor is rushlight.tensor


def test_install_and_uninstall_may_be_repeated():
    hooks = list(sys.meta_path)
    compat.uninstall()
    assert sys.meta_path == hooks
    compat.install()
    compat.install()
    with compat.installed():
        pass
    assert len(sys.meta_path) == len(hooks) + 1
    compat.uninstall()
    assert sys.meta_path == hooks


def test_classes_say_that_they_are_torchs_while_torch_is_rushlight():
    before = [each.__module__ for each in (rushlight.Tensor, rushlight.nn.Linear)]
    with compat.installed():
        import torch
        from torch import nn

        names = {
            torch.Tensor: "torch",
            torch.Size: "torch",
            torch.dtype: "torch",
            torch.device: "torch",
            nn.Parameter: "torch.nn.parameter",
            nn.Linear: "torch.nn.modules.linear",
            nn.LazyLinear: "torch.nn.modules.linear",
            nn.MultiheadAttention: "torch.nn.modules.activation",
        }
        assert {kind: kind.__module__ for kind in names} == names
        assert str(type(torch.ones(1))) == "<class 'torch.Tensor'>"
        assert repr(torch.ones(1)) == "tensor([1.])"
        for each in (torch.ones(1), nn.Parameter(torch.ones(1)), nn.Linear(1, 1), torch.float32, torch.Tensor, nn.LSTM):
            assert type(pickle.loads(pickle.dumps(each))) is type(each)
        assert "_parameters" in typing.get_type_hints(nn.MultiheadAttention)
    assert [each.__module__ for each in (rushlight.Tensor, rushlight.nn.Linear)] == before
    assert type(pickle.loads(pickle.dumps(rushlight.nn.Linear(1, 1)))) is rushlight.nn.Linear
