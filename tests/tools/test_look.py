"""The look at the site: what a browser complains of is told, and the rest is not."""

import socket
import threading

import pytest

from tools import look


def event(method, **params):
    return {"method": method, "params": params}


@pytest.mark.parametrize(
    "complaint, words",
    [
        (event("Runtime.exceptionThrown", exceptionDetails={"exception": {"description": "TypeError"}}), "TypeError"),
        (event("Runtime.consoleAPICalled", type="error", args=[{"value": "no"}]), "console: ['no']"),
        (event("Log.entryAdded", entry={"level": "error", "text": "gone", "url": "file:///a"}), "log: gone file:///a"),
        (event("Network.requestWillBeSent", request={"url": "https://example.org"}), "the network"),
        (event("Network.loadingFailed", errorText="ERR"), "cannot load: ERR"),
    ],
)
def test_complaints_are_told(complaint, words):
    assert words in look.wrong(complaint)


@pytest.mark.parametrize(
    "harmless",
    [
        event("Runtime.consoleAPICalled", type="log", args=[]),
        event("Log.entryAdded", entry={"level": "warning", "text": "old"}),
        event("Network.requestWillBeSent", request={"url": "file:///a"}),
        event("Network.loadingFailed", errorText="ERR_ABORTED", canceled=True),
        {"id": 3, "result": {}},
    ],
)
def test_other_events_are_not(harmless):
    assert look.wrong(harmless) is None


def test_messages_go_in_frames_and_come_back_whole():
    server = socket.create_server(("127.0.0.1", 0))
    heard = []

    def answer():
        peer, _ = server.accept()
        with peer:
            peer.recv(4096)
            peer.sendall(b"HTTP/1.1 101 Switching Protocols\r\n\r\n")
            heard.append(peer.recv(4096))
            kept = b'{"method": "Page.loaded"}'
            long = b'{"id": 1, "result": {"text": "' + b"x" * 200 + b'"}}'
            # an event, then an answer in two frames, the first of which is longer than 125 bytes
            peer.sendall(b"\x81" + bytes([len(kept)]) + kept)
            peer.sendall(b"\x01\x7e" + (150).to_bytes(2, "big") + long[:150])
            peer.sendall(b"\x80" + bytes([len(long) - 150]) + long[150:])

    thread = threading.Thread(target=answer)
    thread.start()
    connection = look.Connection(f"ws://127.0.0.1:{server.getsockname()[1]}/page")
    assert connection.ask("Page.enable")["text"] == "x" * 200
    assert connection.events == [{"method": "Page.loaded"}]
    thread.join()
    connection.socket.close()
    server.close()
    # text in one frame, masked with zeros
    assert heard[0][0] == 0x81 and heard[0][1] & 128 and heard[0][2:6] == bytes(4)
    assert heard[0].endswith(b'"method": "Page.enable", "params": {}}')
