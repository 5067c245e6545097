"""The model of many processes, and the page that is written from what was measured in a few."""

import pytest

from benchmarks import scaling

TIMES = {"all_reduce": 4.0, "bare": 2.0}
FOUND = {
    "collectives": {"2": {"4": TIMES, "4194304": {"all_reduce": 1004.0, "bare": 1000.0}}},
    "gloo": {"2": {"4": {"all_reduce": 300.0}}},
    "training": {
        "1": {
            "a": {"backward": 50.0, "alone": 51.0, "messages": 0.1, "both": 51.0, "waiting": 0.0, "parameters": 10**6}
        },
        "2": {
            "a": {"backward": 50.0, "alone": 51.0, "messages": 10.0, "both": 58.0, "waiting": 4.0, "parameters": 10**6}
        },
    },
    "bytes": {"2": {"sent": 1.02}},
}


def test_latency_and_bandwidth_follow_from_the_smallest_and_the_largest_message():
    latency, bandwidth = scaling.fitted(FOUND["collectives"]["2"])
    assert latency == pytest.approx(2e-6) and bandwidth == pytest.approx(4194304 / 1e-3)


def test_messages_take_twice_the_bytes_and_two_steps_for_each_doubling():
    assert scaling.message_time(1, 100, 1, 1) == 0
    assert scaling.message_time(4, 4e9, 1e-6, 1e9) == pytest.approx(4e-6 + 1.5 * 4)
    assert scaling.message_time(1024, 4, 1e-6, 1e9) == pytest.approx(20e-6, rel=1e-2)


def test_the_share_of_computing_falls_with_the_messages_that_are_not_hidden():
    assert scaling.efficiency(1, 10**6, 1.0, 1e-6, 1e9, 0.5) == 1
    exposed = 0.5 * scaling.message_time(2, 4e6, 1e-6, 1e9)
    assert scaling.efficiency(2, 10**6, 1.0, 1e-6, 1e9, 0.5) == pytest.approx(1 / (1 + exposed))


def test_the_page_has_what_was_measured():
    page = scaling.page_section(FOUND, scaling.model(FOUND))
    assert "| 4 | 2 | 4.0 | 2.0 | 2.00 | 300.0 |" in page
    assert "| 1,000,000 | 2 | 51.00 | 10.00 | 58.00 | 4.00 | 60% | 30% |" in page
    assert "| 2 | 1.02 | 1.00 |" in page and "| 10^8 | 10 Gbit Ethernet |" in page
