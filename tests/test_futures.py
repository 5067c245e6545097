"""torch.futures: results that are there later."""

import threading

import pytest

import rushlight as torch
from rushlight.futures import Future, collect_all, wait_all


def test_a_result_from_another_thread():
    future = Future()
    thread = threading.Thread(target=future.set_result, args=(torch.ones(1),))
    assert not future.done()
    thread.start()
    assert future.wait().item() == 1
    thread.join()
    assert future.done()
    assert future.value().item() == 1


def test_a_result_is_set_once_and_not_read_before():
    future = Future()
    with pytest.raises(RuntimeError, match="called before the result was set"):
        future.value()
    future.set_result(1)
    with pytest.raises(RuntimeError, match="can only be marked completed once"):
        future.set_result(2)


def test_callbacks_before_and_after():
    future = Future()
    before = future.then(lambda done: done.wait() + 1)
    seen = []
    future.add_done_callback(lambda done: seen.append(done.value()))
    future.set_result(1)
    assert before.wait() == 2
    assert before.then(lambda done: done.value() * 3).wait() == 6
    assert seen == [1]


def test_exceptions_are_handed_on(capsys):
    future = Future()
    after = future.then(lambda done: done.value())
    future.add_done_callback(lambda done: 1 / 0)
    future.set_exception(ValueError("lost"))
    for each in (future, after):
        with pytest.raises(ValueError, match="lost"):
            each.wait()
    assert "ZeroDivisionError" in capsys.readouterr().err
    with pytest.raises(AssertionError, match="not an Exception"):
        Future().set_exception("words")


def test_several_together():
    futures = [Future(), Future()]
    together = collect_all(futures)
    futures[1].set_result(2)
    assert not together.done()
    futures[0].set_result(1)
    assert [each.value() for each in together.wait()] == [1, 2]
    assert wait_all(futures) == [1, 2]
    assert collect_all([]).wait() == []
