"""A headless Chromium, spoken to by its own protocol over a pipe: pages as people see them.

No package is needed, only the browser: `chromium`, `chromium-browser`, `google-chrome`, or what
ASKOS_CHROMIUM says.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",  # it shows pages of ours alone, and tests may run as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)


def found() -> str | None:
    """The browser of this machine, if there is one."""
    asked = os.environ.get("ASKOS_CHROMIUM")
    return asked or next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """A running browser: commands go out by one pipe, answers and events come by another."""

    def __init__(self, out: int, back: int) -> None:
        self._out, self._back = os.fdopen(out, "wb", 0), os.fdopen(back, "rb")
        self._count, self.session = 0, ""
        self.events: list[dict[str, Any]] = []

    def __call__(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command, and wait for its answer."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self._out.write(json.dumps(message).encode() + b"\0")
        while True:
            said = self._next()
            if said.get("id") == self._count:
                assert "error" not in said, f"{method}: {said['error']}"
                return dict(said["result"])

    def wait(self, method: str) -> None:
        """Wait for an event."""
        while not any(event["method"] == method for event in self.events):
            self._next()

    def _next(self) -> dict[str, Any]:
        data = bytearray()
        while (byte := self._back.read(1)) != b"\0":
            assert byte, "the browser has gone"
            data += byte
        said: dict[str, Any] = json.loads(data)
        if "method" in said:
            self.events.append(said)
        return said

    def close(self) -> None:
        """Leave no pipe open."""
        self._out.close()
        self._back.close()


class Page:
    """A page that is shown, so wide, in light or in dark."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser

    def evaluate(self, expression: str) -> Any:
        """What a piece of script gives."""
        told = self.browser("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in told, told["exceptionDetails"]
        return told["result"].get("value")

    @property
    def complaints(self) -> list[str]:
        """Errors and warnings of the console."""
        kinds = ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")
        return [json.dumps(e["params"]) for e in self.browser.events if e["method"] in kinds]

    @property
    def requests(self) -> list[str]:
        """Addresses that were asked for."""
        return [
            str(event["params"]["request"]["url"])
            for event in self.browser.events
            if event["method"] == "Network.requestWillBeSent"
        ]

    def photograph(self, file: Path) -> None:
        """A picture of the whole page."""
        told = self.browser("Page.captureScreenshot", captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(told["data"]))


@contextmanager
def shown(file: Path, width: int, scheme: str) -> Iterator[Page]:
    """The page of a file, in a browser of its own."""
    path = found()
    assert path is not None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, _pipes() as pipes:
        process = _started(path, folder, pipes)
        browser = Browser(pipes.pop(), pipes.pop())
        try:
            yield _opened(browser, file, width, scheme)
            browser.session = ""
            browser("Browser.close")
        finally:
            browser.close()
            process.kill()
            process.wait()


@contextmanager
def _pipes() -> Iterator[list[int]]:
    """Ends for the browser, then ours; whoever takes one closes it."""
    read, out = os.pipe()
    back, write = os.pipe()
    ends = [read, write, back, out]
    try:
        yield ends
    finally:
        for end in ends:
            os.close(end)


def _started(path: str, folder: str, pipes: list[int]) -> subprocess.Popen[bytes]:
    """The browser reads from 3 and writes to 4."""
    read, write = pipes[:2]
    shell = f'exec "$0" "$@" 3<&{read} 4>&{write}'
    command = ["bash", "-c", shell, path, *FLAGS, f"--user-data-dir={folder}"]
    started = subprocess.Popen(
        command, pass_fds=(read, write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    for end in (read, write):
        pipes.remove(end)
        os.close(end)
    return started


def _opened(browser: Browser, file: Path, width: int, scheme: str) -> Page:
    target = browser("Target.createTarget", url="about:blank")["targetId"]
    attached = browser("Target.attachToTarget", targetId=target, flatten=True)
    browser.session = attached["sessionId"]
    for domain in ("Page", "Runtime", "Log", "Network"):
        browser(f"{domain}.enable")
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser("Emulation.setDeviceMetricsOverride", **size)
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser("Emulation.setEmulatedMedia", features=[feature])
    browser.events.clear()
    browser("Page.navigate", url=file.absolute().as_uri())
    browser.wait("Page.loadEventFired")
    return Page(browser)
