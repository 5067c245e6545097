"""Errors that torch has beside Python's own."""

from __future__ import annotations


class LinAlgError(RuntimeError):
    """A matrix for which a decomposition does not exist or did not converge."""
