"""What tests leave behind in torch itself is taken back, so that they agree in any order."""

import sys

import pytest


@pytest.fixture(autouse=True)
def torch_as_it_was():
    yield
    torch = sys.modules.get("torch")
    if torch is None:
        return
    # set_default_device leaves a mode, through which calls without options come with an empty table of them
    torch.set_default_device(None)
    # torch's compiler, of which flex_attention makes use, switches the checks of all distributions off
    torch.distributions.Distribution.set_default_validate_args(True)
