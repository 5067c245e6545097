"""The scan finds its calls in the registry, grows them to any size and layout, and names what is slow."""

import functools
import json
import math
import time
from dataclasses import replace

import numpy as np
import pytest

from benchmarks import scan
from benchmarks.scanning import summary
from benchmarks.scanning.calls import call_of, tensors_of
from benchmarks.scanning.data import Maker, drawn_like, enlarged, laid_out
from benchmarks.scanning.entries import LAYOUTS, SIZES, series_of
from benchmarks.scanning.measuring import Found
from benchmarks.scanning.serve import Server
from benchmarks.scanning.subjects import functions, modules, optimizers
from conformance.libraries import Library
from conformance.records import record, tensors_in

OURS = Library("rushlight")


@functools.cache
def cases_of(name):
    return next(cases for subject, cases in functions(OURS, [name]) if subject.name == name)


def drawn(array):
    return drawn_like(record(array, arrays_are_tensors=True))


def found(name, ours, theirs, size=1000, **more):
    entry = dict(subject=name, words="2d", dtype="float32", layout="contiguous", way="forward", size=size)
    return Found(entry, {"rushlight": ours, "torch": theirs}, **more)


@pytest.mark.parametrize("name", ["add", "cummax", "linalg.solve", "gather", "conv2d", "view", "kron"])
@pytest.mark.parametrize("size", SIZES)
def test_samples_grow_to_about_the_size(name, size):
    for case in cases_of(name):
        elements = case.growth.elements(case.arguments, case.growth.factor(case.arguments, size))
        assert size / 4 <= elements <= size * 2


@pytest.mark.parametrize(
    "name", ["hamming_window", "nn.functional.embedding", "nn.functional.cross_entropy", "where", "stack"]
)
def test_creation_indices_labels_and_lists_grow_too(name):
    assert cases_of(name)


def test_an_image_grows_and_its_kernel_does_not():
    case = cases_of("conv2d")[0]
    image, kernel, *_ = tensors_in(case.growth.applied(case.arguments, 10))
    assert math.prod(image.grown) > math.prod(image.shape) and kernel.grown == kernel.shape


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layout_changes_strides_and_not_values(layout):
    values = np.arange(24.0, dtype="float32").reshape(2, 3, 4) % 7
    tensor = Maker(OURS).build(laid_out(drawn(values), layout))
    plain = enlarged(drawn(values), 0)
    assert np.array_equal(tensor.numpy(), plain[:1].repeat(2, 0) if layout == "expanded" else plain)
    assert tensor.is_contiguous() == (layout == "contiguous")


def test_values_are_of_the_kind_of_the_sample():
    grow = lambda array, *shape: enlarged(replace(drawn(array), grown=shape), 0)
    positive = grow(np.array([[3.0, 1.0], [1.0, 2.0]]), 40, 40)
    assert (np.linalg.eigvalsh(positive) > 0).all()
    assert sorted(grow(np.array([2, 0, 1]), 30)) == list(range(30))
    assert (np.diff(grow(np.array([1.0, 2.0, 4.0]), 50)) >= 0).all()
    shares = grow(np.array([[0.25, 0.75], [0.5, 0.5]]), 5, 6)
    assert np.allclose(shares.sum(-1), 1)
    whole = grow(np.array([[-5, 3], [0, 1]]), 100, 100)
    assert whole.dtype == "int64" and whole.min() == -5 and whole.max() == 3


def test_a_first_sample_is_tried_in_every_layout_and_dtype_and_way():
    entries = [entry for series in series_of(cases_of("exp")[:1], (1000,)) for entry in series]
    assert {entry.dtype for entry in entries} == {"float32", "float64", "float16", "bfloat16", "int64", "bool"}
    assert {entry.layout for entry in entries} == {"contiguous", "transposed", "sliced", "expanded"}
    assert {entry.way for entry in entries} == {"forward", "backward", "in place", "method"}


@pytest.mark.parametrize("name", ["exp", "cummax", "linalg.solve"])
def test_a_process_prepares_runs_and_weighs_each_entry(name):
    server = Server(OURS)
    for series in series_of(cases_of(name)[:1], (1000,)):
        answer = server.answer("prepare", series[0], 5)
        if "looks" in answer:
            assert answer["looks"] and server.answer("run", 2, 5)["seconds"] > 0
            assert server.answer("memory", None, 5).get("read", 1) > 0
        else:
            assert (series[0].dtype, series[0].layout) != ("float32", "contiguous")


def test_a_call_that_takes_too_long_is_stopped():
    server = Server(OURS)
    server.sleep = time.sleep
    assert server.answer("sleep", 5, 0.01) == {"too_long": 0.01}


def test_what_changes_its_shape_in_place_is_left_out():
    for series in series_of(cases_of("unsqueeze")[:1], (1000,)):
        if (series[0].way, series[0].layout) == ("in place", "contiguous"):
            assert "cannot be repeated" in Server(OURS).answer("prepare", series[0], 5)["refused"]


def test_modules_and_optimizers_are_called_too():
    making = ("module", "Linear", (4, 3), {})
    described = {"Linear": [(making, (record((np.ones((2, 4), "float32"),), arrays_are_tensors=True), {}))]}
    ((_, (case,)),) = modules(OURS, described, [])
    backward = call_of(OURS, case.subject, case.growth.applied(case.arguments, 3), "backward")
    assert len(tensors_of(backward.run())) == 3
    ((_, of_adam),) = optimizers(OURS, ["Adam"])
    options = [case.subject.making[0] for case in of_adam]
    assert {"lr": 1e-4, "amsgrad": True} in options and {"lr": 1e-4, "weight_decay": 0.1} in options


def test_slow_entries_are_counted_and_the_worst_is_named(tmp_path):
    weighed = {"torch": {"read": 4, "added": 4}, "rushlight": {"read": 4, "added": 12}}
    every = [
        found("exp", 1.0, 2.0),
        found("log", 3.0, 2.0),
        found("cummax", 14.0, 2.0, memory=weighed),
        Found({**found("sin", 1, 1).entry}, note="refused by torch: RuntimeError: no"),
    ]
    about = {"machine": "a machine", "versions": {"torch": "torch 2.13.0"}, "minutes": 1}
    said = "\n".join(summary.lines(every, about))
    assert "3 entries of 3 ops" in said and "1 above 1.5, 2 above 1.2" in said and "median 1.50" in said
    assert "The ten worst: cummax(2d) float32 contiguous, forward, 1,000: 7.00" in said
    assert "cummax(2d) float32 contiguous, forward, 1,000: 2.00" in said and "1 refused by torch" in said
    path = tmp_path / "ops_benchmarks.md"
    path.write_text("# Benchmarks of single ops\n")
    for _ in range(2):
        summary.write(path, every, about)
    assert path.read_text().count("## The scan for cliffs") == 1
    assert path.read_text().startswith("# Benchmarks of single ops\n\n<!-- scan: begin -->")
    assert summary.kept_section(path).startswith(summary.BEGIN)


def test_numbers_are_kept_and_read_again(tmp_path, capsys):
    path = tmp_path / "scan.json"
    summary.save(path, [found("exp", 1.0, 2.0)], {"machine": "one", "versions": {}, "minutes": 2})
    assert json.loads(path.read_text())["about"]["machine"] == "one"
    assert scan.main(["--load", "--json", str(path)]) == 0
    assert "median 0.50" in capsys.readouterr().out
