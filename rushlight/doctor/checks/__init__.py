"""Checks, one file a chapter of the catalogue, one function a check."""
