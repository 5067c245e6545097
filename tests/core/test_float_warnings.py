"""Quiet arithmetic: no floating point warnings from tensors, and the user's own settings left as they are."""

import warnings

import numpy as np
import pytest

import rushlight as torch
from rushlight.core.settings import float_warnings as quiet


def test_tensors_divide_by_zero_in_silence():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (torch.ones(1) / 0).item() == float("inf")
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        np.ones(1) / np.zeros(1)


def test_the_public_way_does_the_same_and_undoes_itself():
    before = np.geterr()
    settings = quiet.Settings()
    token = settings.set({"all": "ignore"})
    assert set(np.geterr().values()) == {"ignore"}
    settings.reset(token)
    assert np.geterr() == before
