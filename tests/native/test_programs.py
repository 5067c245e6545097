"""Random programs do the same with the native layer and without, on one thread and on two, and a second time."""

import gc

import pytest

import rushlight
from conformance.programs.grammars import FAMILIES
from conformance.programs.program import generate
from conformance.programs.twins import Plain, differences

# two of each family take seconds; `make fuzz` runs as many as one likes
SEEDS = [pytest.param(range(2), id="few"), pytest.param(range(2, 16), id="more", marks=pytest.mark.thorough)]

pytestmark = pytest.mark.skipif(rushlight.native.extension is None, reason="there is nothing to compare with")


@pytest.fixture(scope="module")
def plain():
    # programs that collect garbage after each statement need not look at what all tests before have left
    gc.freeze()
    with Plain() as process:
        yield process


@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize("family", FAMILIES)
def test_programs_agree_in_all_states_of_the_library(family, seeds, plain):
    programs = [generate(family, seed, "rushlight") for seed in seeds]
    assert all(len(program.statements) >= 5 for program in programs)
    assert not list(differences(programs, plain))
