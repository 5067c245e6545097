"""Memory that nobody has set: whatever it holds, results are the same."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys

import pytest

# glibc fills what it hands out with one byte and what is given back with its complement; the pool must not keep any
FILLED = {"RUSHLIGHT_POOL": "0", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0", "PYTHONHASHSEED": "0"}
MEMORY_OF_NO_VALUE = ("empty",)


def digests() -> None:
    """Prints what memory holds at first, then for each op a hash of the results and gradients of its first samples."""
    import rushlight as torch
    from tests.ops.samples import SAMPLED, arguments, flat, outcome, values

    # what shows that memory is filled at all
    print(torch.empty(64).tolist())
    for op in SAMPLED:
        if any(word in op.name for word in MEMORY_OF_NO_VALUE):
            continue
        found = hashlib.sha256()
        for sample in op.samples()[:4]:
            torch.manual_seed(0)
            args, kwargs = arguments(sample, requires_grad=True)
            results = flat(outcome(op.function, args, kwargs))
            leaves = [each for each in flat([*args, *kwargs.values()]) if each.requires_grad]
            outputs = [each.abs().sum() for each in results if each.requires_grad]
            grads = (
                outcome(torch.autograd.grad, (outputs, leaves), {"allow_unused": True}) if outputs and leaves else ()
            )
            for each in (*results, *flat(grads)):
                found.update(values(each.detach()).tobytes())
        print(op.name, found.hexdigest())


def told(fill: int) -> list[str]:
    code = "from tests.native.test_unset_memory import digests; digests()"
    environment = {**os.environ, **FILLED, "MALLOC_PERTURB_": str(fill)}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


# every op in two processes of its own: 3 s
@pytest.mark.thorough
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries do not fill memory")
@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="nor does the sanitizer's allocator")
def test_results_do_not_depend_on_what_memory_held_before():
    # as floats 0.75 and -6.02, as doubles 0.0005 and -8577: neither goes unnoticed in a sum
    one, other = told(192), told(63)
    assert len(one) > 500 and one[0] != other[0]
    assert one[1:] == other[1:]
