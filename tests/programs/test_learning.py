"""Whole programs written for PyTorch learn, with Rushlight as their torch."""

import re

import pytest

from tests.programs.output import run

# ten seconds of training; the examples learn in every run of the tests
pytestmark = pytest.mark.thorough


def learned(name):
    """What a program printed, and how its loss fell: means over the first and the last tenth of its steps."""
    output = run(name)
    losses = output["loss"]
    tenth = len(losses) // 10
    return output, sum(losses[:tenth]) / tenth, sum(losses[-tenth:]) / tenth


def test_lenet_tells_directions():
    output, first, last = learned("lenet")
    assert first > 2.2 and last < 0.5
    # one in ten by guessing
    assert output["accuracy"][0] > 0.9


def test_lstm_writes_sentences():
    output, first, last = learned("language_model")
    assert first > 2 and last < 0.4
    sentence = r"(the|a|one) (old|red|small) (fox|owl|hare) (sees|likes) (rain|snow)\. "
    assert re.search(rf"written {sentence}{sentence}", output.words)


def test_gpt_writes_lines():
    output, first, last = learned("gpt")
    assert first > 2 and last < 0.5
    assert re.search(r"written emma (has|wants) [234] (hens|figs|nuts) / (anna|otto|emma|karl) ", output.words)


def test_vae_finds_where_the_blob_is():
    output, first, last = learned("vae")
    assert first > 2 * last
    # the latent numbers are used, and reconstruction keeps a small part of the variance
    assert output["divergence"][-1] > 1.5
    assert output["error"][0] < 0.25 * output["variance"][0]


def test_gan_meets_its_data():
    output, _, _ = learned("gan")
    assert "untouched True" in output.words
    assert output["start"][0] > 2 and output["gap"][0] < 0.3
    assert 0.4 < output["spread"][0] < 1.2 and output["correlation"][0] > 0.4
    # neither side has won: the discriminator is as good as guessing, 2 log 2
    assert 1.2 < output["judged"][-1] < 1.5


def test_truncated_backpropagation_carries_its_state():
    output, first, last = learned("truncated_backpropagation")
    assert first > 0.6 and last < 0.01
    assert output["carried"][0] > 0.99 and output["within"][0] > 0.99
    assert "refused: Trying to backward through the graph a second time" in output.words


@pytest.mark.parametrize(
    ("name", "word", "guessed", "found"),
    [
        ("seq2seq", "right", 0.3, 0.9),
        ("unet", "dice", 0.3, 0.85),
        ("resnet", "best", 25, 65),
        ("siamese", "right", 0.2, 0.9),
        ("text_classifier", "right", 0.4, 0.75),
        ("packed_sequences", "right", 0.5, 0.9),
        ("transformer_classifier", "right", 0.4, 0.85),
        ("hooks_and_functions", "right", 0.5, 0.75),
    ],
)
def test_answers_are_better_than_guesses(name, word, guessed, found):
    output, first, last = learned(name)
    assert last < 0.8 * first
    assert output[word][-1] > found > guessed


def test_dcgan_trains_both_of_its_networks():
    output = run("dcgan")
    assert output["loss_D"][0] > 1.3 and output["loss_D"][-1] < 1.1
    assert output["change"][0] > 0.005 and output["darkness"][0] < -0.1


def test_parametrized_weights_learn_within_their_bounds():
    output = run("norms_of_weights")
    curves = [output["loss"][start : start + 12] for start in range(0, 60, 12)]
    assert all(curve[-1] < 0.7 * curve[0] for curve in curves)
    _, spectral, _, orthogonal, _ = output["largest"]
    assert spectral < 1.05 and orthogonal == 1 == output["smallest"][3]
    assert output["asymmetry"][4] == 0 < output["asymmetry"][0]
