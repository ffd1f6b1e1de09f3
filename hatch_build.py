"""Compiles what is in C when askos is installed, if there is a compiler.

Without one askos is pure Python, slower, and the same otherwise: see `askos/native.py`.
`ASKOS_COMPILED=no` leaves the compiler out.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCES = {
    Path("askos/columns/reading.c"): Path("askos/columns/_reading.abi3.so"),
    Path("askos/columns/writing.c"): Path("askos/columns/_writing.abi3.so"),
    Path("askos/columns/parts.c"): Path("askos/columns/_parts.abi3.so"),
    Path("askos/columns/groups.c"): Path("askos/columns/_groups.abi3.so"),
    Path("askos/columns/rows.c"): Path("askos/columns/_rows.abi3.so"),
    Path("askos/sweeparea/probes.c"): Path("askos/sweeparea/_probes.abi3.so"),
    Path("askos/sweeparea/pairs.c"): Path("askos/sweeparea/_pairs.abi3.so"),
    Path("askos/sweeparea/uncovered.c"): Path("askos/sweeparea/_uncovered.abi3.so"),
    Path("askos/physical/written.c"): Path("askos/physical/_written.abi3.so"),
}


class CustomBuildHook(BuildHookInterface[Any]):
    """Puts compiled modules beside their sources, and into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile; what the modules need of Python has been the same since 3.11."""
        root = Path(self.root)
        for source, made in SOURCES.items():
            why = compiled(root / source, root / made)
            if why is not None:
                (root / made).unlink(missing_ok=True)
                self.app.display_warning(f"{source} is not compiled, askos is slower: {why}")
                continue
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["pure_python"] = False
            build_data["tag"] = f"cp311-abi3-{platform}"
            build_data["artifacts"].append(str(made))


def compiled(source: Path, made: Path) -> str | None:
    """Compile one source file; why that was not possible, if it was not."""
    if os.environ.get("ASKOS_COMPILED", "").lower() in ("no", "0", "false"):
        return "ASKOS_COMPILED says so"
    if sys.platform == "win32":
        return "on Windows it is not compiled"
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    flags = ["-O2", "-shared", "-fPIC"]
    if sys.platform == "darwin":
        flags += ["-undefined", "dynamic_lookup"]
    headers = sysconfig.get_paths()["include"]
    new = made.with_suffix(f".{os.getpid()}")  # others may be using the one that is there
    command = [compiler[0], *flags, f"-I{headers}", str(source), "-o", str(new)]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
        new.replace(made)
    except OSError as error:
        return f"{compiler[0]}: {error.strerror}"
    except subprocess.CalledProcessError as error:
        return next(iter(error.stderr.splitlines()), f"{compiler[0]} failed")
    return None
