"""What a notebook shows of tensors: facts and a histogram for any tensor, and no trace of having looked."""

import re

import numpy as np
import pytest

import rushlight as torch
from rushlight.core.object import display
from rushlight.core.object.display import html_of_tensor
from tests.fresh import run

nan, inf = float("nan"), float("inf")


def bars(page):
    """The heights of the bars, in pixels."""
    return [float(each) for each in re.findall(r"<rect[^>]* height='([\d.]+)'", page)]


def test_shape_dtype_and_the_text_of_print_are_there():
    x = torch.arange(6.0).reshape(2, 3)
    page = html_of_tensor(x)
    assert "[2, 3] · torch.float32 · 6 elements" in page
    assert "0 to 5, mean 2.5" in page
    assert f"{x!r}</pre>" in page


def test_bars_are_as_high_as_values_are_many():
    x = torch.cat([torch.zeros(3), torch.ones(6), torch.full((1,), 32.0)])
    # 32 bars from 0 to 32: three zeros, six ones, nothing, and the largest in the last
    assert bars(html_of_tensor(x)) == [24.0, 48.0, 8.0]


def test_the_text_elsewhere_is_that_of_print():
    x = torch.ones(2)
    assert repr(x) == str(x) == "tensor([1., 1.])"


ODD = {
    "empty": lambda: torch.zeros(3, 0),
    "no dimensions": lambda: torch.tensor(1.5),
    "nan": lambda: torch.full((4,), nan),
    "not finite": lambda: torch.tensor([1.0, nan, inf, -inf]),
    "complex": lambda: torch.tensor([1 + 2j, 3j]),
    "conjugate": lambda: torch.tensor([1 + 2j, 3j]).conj(),
    "bool": lambda: torch.tensor([True, False, True]),
    "half": lambda: torch.tensor([65504.0, -65504.0, 0.5]).half(),
    "bfloat16": lambda: torch.tensor([1.0, 2.5]).bfloat16(),
    "float8": lambda: torch.tensor([1.0, 2.0]).to(torch.float8_e4m3fn),
    "largest": lambda: torch.tensor([1.7e308, -1.7e308], dtype=torch.float64),
    "smallest": lambda: torch.tensor([5e-324, 0.0], dtype=torch.float64),
    "integers": lambda: torch.tensor([2**63 - 1, -(2**63)]),
    "meta": lambda: torch.empty(3, 4, device="meta"),
    "expanded": lambda: torch.zeros(1).expand(10**12),
    "parameter": lambda: torch.nn.Parameter(torch.ones(3)),
    "lazy": lambda: torch.nn.LazyLinear(2).weight,
    "inference": lambda: inference(),
    "view": lambda: torch.ones(4, 4, requires_grad=True)[::2].T,
}


def inference():
    with torch.inference_mode():
        return torch.ones(3) * 2


@pytest.mark.parametrize("kind", ODD)
def test_odd_tensors_are_shown(kind):
    made = ODD[kind]()
    page = made._repr_html_()
    if kind == "lazy":
        assert page is None  # it has no shape yet: a notebook shows the text
    else:
        assert str(made.dtype) in page and page.startswith("<div>") and page.endswith("</pre></div>")


def test_values_that_are_not_finite_are_counted():
    assert "1 to 1, mean 1 · 1 nan · 2 infinite" in html_of_tensor(ODD["not finite"]())
    assert "4 nan" in html_of_tensor(ODD["nan"]()) and "to" not in re.sub(
        "<[^>]*>|torch", "", display.picture(np.full(3, nan))
    )


def test_the_mean_of_the_largest_numbers_is_a_number():
    assert "mean 1.7e+308" in html_of_tensor(torch.full((3,), 1.7e308, dtype=torch.float64))


def test_truths_are_counted():
    assert "2 True · 1 False" in html_of_tensor(torch.tensor([True, False, True]))


def test_of_complex_numbers_the_absolute_values_are_shown():
    assert "|values| 0 to 5, mean 2.5" in html_of_tensor(torch.tensor([3 + 4j, 0j]))


def test_a_sample_of_a_large_tensor_stands_for_it():
    x = torch.arange(3_000_000.0).reshape(1000, 3000).T
    page = html_of_tensor(x)
    assert "of a sample of 100,000" in page
    # evenly spread, as all of it is
    assert len(bars(page)) == 32 and min(bars(page)) > 44
    low, high = map(float, re.search(r"(\S+) to (\S+), mean", re.sub("<[^>]*>", " ", page)).groups())
    assert low < 1000 and high > 2_999_000


def test_a_sample_of_each_column_is_taken():
    columns = display.sample(np.broadcast_to(np.arange(64.0), (10**6, 64)))
    assert np.bincount(columns.astype(int)).min() > 0.9 * display.LARGEST_SAMPLE / 64


def test_looking_leaves_no_trace():
    x = torch.randn(50, requires_grad=True)
    y = x * 2
    node, version = y.grad_fn, y._version
    generator = torch.get_rng_state()
    y._repr_html_()
    with torch.no_grad():
        assert "requires_grad" in y._repr_html_()
    assert y.grad_fn is node and y._version == version and y.requires_grad
    assert torch.equal(torch.get_rng_state(), generator)
    y.sum().backward()
    assert torch.equal(x.grad, torch.full((50,), 2.0))


def test_what_a_subclass_says_of_itself_is_text():
    class Loud(torch.Tensor):
        def __repr__(self):
            return "<script>alert(1)</script>"

    Loud.__name__ = "<b>"
    page = torch.ones(2).as_subclass(Loud)._repr_html_()
    assert "&lt;script&gt;" in page and "<script" not in page and "<b><b>" not in page


def test_a_subclass_that_fails_leaves_the_text_to_the_notebook():
    class Broken(torch.Tensor):
        def __repr__(self):
            raise ValueError

    assert torch.ones(2).as_subclass(Broken)._repr_html_() is None


def test_a_tensor_inside_of_a_transform_is_shown_as_it_is_printed():
    pages = []
    torch.func.vmap(lambda x: pages.append(x._repr_html_()) or x * 1)(torch.ones(3))
    assert "BatchedTensor" in pages[0]


def test_nothing_of_it_is_imported_before_it_is_asked_for():
    assert (
        run("import sys; print('rushlight.core.object.display' in sys.modules, 'html' in sys.modules)") == "False False"
    )
