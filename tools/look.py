"""Opens every page of the built site in a headless Chromium, from the disk, and reports what is wrong with it.

    make docs && python tools/look.py                        all pages, at the width of a desktop and of a phone
    python tools/look.py --only index quickstart --pictures build/look      with screenshots

Wrong is an error on the console, an exception, what cannot be loaded, what is asked of the network, and a page that is
wider than the screen. The search box must find `cross_entropy`. Needs Chromium and Python alone; ends with 1 if a page
is wrong.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "build" / "site"
WIDTHS = {"desktop": (1280, 900, False), "phone": (390, 844, True)}
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars --remote-debugging-port=0"
).split()
# what the search must find among the first
SOUGHT = "cross_entropy"


class Connection:
    """A WebSocket to a page of the browser: the few frames of the protocol that this needs."""

    def __init__(self, address: str):
        host, _, path = address.removeprefix("ws://").partition("/")
        name, _, port = host.partition(":")
        self.socket = socket.create_connection((name, int(port)), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self.rest = b""
        while b"\r\n\r\n" not in self.rest:
            self.rest += self.socket.recv(4096)
        self.rest = self.rest.partition(b"\r\n\r\n")[2]
        self.number = 0
        self.events: list[dict] = []

    def read(self, count: int) -> bytes:
        while len(self.rest) < count:
            part = self.socket.recv(1 << 16)
            if not part:
                raise ConnectionError("the browser has gone")
            self.rest += part
        found, self.rest = self.rest[:count], self.rest[count:]
        return found

    def receive(self) -> dict:
        """The next message, out of as many frames as it has."""
        whole = b""
        while True:
            first, second = self.read(2)
            length = second & 127
            if length > 125:
                length = int.from_bytes(self.read(2 if length == 126 else 8), "big")
            part = self.read(length)
            if first & 15 in (0, 1, 2):
                whole += part
                if first & 128:
                    return json.loads(whole)

    def ask(self, method: str, **params: Any) -> dict:
        """Call a method of the protocol; events that come meanwhile are kept."""
        self.number += 1
        data = json.dumps({"id": self.number, "method": method, "params": params}).encode()
        length = bytes([128 | 126]) + struct.pack(">H", len(data)) if len(data) < 1 << 16 else b""
        if len(data) < 126:
            length = bytes([128 | len(data)])
        # a mask of zeros leaves the bytes as they are
        self.socket.sendall(b"\x81" + length + bytes(4) + data)
        while True:
            message = self.receive()
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.events.append(message)

    def value(self, expression: str) -> Any:
        """What JavaScript gives in the page, promises waited for."""
        found = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        return found["result"].get("value")


class Browser:
    """A Chromium with a profile of its own, which is gone afterwards."""

    def __enter__(self) -> Connection:
        program = next((found for name in NAMES if (found := shutil.which(name))), None)
        if program is None:
            sys.exit("needs Chromium: apt-get install chromium")
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        command = [program, *FLAGS, f"--user-data-dir={self.folder.name}", "about:blank"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = Path(self.folder.name, "DevToolsActivePort")
        for _ in range(600):
            if port.exists() and port.read_text().count("\n"):
                break
            time.sleep(0.1)
        number = port.read_text().splitlines()[0]
        with urllib.request.urlopen(f"http://127.0.0.1:{number}/json/list") as answer:
            pages = [each for each in json.load(answer) if each["type"] == "page"]
        self.connection = Connection(pages[0]["webSocketDebuggerUrl"])
        for part in ("Page", "Runtime", "Log", "Network"):
            self.connection.ask(f"{part}.enable")
        return self.connection

    def __exit__(self, *error: object) -> None:
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()


def show(page: Connection, path: Path, width: str) -> list[str]:
    """Open a page and say what is wrong with it."""
    across, down, mobile = WIDTHS[width]
    page.ask("Emulation.setDeviceMetricsOverride", width=across, height=down, deviceScaleFactor=1, mobile=mobile)
    page.events.clear()
    page.ask("Page.navigate", url=path.as_uri())
    loaded = "document.readyState == 'complete' && location.href.startsWith('file:')"
    for _ in range(300):
        if page.value(loaded):
            break
        time.sleep(0.02)
    else:
        return ["it did not load"]
    # what scripts do when all is there
    page.value("new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")
    found = [words for event in page.events if (words := wrong(event))]
    wide = page.value("document.documentElement.scrollWidth")
    if wide > across:
        found.append(f"{wide} pixels wide on a screen of {across}")
    pictures = "[...document.images].filter(image => !image.naturalWidth).map(image => image.src).join(' ')"
    if missing := page.value(pictures):
        found.append(f"no picture: {missing}")
    return found


def wrong(event: dict) -> str | None:
    """What an event of the browser complains of; None for the others."""
    params = event.get("params", {})
    match event.get("method"):
        case "Runtime.exceptionThrown":
            return f"exception: {params['exceptionDetails'].get('exception', {}).get('description', params)}"
        case "Runtime.consoleAPICalled" if params["type"] in ("error", "assert"):
            return f"console: {[each.get('value', each.get('description')) for each in params['args']]}"
        case "Log.entryAdded" if params["entry"]["level"] == "error":
            return f"log: {params['entry']['text']} {params['entry'].get('url', '')}"
        case "Network.requestWillBeSent" if params["request"]["url"].startswith(("http:", "https:")):
            return f"asks the network for {params['request']['url']}"
        case "Network.loadingFailed" if not params.get("canceled"):
            return f"cannot load: {params['errorText']}"
    return None


def search(page: Connection, words: str) -> list[str]:
    """The addresses that the search box of the open page offers."""
    page.ask("Emulation.setFocusEmulationEnabled", enabled=True)
    page.value("document.querySelector('[data-md-component=search-query]').focus()")
    page.ask("Input.insertText", text=words)
    page.ask("Input.dispatchKeyEvent", type="keyUp", key="y")
    links = "[...document.querySelectorAll('.md-search-result__link')].map(link => link.href).join('\\n')"
    for _ in range(300):
        if found := page.value(links):
            return found.splitlines()
        time.sleep(0.1)
    return []


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--site", type=Path, default=SITE, metavar="FOLDER", help="where the site is; build/site")
    parser.add_argument("--only", nargs="+", metavar="PAGE", help="as index or reference/index, without .html")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="screenshots go there")
    arguments = parser.parse_args()
    site = arguments.site.resolve()
    # 404.html is for servers: its links begin at their root
    pages = sorted(path for path in site.rglob("*.html") if path.name != "404.html")
    if arguments.only:
        pages = [path for path in pages if path.relative_to(site).with_suffix("").as_posix() in arguments.only]
    if not pages:
        sys.exit(f"no pages in {site}: make docs")
    bad = 0
    with Browser() as page:
        for path in pages:
            for width in WIDTHS:
                for words in (found := show(page, path, width)):
                    print(f"{path.relative_to(site)}, {width}: {words}", flush=True)
                bad += bool(found)
                if arguments.pictures:
                    take(page, arguments.pictures / f"{path.relative_to(site).with_suffix('')}-{width}.png")
        show(page, site / "index.html", "desktop")
        offered = search(page, SOUGHT)
    good = any(SOUGHT in each.partition("#")[2] for each in offered[:3])
    print(f"{len(pages)} pages at {len(WIDTHS)} widths, {bad} with something wrong; ", end="")
    print(f"the search for {SOUGHT} offers {offered[0] if offered else 'nothing'}")
    return 0 if good and not bad else 1


def take(page: Connection, file: Path) -> None:
    """A screenshot of what is seen."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(base64.b64decode(page.ask("Page.captureScreenshot", format="png")["data"]))


if __name__ == "__main__":
    sys.exit(main())
