"""Wrong calls of distributions raise torch's errors, in words that begin as torch's do."""

import warnings

import pytest

import rushlight
from tests.distributions.wrong_calls import WRONG_CALLS

torch = pytest.importorskip("torch")


def outcome(call, library):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            call(library, library.distributions)
        except Exception as error:
            return type(error).__name__, str(error)
    return None


@pytest.mark.parametrize(("kind", "words", "call"), WRONG_CALLS)
def test_wrong_calls(kind, words, call):
    theirs, ours = outcome(call, torch), outcome(call, rushlight)
    assert theirs[0] == ours[0] == kind.__name__
    assert ours[1].startswith(theirs[1])


def test_regions_answer_as_torchs():
    two = [[1.0, 0.0], [0.5, 2.0]], [[1.0, 0.3], [0.3, 2.0]], [[1.0, 2.0], [2.0, 1.0]], [[1.0, 0.0], [0.6, 0.8]]
    names = "lower_triangular lower_cholesky corr_cholesky square symmetric positive_semidefinite positive_definite"
    for name in [*names.split(), "one_hot", "simplex"]:
        region, theirs = [getattr(library.distributions.constraints, name) for library in (rushlight, torch)]
        for matrix in two:
            assert region.check(rushlight.tensor(matrix)).tolist() == theirs.check(torch.tensor(matrix)).tolist()
        assert repr(region) == repr(theirs)
        assert (region.event_dim, region.is_discrete) == (theirs.event_dim, theirs.is_discrete)
