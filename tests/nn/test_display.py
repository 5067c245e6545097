"""What a notebook shows of modules: a tree with the parameters of each part, counted once."""

import re

import pytest

import rushlight as torch
from rushlight import nn


def text(module):
    """What is left without the tags, line by line."""
    page = re.sub(r"</(div|summary)>", "\n", module._repr_html_())
    return [" ".join(line.split()) for line in re.sub("<[^>]*>", "", page).splitlines() if line.strip()]


def test_each_part_has_its_parameters():
    model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Sequential(nn.Linear(3, 1)))
    assert text(model) == [
        "Sequential() 13 parameters",
        "(0): Linear(in_features=2, out_features=3, bias=True) 9 parameters",
        "(1): Tanh() 0 parameters",
        "(2): Sequential() 4 parameters",
        "(0): Linear(in_features=3, out_features=1, bias=True) 4 parameters",
    ]
    assert model._repr_html_().count("<details") == model._repr_html_().count("</details>") == 2


def test_the_text_elsewhere_is_that_of_torch():
    assert repr(nn.Sequential(nn.Tanh())) == "Sequential(\n  (0): Tanh()\n)"


def test_frozen_shared_and_unknown_parameters_are_told():
    layer = nn.Linear(2, 2, bias=False)
    assert text(nn.Sequential(layer, layer))[0] == "Sequential() 4 parameters"
    assert text(nn.Linear(1, 1, bias=False).requires_grad_(False))[0].endswith("1 parameter, 1 frozen")
    assert text(nn.LazyLinear(3).eval())[0].endswith("0 parameters, 2 not yet made · eval")


def test_a_part_that_is_none_is_shown():
    model = nn.Module()
    model.register_module("later", None)
    assert text(model) == ["Module() 0 parameters", "(later): None"]


def test_names_and_words_are_text():
    class Loud(nn.Module):
        def extra_repr(self):
            return "<script>"

        def _get_name(self):
            return "<i>"

    model = nn.Module()
    model.add_module("<b>", Loud())
    page = model._repr_html_()
    assert "(&lt;b&gt;): <b>&lt;i&gt;</b>(&lt;script&gt;)" in page


def test_a_module_inside_of_itself_is_shown_once_more():
    model = nn.Module()
    model.inner = nn.Module()
    model.inner.outer = model
    assert len(text(model)) == 3


def test_a_deep_network_is_shown_to_its_end_and_closed_below():
    model = nn.Tanh()
    for _ in range(100):
        model = nn.Sequential(model)
    assert len(text(model)) == 101
    assert model._repr_html_().count("<details style='margin-left:1.2em' open>") == 2


def test_of_very_many_parts_the_first_are_shown():
    lines = text(nn.Sequential(*(nn.Tanh() for _ in range(1500))))
    assert len(lines) == 1001 and lines[-1] == "..."


@pytest.mark.parametrize("broken", ["extra_repr", "parameters"])
def test_a_module_that_fails_leaves_the_text_to_the_notebook(broken):
    def fail(self):
        raise ValueError

    assert type("Broken", (nn.Module,), {broken: fail})()._repr_html_() is None


def test_looking_draws_no_random_number():
    model = nn.Linear(2, 2)
    state = torch.get_rng_state()
    model._repr_html_()
    assert torch.equal(torch.get_rng_state(), state)
