"""Names that are loaded on demand, and words for those that are not there."""

import time

import pytest

import rushlight as torch
from tests.fresh import run


@pytest.mark.parametrize(
    ("package", "names"),
    [
        ("torch", "conv2d median quantile layer_norm autocast distributions fft"),
        ("torch.Tensor", "median quantile add add_ __add__ backward"),
        ("torch.nn", "Linear LazyLinear CTCLoss parallel functional Parameter"),
        ("torch.nn.functional", "conv2d relu ctc_loss grad _pair _Reduction"),
        ("torch.optim", "Adam LBFGS lr_scheduler swa_utils"),
        ("torch.distributions", "Normal Wishart constraints transforms kl_divergence TanhTransform"),
        ("torch.linalg", "pinv LinAlgError"),
        ("torch.utils", "checkpoint"),
        ("torch.autograd", "grad backward Function gradcheck grad_mode functional"),
        ("torch.functional", "einsum norm stft"),
    ],
)
def test_dir_shows_names_that_are_loaded_late(package, names):
    assert run(f"print(set('{names}'.split()) - set(dir({package})))") == "set()"


def test_everything_that_dir_shows_is_there():
    for package in (torch, torch.nn, torch.nn.functional, torch.optim, torch.distributions, torch.linalg, torch.utils):
        for name in dir(package):
            assert hasattr(package, name), name


def test_all_names_what_is_loaded_late_and_a_star_brings_it():
    assert {"conv2d", "quantile", "layer_norm", "autocast", "nn"} <= set(torch.__all__)
    assert {"Linear", "LazyLinear", "Parameter", "functional", "parallel"} <= set(torch.nn.__all__)
    assert {"LBFGS", "lr_scheduler"} <= set(torch.optim.__all__)
    assert run("from rushlight.nn import *; print(LazyLinear.__name__, functional.__name__)") == (
        "LazyLinear rushlight.nn.functional"
    )


@pytest.mark.parametrize("package", ["optim", "distributions", "nn", "utils", "autograd", "functional"])
def test_the_names_in_a_package_are_all_there_for_who_walks_over_them(package):
    program = (
        f"package = torch.{package}; shown = dir(package); names = package.__dict__; count = len(names); "
        "walked = [hasattr(package, each) for name, each in zip(names, shown)]; "
        "print(set(shown) - set(vars(package)), len(vars(package)) == count)"
    )
    assert run(program) == "set() True"


def test_asking_for_dir_loads_nothing():
    assert (
        run("import sys; dir(torch.distributions); print('rushlight.distributions.normal' in sys.modules)") == "False"
    )


def test_asking_whether_a_name_is_there_is_cheap_and_loads_nothing():
    asked = "[hasattr(torch, 'no_such_name') for _ in range(10)]"
    modules = "['difflib' in sys.modules, 'rushlight.ops.fourier' in sys.modules]"
    assert run(f"import sys; {asked}; print({modules})") == "[False, False]"
    for package in (torch, torch.nn, torch.nn.functional, torch.optim, torch.distributions):
        start = time.process_time()
        for _ in range(1000):
            hasattr(package, "no_such_name")
        # 10 us each here, of the processor's time, which does not count what else the machine does
        assert time.process_time() - start < 0.2


def test_utilities_are_loaded_when_asked_for():
    assert torch.utils.checkpoint.checkpoint is not None
    assert torch.utils.hooks.RemovableHandle is type(torch.ones(1, requires_grad=True).register_hook(print))


@pytest.mark.parametrize(
    ("package", "name"),
    [
        (torch, "no_such_name"),
        (torch.nn, "NoSuchLayer"),
        (torch.nn.functional, "no_such_function"),
        (torch.optim, "NoSuchMethod"),
        (torch.distributions, "NoSuchFamily"),
        (torch.linalg, "no_such_function"),
        (torch.utils, "no_such_module"),
        (torch.autograd, "no_such_name"),
    ],
)
def test_a_missing_name_is_said_to_be_missing(package, name):
    shown = package.__name__.replace("rushlight", "torch")
    with pytest.raises(AttributeError, match=f"module '{shown}' has no attribute '{name}': it is not in Rushlight"):
        getattr(package, name)
