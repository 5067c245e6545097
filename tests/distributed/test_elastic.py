"""torch.distributed.elastic: the helpers that packages import of it."""

import logging
import os
import socket

import pytest

import rushlight as torch
from rushlight.distributed import _composable_state
from rushlight.distributed.elastic import utils
from rushlight.distributed.elastic.multiprocessing import Std, to_map
from rushlight.distributed.elastic.multiprocessing.redirects import redirect
from rushlight.distributed.elastic.utils.distributed import get_free_port
from rushlight.distributed.elastic.utils.logging import get_logger


def test_a_free_port_can_be_listened_on():
    port = get_free_port()
    with socket.socket() as found:
        found.bind(("127.0.0.1", port))
    with utils.get_socket_with_port() as listening:
        assert listening.getsockname()[1] > 0


def test_streams_are_read_from_the_words_of_the_command_line():
    assert Std.from_str("3") is Std.ALL and Std.OUT | Std.ERR is Std.ALL
    assert Std.from_str("0:1,1:2") == {0: Std.OUT, 1: Std.ERR}
    assert to_map({1: Std.ERR}, 2) == {0: Std.NONE, 1: Std.ERR} and to_map(Std.OUT, 2) == {0: Std.OUT, 1: Std.OUT}
    with pytest.raises(ValueError, match="9 does not match"):
        Std.from_str("9")


def test_variables_that_are_needed_are_asked_for(monkeypatch):
    monkeypatch.setenv("RUSHLIGHT_SOME", "1")
    assert utils.get_env_variable_or_raise("RUSHLIGHT_SOME") == "1"
    monkeypatch.delenv("RUSHLIGHT_SOME")
    with pytest.raises(ValueError, match="Environment variable RUSHLIGHT_SOME expected, but not set"):
        utils.get_env_variable_or_raise("RUSHLIGHT_SOME")


def test_a_port_is_missed_where_nothing_can_be_bound(monkeypatch):
    monkeypatch.setattr(socket, "getaddrinfo", lambda *arguments: [])
    with pytest.raises(RuntimeError, match="Failed to create a socket"):
        utils.get_socket_with_port()


def test_a_logger_has_the_level_of_the_environment(monkeypatch):
    monkeypatch.setenv("LOGLEVEL", "ERROR")
    assert get_logger("some").level == logging.ERROR and get_logger().name == __name__


def test_macros_become_the_rank():
    assert utils.macros.substitute(["--log", "out_${local_rank}"], "3") == ["--log", "out_3"]


def test_a_stream_goes_into_a_file_and_back(tmp_path):
    with redirect("stderr", str(tmp_path / "errors")):
        os.write(2, b"from below")
    assert (tmp_path / "errors").read_bytes() == b"from below"
    with pytest.raises(ValueError, match="unknown standard stream <stdin>"), redirect("stdin", "x"):
        pass


def test_modules_have_no_state_of_wrappers_until_one_is_left_with_them():
    module, state = torch.nn.Linear(1, 1), _composable_state._State()
    assert _composable_state._get_module_state(module) is None
    _composable_state._insert_module_state(module, state)
    assert _composable_state._get_module_state(module) is state
    with pytest.raises(AssertionError, match="more than once"):
        _composable_state._insert_module_state(module, state)
