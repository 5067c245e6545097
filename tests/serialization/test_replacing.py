"""Replacing: a path has the old file or the new one, whatever happens."""

from __future__ import annotations

import os
import stat
import sys

import pytest

import rushlight as torch
from rushlight.serialization.archive_writer import ArchiveWriter
from tests.serialization.killing import kill


def test_a_failure_in_the_middle_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.pt"
    torch.save([1], path)
    before = path.read_bytes()

    def fail(self):
        raise OSError("No space left on device")

    monkeypatch.setattr(ArchiveWriter, "finish", fail)
    with pytest.raises(OSError, match="No space left"):
        torch.save([2], path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def test_permissions_are_kept_and_links_followed(tmp_path):
    path, link = tmp_path / "a.pt", tmp_path / "link.pt"
    torch.save([1], path)
    path.chmod(0o640)
    link.symlink_to(path)
    torch.save([2], link)
    assert link.is_symlink() and torch.load(path) == [2]
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    umask = os.umask(0o027)
    try:
        torch.save([3], tmp_path / "new.pt")
    finally:
        os.umask(umask)
    assert stat.S_IMODE((tmp_path / "new.pt").stat().st_mode) == 0o640


def test_a_link_that_leads_nowhere_gets_its_file(tmp_path):
    link = tmp_path / "link.pt"
    link.symlink_to(tmp_path / "made.pt")
    torch.save([1], link)
    assert link.is_symlink() and torch.load(tmp_path / "made.pt") == [1]


def test_what_is_no_plain_file_is_written_to_directly():
    torch.save(torch.ones(3), os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_file_that_may_not_be_written_to_is_refused(tmp_path):
    path = tmp_path / "a.pt"
    torch.save([1], path)
    path.chmod(0o400)
    with pytest.raises(PermissionError):
        torch.save([2], path)
    assert torch.load(path) == [1]


def test_files_are_replaced_also_where_every_file_has_a_name(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    path = tmp_path / "a.pt"
    for number in range(2):
        torch.save([number], path)
        assert torch.load(path) == [number] and list(tmp_path.iterdir()) == [path]
    with pytest.raises((AttributeError, TypeError)):
        torch.save(lambda: 1, path)
    monkeypatch.setattr(ArchiveWriter, "finish", lambda self: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        torch.save([2], path)
    assert torch.load(path) == [1] and list(tmp_path.iterdir()) == [path]


def test_long_names_are_no_hindrance(tmp_path):
    path = tmp_path / ("a" * 250 + ".pt")
    torch.save([1], path)
    assert torch.load(path) == [1]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="processes are killed otherwise there")
def test_a_killed_process_leaves_a_whole_file(tmp_path):
    kill(4, tmp_path)
