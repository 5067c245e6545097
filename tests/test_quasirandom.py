"""Sobol's points are torch's, scrambled or not, drawn at once or in pieces."""

import pytest

import rushlight as torch
from rushlight.quasirandom import SobolEngine


def test_the_first_points():
    assert SobolEngine(3).draw(4).tolist() == [[0, 0, 0], [0.5, 0.5, 0.5], [0.75, 0.25, 0.25], [0.25, 0.75, 0.75]]


def test_scrambled_points_are_torchs():
    expected = [[0.4751072, 0.592524], [0.57876337, 0.03712194], [0.9506699, 0.862344]]
    assert torch.allclose(SobolEngine(2, scramble=True, seed=0).draw(3), torch.tensor(expected))


def test_points_in_pieces_are_the_same_points():
    whole = SobolEngine(5, scramble=True, seed=3).draw(20)
    engine = SobolEngine(5, scramble=True, seed=3)
    assert torch.equal(torch.cat([engine.draw(1), engine.draw(7), engine.draw(12)]), whole)
    assert torch.equal(engine.reset().fast_forward(4).draw(3), whole[4:7])
    assert torch.equal(engine.fast_forward(3).draw(2), whole[10:12])


def test_a_power_of_two_keeps_its_balance():
    engine = SobolEngine(2)
    assert engine.draw_base2(3).mean(0).tolist() == [0.4375, 0.4375]
    with pytest.raises(ValueError, match="The balance properties of Sobol' points require n to be a power of 2"):
        engine.draw_base2(2)


def test_dtypes_outputs_and_words():
    engine = SobolEngine(2, scramble=True, seed=1)
    out = torch.empty(0, dtype=torch.float64)
    assert engine.draw(4, out=out, dtype=torch.float64) is out and out.shape == (4, 2)
    assert repr(engine) == "SobolEngine(dimension=2, scramble=True, seed=1)"
    for dimension in (0, 21202):
        with pytest.raises(ValueError, match=r"Supported range of dimensionality for SobolEngine is \[1, 21201\]"):
            SobolEngine(dimension)


def test_without_a_seed_the_common_stream_scrambles():
    torch.manual_seed(0)
    first = SobolEngine(2, scramble=True).draw(1)
    assert torch.allclose(first, torch.tensor([[0.4751072, 0.592524]]))
    assert torch.allclose(torch.rand(2), torch.tensor([0.2063, 0.9716]), atol=1e-4)
