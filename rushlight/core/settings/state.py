"""State: what each thread has switched on or off; `autograd/modes.py` turns the switches."""

from __future__ import annotations

import threading
from typing import Any

from rushlight.native import extension


class PlainState(threading.local):
    """What this thread has switched on or off."""

    grad = True
    # inside a backward that records nothing: results need not say why they have no history
    backward = False
    inference = False
    anomaly = False
    check_anomaly = True
    # arguments with a `__torch_function__`, and modes, have no word
    no_overrides = False
    no_modes = False
    # inside a compiled function, and one whose graph must not break
    compiled = False
    whole = False
    saved_hooks: tuple = ()
    # whether results of moving tensors move along: `forward_ad._set_fwd_grad_enabled`
    forward = True
    # the function transforms that run, outermost first
    levels: tuple = ()
    # when the innermost of those that differentiate began, as a number that grows; 0 for none
    birth = 0


state: Any = PlainState() if extension is None else extension.State()
