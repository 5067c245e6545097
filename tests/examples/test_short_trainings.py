"""The examples that train: the first losses are PyTorch's, and a short run learns, draws and logs."""

import importlib.util
import re
import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NEED_DIGITS = ("mnist_cnn", "transfer", "vae")

# What PyTorch 2.13 prints for `--losses 4` and the same seed.
LOSSES_OF_TORCH = {
    "a2c": [1.071580, 0.725886, 0.478433, 0.740743],
    "char_rnn": [3.817681, 3.746326, 3.663895, 3.478190],
    "diffusion": [1.038990, 0.845034, 0.985129, 0.832254],
    "dqn": [0.008464, 0.001200, 0.004601, 0.006542],
    "gan": [2.083318, 2.032932, 1.991779, 1.966462],
    "gpt": [2.562249, 2.548388, 2.548733, 2.534935],
    "mnist_cnn": [2.506790, 2.492872, 2.293428, 2.413902],
    "ppo": [0.408723, 0.278182, 0.224000, 0.161748],
    "reinforce": [0.000668, -0.014032, 0.001997, -0.009118],
    "td3": [1.193122, 1.005670, 0.869669, 0.674079],
    "transfer": [1.747468, 1.752871, 1.378641, 1.436541],
    "vae": [44.458481, 43.414829, 42.437672, 41.054390],
}
# The options of a short run, the number in its last line, and the least of it that counts as having learned. A policy
# that knows nothing gets 9 to 20 on CartPole, and about -1500 on Pendulum; a guess among ten digits is right in 10%.
SHORT_RUNS = {
    "a2c": ("--steps 3000", "greedy episodes: {}", 60),
    "char_rnn": ("--steps 80", "{}% of the letters", 25),
    "dqn": ("--steps 2500 --exploration 1000", "greedy episodes: {}", 60),
    "gan": ("--steps 300 --batch 64", "{} of 8 clouds", 5),
    "mnist_cnn": ("--steps 30", "{}% of unseen digits", 60),
    "ppo": ("--steps 3000", "greedy episodes: {}", 60),
    "reinforce": ("--steps 4000", "greedy episodes: {}", 60),
    "td3": ("--steps 2500 --random-steps 300 --batch 64 --hidden 32", "greedy episodes: {}", -1250),
    "transfer": ("--steps 30", "{}% right with frozen features", 35),
}


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Runs an example in this process, which takes less time than another one to begin: its exit code and its lines."""

    def run(name, *words):
        if name in NEED_DIGITS and importlib.util.find_spec("sklearn") is None:
            pytest.skip("needs scikit-learn's digits: pip install 'rushlight[examples]'")
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", [name, *words])
        code = None
        try:
            runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
        except SystemExit as end:
            code = end.code
        return code, capsys.readouterr().out.splitlines()

    return run


def has_drawn(folder, name):
    return (folder / name).read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", LOSSES_OF_TORCH)
def test_the_first_losses_are_torchs(run, name):
    code, lines = run(name, "--losses", "4")
    assert code is None
    assert [float(line) for line in lines] == pytest.approx(LOSSES_OF_TORCH[name], abs=1e-5, rel=1e-5)


@pytest.mark.parametrize("name", SHORT_RUNS)
def test_a_short_run_learns_and_draws(run, tmp_path, name):
    words, result, least = SHORT_RUNS[name]
    _, lines = run(name, *words.split(), "--no-progress")
    assert float(re.search(result.format(r"(-?[\d.]+)"), lines[-1])[1]) >= least
    assert has_drawn(tmp_path, f"{name}.png")


def test_an_autoencoder_learns_what_digits_look_like(run, tmp_path):
    _, lines = run("vae", "--steps", "100", "--no-progress", "--logs", "runs")
    found, at_first = map(float, re.search(r": ([\d.]+) nats, ([\d.]+) at first", lines[-1]).groups())
    assert found < 0.75 * at_first and has_drawn(tmp_path, "vae.png")
    assert list((tmp_path / "runs").glob("events.out.tfevents.*"))


def test_a_diffusion_comes_nearer_to_the_spiral_and_is_filmed(run, tmp_path):
    _, lines = run("diffusion", *"--steps 400 --points 200 --batch 64 --no-progress".split())
    made, noise = map(float, re.search(r": ([\d.]+), of bare noise ([\d.]+)", lines[-1]).groups())
    assert made < 0.9 * noise and has_drawn(tmp_path, "diffusion.png")
    assert (tmp_path / "diffusion.gif").read_bytes().startswith(b"GIF89a")


def test_a_gpt_gets_better_at_sums(run, tmp_path):
    words = "--batch 32 --width 32 --steps 100"
    _, losses = run("gpt", *words.split(), "--losses", "100")
    assert float(losses[-1]) < 0.85 * float(losses[0])
    _, lines = run("gpt", *words.replace("100", "3").split(), "--no-progress")
    assert lines[-1].endswith("of unseen sums are right") and has_drawn(tmp_path, "gpt.png")


@pytest.mark.parametrize("words, reached", [((), 0), (("--wrong",), 6)])
def test_a_baseline_does_not_learn_from_the_actor_unless_it_is_attached(run, tmp_path, words, reached):
    code, lines = run("a2c", "--steps", "200", "--solved", "500", "--no-progress", "--logs", "runs", *words)
    assert code == 1 and f"the actor's loss reaches {reached} of the critic's 6 parameters" in lines
    assert list((tmp_path / "runs").glob("events.out.tfevents.*"))


def test_a_state_with_its_history_is_refused_in_the_second_piece(run):
    code, _ = run("char_rnn", "--wrong", "--losses", "3")
    assert "the second piece went back into the first" in code and ".detach()" in code


def test_frozen_features_stay_as_they_were(run):
    _, lines = run("transfer", "--steps", "3", "--examples", "2", "--no-progress")
    assert "frozen: 9 parameters, 11 buffers, of which 0 changed; 0 grads" in lines
