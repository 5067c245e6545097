"""Sources: which lines of a text store, write and set rates."""

import linecache

import pytest

from rushlight.doctor import sources


@pytest.fixture
def text_of():
    known = []

    def make(text):
        path = f"<text {len(known)} {id(known)}>"
        linecache.cache[path] = (len(text), None, text.splitlines(True), path)
        known.append(path)
        return path

    yield make
    for path in known:
        del linecache.cache[path]


def test_lines_that_store_a_value_as_it_is(text_of):
    path = text_of(
        "losses.append(loss)\nlosses.append(loss.item())\nlog[3] = loss\nlog = loss\n"
        "memory.push(Step(loss, 1))\nlosses += [loss]\nlosses.append(loss + 1)\n"
    )
    assert sources.lines_that_store(path, {"loss"}) == [1, 3, 5, 6]


def test_lines_that_write_to_an_array(text_of):
    path = text_of(
        "x = buffer\nbuffer[:] = 1\nbuffer *= 2\nnp.copyto(buffer, x)\nnp.clip(x, 0, 1, out=buffer)\n"
        "buffer.fill(0)\nrng.shuffle(buffer)\nbuffer = x\ny[0] = buffer\n"
    )
    assert sources.lines_that_write(path, {"buffer"}) == [2, 3, 4, 5, 6, 7]


def test_what_sets_up_is_no_write_where_another_line_is(text_of):
    path = text_of("def reset(self):\n    self.x[:] = 0\ndef step(self):\n    self.x += 1\n")
    assert sources.lines_that_write(path, {"self.x"}) == [4]


def test_lines_that_set_rates_and_that_forget_to_call(text_of):
    path = text_of("group['lr'] = 0.1\ngroup['lr'] *= 0.5\ngroup['momentum'] = 0\noptimizer.step\noptimizer.step()\n")
    assert sources.lines_that_set_rate(path) == [1, 2]
    assert sources.lines_without_call(path, "step") == [4]


def test_a_text_that_is_no_python_has_no_lines(text_of):
    assert sources.lines_that_set_rate(text_of("group['lr' = 1\n")) == []
