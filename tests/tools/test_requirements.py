"""The requirements of an extra: with those of the extras it names, without the package itself."""

import pytest

from tools.requirements import main


def test_an_extra_brings_what_the_extras_in_it_ask_for(capsys):
    main("dev")
    lines = capsys.readouterr().out.split()
    assert {"pytest>=8", "matplotlib", "numpy>=2"} <= set(lines)
    assert not any(line.startswith("rushlight") for line in lines)


def test_an_unknown_extra_is_named_with_those_that_exist():
    extras = (
        "examples, safetensors, tensorboard, onnx, distributed, ray, doctor, docs, notebooks, conformance, test, dev"
    )
    with pytest.raises(SystemExit, match=f"no extra 'devel'; it has {extras}"):
        main("devel")
