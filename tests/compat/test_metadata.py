"""What tools ask of torch besides its names: specs, paths, versions, and functions by their addresses."""

import importlib
import importlib.metadata
import importlib.util
import pickle
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import rushlight
from rushlight import compat


@pytest.fixture
def torch():
    with compat.installed():
        yield importlib.import_module("torch")


def test_the_distribution_answers(torch):
    assert importlib.metadata.version("torch") == "2.13.0+rushlight"
    found = importlib.metadata.distribution("torch")
    assert found.metadata["Name"] == "torch"
    assert found.requires == ["rushlight"]
    assert "torch" in importlib.metadata.packages_distributions()
    assert "torch" in {each.metadata["Name"] for each in importlib.metadata.distributions()}
    assert found.locate_file("rushlight/__init__.py").exists()
    assert list(found.entry_points) == []


def test_other_distributions_are_found_as_before(torch):
    assert importlib.metadata.version("numpy") == sys.modules["numpy"].__version__
    with pytest.raises(importlib.metadata.PackageNotFoundError):
        importlib.metadata.version("torch-nonsense")


def test_a_spec_is_found_before_and_after_the_import(torch):
    for name in ("torch", "torch.nn", "torch.nn.utils.rnn", "torch.autograd.grad_mode"):
        spec = importlib.util.find_spec(name)
        assert spec is not None and Path(spec.origin).exists(), name
    assert torch.__spec__.name == "torch" and torch.__spec__.has_location
    assert importlib.util.find_spec("torch").submodule_search_locations == list(torch.__path__)


def test_a_spec_loads_nothing():
    program = (
        "import sys, importlib.util\nfrom rushlight import compat\ncompat.install()\n"
        "print(importlib.util.find_spec('torch.distributions').name, 'rushlight.distributions' in sys.modules)"
    )
    environment = {"PYTHONPATH": str(Path(rushlight.__file__).parent.parent)}
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert ran.stdout == "torch.distributions False\n", ran.stderr


def test_there_is_no_spec_for_what_is_not_there(torch):
    assert importlib.util.find_spec("torch.nonsense") is None
    assert importlib.util.find_spec("torch.nn.nonsense") is None


def test_paths_lead_to_the_modules(torch):
    assert Path(torch.__file__).exists()
    assert {"nn", "optim"} <= {each.name for each in pkgutil.iter_modules(torch.__path__)}


def test_a_module_may_be_loaded_again(torch):
    import torch.version

    assert importlib.reload(torch.version) is rushlight.version
    assert importlib.reload(torch) is torch
    assert torch.tensor is rushlight.tensor


def test_modules_can_be_looked_through(torch):
    for module in list(sys.modules.values()):
        getattr(module, "__file__", None)
    assert sys.modules["torch"] is torch


def test_torchs_addresses_are_understood_by_pickle(torch):
    assert pickle.loads(b"ctorch.nn.modules.linear\nLinear\n.") is rushlight.nn.Linear
    assert pickle.loads(b"ctorch\nTensor\n.") is rushlight.Tensor
    assert pickle.loads(b"ctorch\nfloat32\n.") is rushlight.float32
    assert pickle.loads(b"ctorch.nn.functional\nsoftsign\n.") is rushlight.nn.functional.softsign


def functions():
    """Public functions by the names that users write, one of each kind of declaration and more."""
    from rushlight.ops.machine.bind import public
    from rushlight.ops.machine.late import registry

    registry()
    removed = ("eig", "lstsq", "matrix_rank", "solve", "symeig")
    for place in ("", "nn.functional", "linalg", "fft", "special"):
        for name, function in public(place).items():
            if not name.startswith("_") and name not in removed and not name.endswith("_"):
                yield function


def test_functions_are_pickled_by_the_names_that_users_write():
    others = [each for each in functions() if pickle.loads(pickle.dumps(each)) is not each]
    assert others == []
    assert b"rushlight.nn.functional" in pickle.dumps(rushlight.nn.functional.softsign)


def test_methods_and_types_of_tensors_are_pickled_too():
    for each in (rushlight.Tensor.tanh, rushlight.Tensor.add_, rushlight.Tensor.softmax, rushlight.FloatTensor):
        assert pickle.loads(pickle.dumps(each)) is each
