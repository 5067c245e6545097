"""`pytest --rushlight-doctor`: each test runs under observation, and fails if something is found.

In tests that import torch, torch means Rushlight then. Nothing of the doctor is loaded without the option.
"""

from __future__ import annotations

import io
from collections.abc import Generator
from typing import Any

import pytest

OPTION = "--rushlight-doctor"


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("rushlight")
    group.addoption(OPTION, action="store_true", help="run each test under Rushlight's doctor; findings fail it")
    group.addoption("--rushlight-doctor-ignore", action="append", default=[], metavar="ID", help="leave a finding out")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: Any) -> None:
    """Before anything imports torch."""
    if early_config.known_args_namespace.rushlight_doctor:
        from rushlight import compat

        compat.install()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: Any) -> Generator[None, Any, None]:
    if not item.config.getoption(OPTION):
        yield
        return
    from rushlight.doctor.report.terminal import print_report
    from rushlight.doctor.watch import Watch

    watch = Watch(ignore=item.config.getoption("--rushlight-doctor-ignore"))
    with watch:
        outcome = yield
        if outcome.excinfo is not None:
            # told to the watch by hand: pytest keeps the error
            watch.end(outcome.excinfo[1])
    if not watch.findings:
        return
    text = io.StringIO()
    print_report(watch, text)
    if outcome.excinfo is None:
        outcome.force_exception(pytest.fail.Exception(text.getvalue(), pytrace=False))
    else:
        item.add_report_section("call", "Rushlight's doctor", text.getvalue())
