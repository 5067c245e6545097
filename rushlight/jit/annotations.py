"""Annotations that programs import for TorchScript; they say to readers what they say to type checkers."""

from __future__ import annotations

from typing import Any, Optional, Union

# a number, or as many of them as the name says
BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = list
List, Dict, Tuple = list, dict, tuple

__all__ = [
    "Any",
    "BroadcastingList1",
    "BroadcastingList2",
    "BroadcastingList3",
    "Dict",
    "List",
    "Optional",
    "Tuple",
    "Union",
]
