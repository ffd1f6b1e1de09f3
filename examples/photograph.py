"""The picture of the demo's page in README.md, taken by a headless Chromium.

python examples/photograph.py askos-demo/report.html docs/report.png
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")
SIZE: Final = (1280, 940)
"""Pixels: the head of the page, the power of the park, and its alerts."""


def main(arguments: Sequence[str]) -> int:
    """Take it."""
    page, picture = (Path(argument).absolute() for argument in arguments)
    browser = next((path for name in NAMES if (path := shutil.which(name))), None)
    if browser is None:
        print("there is no Chromium here: install one", file=sys.stderr)
        return 4
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        size = ",".join(map(str, SIZE))
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        own = [f"--user-data-dir={folder}", f"--window-size={size}", f"--screenshot={picture}"]
        subprocess.run([browser, *flags, *own, page.as_uri()], check=True, capture_output=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
