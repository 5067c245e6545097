"""The version: text that compares as a version, also with tuples; what is no version is compared as text."""

import pytest

from rushlight.torch_version import TorchVersion


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2.13.0", "2.5"),
        ("2.13.0+cpu", "2.13.0"),
        ("2.13.0", "2.13.0a0"),
        ("2.13.0a1", "2.13.0.dev1"),
        ("2.13", (2, 5)),
    ],
)
def test_later_versions(one, other):
    version = TorchVersion(one)
    assert (version > other, version >= other, version < other, version <= other) == (True, True, False, False)
    assert (version == other) is False


def test_equal_versions_of_other_text():
    assert TorchVersion("2.13.0") == "2.13"
    assert TorchVersion("2.13.0") == (2, 13)
    assert TorchVersion("2.13.0") != (2, 13)  # as in torch, which leaves this to str


def test_text_that_is_no_version():
    assert TorchVersion("2.13.0") < "parrot"
    with pytest.raises(TypeError, match="'<' not supported between instances of 'TorchVersion' and 'int'"):
        TorchVersion("2.0") < 2  # noqa: B015
