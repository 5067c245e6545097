"""What the tests of native code share."""

import pytest

import rushlight as torch
from rushlight.optim import optimizer, stepping


@pytest.fixture
def without(monkeypatch):
    """Switches the native steps off."""

    def switch():
        monkeypatch.setattr(optimizer, "extension", None)
        monkeypatch.setattr(stepping, "extension", None)
        monkeypatch.setattr(torch.optim.Optimizer, "zero_grad", torch.optim.Optimizer.zero_grad.__wrapped__)
        for method in ("SGD", "Adam", "AdamW", "RMSprop"):
            kind = getattr(torch.optim, method)
            monkeypatch.setattr(kind, "step", optimizer.Optimizer.step)

    return switch
