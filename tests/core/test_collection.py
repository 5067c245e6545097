"""The import leaves the collection of garbage as it was."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("before", ["enable", "disable"])
def test_an_import_leaves_the_collection_as_it_was(before):
    code = f"import gc; gc.{before}(); import rushlight; print(gc.isenabled())"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == [str(before == "enable")]
