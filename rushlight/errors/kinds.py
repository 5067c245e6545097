"""Errors that torch has beside Python's own."""

from __future__ import annotations


class OutOfMemoryError(RuntimeError):
    """The memory of a GPU is full, in torch; nothing raises it here."""


class LinAlgError(RuntimeError):
    """A matrix for which a decomposition does not exist or did not converge."""
