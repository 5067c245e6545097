"""Settings that programs turn: they are kept, told, and refused in torch's words."""

import pytest

import rushlight as torch


@pytest.fixture(autouse=True)
def as_before():
    yield
    torch.use_deterministic_algorithms(False)
    torch.set_float32_matmul_precision("highest")
    torch.set_warn_always(False)


def test_deterministic_algorithms_are_kept():
    torch.use_deterministic_algorithms(True)
    assert torch.are_deterministic_algorithms_enabled()
    assert torch.get_deterministic_debug_mode() == 2
    torch.use_deterministic_algorithms(True, warn_only=True)
    assert torch.is_deterministic_algorithms_warn_only_enabled()
    torch.set_deterministic_debug_mode("default")
    assert not torch.are_deterministic_algorithms_enabled()


@pytest.mark.parametrize(
    ("mode", "kind", "words"),
    [
        ("often", RuntimeError, "invalid value of debug_mode"),
        (7, RuntimeError, "expected 0, 1, or 2"),
        (1.0, TypeError, "str"),
    ],
)
def test_debug_modes_that_are_refused(mode, kind, words):
    with pytest.raises(kind, match=words):
        torch.set_deterministic_debug_mode(mode)


def test_a_mode_must_be_a_bool():
    with pytest.raises(TypeError, match=r"argument 'mode' \(position 1\) must be bool, not int"):
        torch.use_deterministic_algorithms(1)
    with pytest.raises(RuntimeError, match="setWarnOnlyOnce expects a bool"):
        torch.set_warn_always(1)
    with pytest.raises(RuntimeError, match="flush_denormal expects a bool, but got int"):
        torch.set_flush_denormal(1)


def test_the_precision_of_products_is_kept():
    torch.set_float32_matmul_precision("high")
    assert torch.get_float32_matmul_precision() == "high"
    with pytest.warns(UserWarning, match="low is not one of 'highest', 'high', or 'medium'"):
        torch.set_float32_matmul_precision("low")
    with pytest.raises(RuntimeError, match="set_float32_matmul_precision expects a str, but got int"):
        torch.set_float32_matmul_precision(1)
    assert torch.get_float32_matmul_precision() == "high"


def test_other_questions():
    assert torch.set_flush_denormal(True) is False
    torch.set_warn_always(True)
    assert torch.is_warn_always_enabled()
    assert torch.is_storage(torch.ones(1).untyped_storage())
    assert not torch.is_storage(torch.ones(1))
    assert torch.compiled_with_cxx11_abi()
    assert torch.get_device_module() is torch.cpu
    assert torch.get_device_module("cuda") is torch.cuda


def test_the_flag_that_asks_for_warnings_alone_is_kept_beside_the_mode():
    torch.use_deterministic_algorithms(False, warn_only=True)
    assert not torch.are_deterministic_algorithms_enabled() and torch.get_deterministic_debug_mode() == 0
    assert torch.is_deterministic_algorithms_warn_only_enabled()
    torch.set_deterministic_debug_mode("error")
    assert not torch.is_deterministic_algorithms_warn_only_enabled()
    torch.set_deterministic_debug_mode("warn")
    assert torch.is_deterministic_algorithms_warn_only_enabled()
