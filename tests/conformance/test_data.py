"""Loaders against torch itself: random datasets, samplers and options give the same batches in the same order."""

import random
import warnings

import pytest

from tests.conformance import loader_programs

pytest.importorskip("torch")

STREAMS = {name: loader_programs.stream_class(name) for name in ("torch", "rushlight")}
# classes that are found by name, so that processes can be started afresh
TorchStream, TorchMeasured = STREAMS["torch"]
OurStream, OurMeasured = STREAMS["rushlight"]
for _name in ("TorchStream", "TorchMeasured", "OurStream", "OurMeasured"):
    globals()[_name].__qualname__ = _name
    globals()[_name].__module__ = __name__

SEEDS = range(120)
SPAWNED = range(1000, 1003)


def outcome(name, chosen, method=None):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            seen = loader_programs.run(name, STREAMS[name], chosen, method)
        except Exception as error:
            seen = type(error).__name__, str(error)[:40]
    return seen, sorted({(each.category.__name__, str(each.message)[:40]) for each in told})


@pytest.mark.parametrize("seed", SEEDS)
def test_batches_are_torchs(seed):
    chosen = loader_programs.draw(random.Random(seed))
    assert outcome("rushlight", chosen) == outcome("torch", chosen), chosen


@pytest.mark.parametrize("seed", SPAWNED)
def test_batches_of_fresh_processes_are_torchs(seed):
    chosen = loader_programs.draw(random.Random(seed)) | {"workers": 1, "options": {}, "epochs": 1}
    assert outcome("rushlight", chosen, "spawn") == outcome("torch", chosen, "spawn"), chosen
