"""Tests of files: saving, loading, and what happens to those that are damaged or hostile."""
