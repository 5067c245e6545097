"""The reference: every public name stands in it, with its signature, example, gradients and kernel."""

import doctest
import math
import re

import numpy as np
import pytest

import rushlight
from rushlight import compat, native
from rushlight.ops.machine.late import registry
from tools import coverage
from tools.docs import entries, reference


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    if native.extension is None:
        pytest.skip("the reference tells which ops have a kernel")
    folder = tmp_path_factory.mktemp("site")
    reference.write(folder)
    return {path.stem: path.read_text() for path in (folder / "reference").glob("*.md")}


def part(page, name):
    """One entry of a page."""
    return page.partition(f" {{ #{name} }}\n")[2].partition("\n## ")[0]


def test_every_op_has_an_entry(pages):
    shown = {name for page in pages.values() for name in re.findall(r"^## \S+ { #(\S+) }", page, re.MULTILINE)}
    public = {op for op in registry() if not any(each.startswith("_") for each in op.split("."))}
    assert not {op for op in public if op not in shown and f"Tensor.{op}" not in shown}


def test_every_public_name_of_the_main_modules_is_there(pages):
    tool = coverage.Coverage()
    for place in ("torch", "torch.nn", "torch.nn.functional", "torch.optim", "torch.distributions", "torch.Tensor"):
        for name in coverage.read(coverage.NAMES)[place]:
            full = f"{place}.{name}"
            if coverage.locate(rushlight, full) is not None and tool.has(full):
                assert full.removeprefix("torch.") in pages[place], full


def test_an_op_shows_all_there_is_to_know(pages):
    text = part(pages["ops_pointwise"], "tanh")
    assert "torch.tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor" in text
    assert "Hyperbolic tangent" in text and ">>> torch.tanh(" in text and "\ntensor(" in text
    assert "Gradient of `input`:" in text and "1 - result * result" in text
    assert "lambda grad, other: grad * conjugate(other)" in part(pages["ops_pointwise"], "mul")
    assert "`Tensor.tanh`" in text and "native kernels, for its gradient too" in text


def test_cross_entropy_is_found_by_its_name(pages):
    assert "\n## cross_entropy { #nn.functional.cross_entropy }\n" in pages["ops_losses"]
    assert "(N, C)" in part(pages["ops_losses"], "nn.functional.cross_entropy")
    assert "(ops_losses.md#nn.functional.cross_entropy)" in pages["torch.nn.functional"]


def test_what_torch_has_not_is_there_too(pages):
    assert "torch.doctor.watch(" in pages["torch.doctor"] and "torch.compat.install(" in pages["torch.compat"]
    assert "{ #explain }" in pages["torch"] and "{ #optim.AdamTF }" in pages["torch.optim"]


def test_a_class_shows_its_signature_and_example(pages):
    text = part(pages["torch.nn"], "nn.Linear")
    assert "torch.nn.Linear(\n    in_features: int,\n    out_features: int,\n    bias: bool = True,\n" in text
    assert "```pycon\n>>> layer = torch.nn.Linear(20, 30)" in text


def test_links_of_the_reference_lead_to_headings(pages):
    known = {f"{stem}.md#{name}" for stem, page in pages.items() for name in re.findall(r"{ #(\S+) }", page)}
    linked = {link for page in pages.values() for link in re.findall(r"\((ops_\w+\.md#[^)]+)\)", page)}
    assert linked and not linked - known


def test_no_address_of_an_object_is_printed(pages):
    assert not [
        stem for stem, page in pages.items() if re.search(r" at 0x[0-9a-f]{6}", re.sub(r"(?s)```pycon.*?```", "", page))
    ]


def reader(torch):
    """What an example may take for granted: a model with its optimizer and loss, and a few names for the like."""
    model = torch.nn.Linear(2, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    def closure():
        optimizer.zero_grad()
        loss = model(torch.ones(1, 2)).pow(2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    names = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "math": math, "np": np, "closure": closure}
    names |= {"model": model, "layer": model, "embedding": model, "optimizer": optimizer, "x": model.weight}
    names |= {"train": lambda optimizer: optimizer.step(), "validation_loss": 0.5, "state_dict": optimizer.state_dict()}
    others = {name: each.detach().clone().requires_grad_() for name, each in model.named_parameters()}
    return names | {"loss": model(torch.ones(1, 2)).sum(), "others": others}


@pytest.mark.filterwarnings("ignore")
def test_examples_of_what_is_no_op_print_what_they_say():
    """Those of ops and functions are run one by one in tests/test_docstrings.py."""
    complaints, shown = [], {}
    for _, names in reference.modules():
        shown |= {each.full: entries.documentation(each.thing) for each in names if each.op is None}
    compat.install()
    try:
        for name, doc in shown.items():
            rushlight.manual_seed(0)
            examples = doctest.DocTestParser().get_doctest(doc, reader(rushlight), name, None, 0)
            doctest.DocTestRunner(verbose=False).run(examples, out=complaints.append)
    finally:
        compat.uninstall()
    assert not complaints, "".join(complaints)
    assert sum(">>>" in doc for doc in shown.values()) > 300


def test_prose_and_examples_are_told_apart():
    assert entries.prose("Sum.\n\n>>> 1 + 1\n2\n\nMore.") == "Sum.\n\n\n```pycon\n>>> 1 + 1\n2\n```\n\nMore."


def test_without_native_code_nothing_is_said_of_kernels(monkeypatch):
    monkeypatch.setattr(native, "extension", None)
    with pytest.raises(RuntimeError, match="build the native layer"):
        entries.kernels()
