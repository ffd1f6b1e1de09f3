"""The jobs over a park, in a process of their own, which may be killed: started again, it goes on.

python -m askos.demo.child FOLDER     FOLDER has a park; it gets a checkpoint, and answers.txt
"""

from __future__ import annotations

import sys
from pathlib import Path

from askos.demo.folder import Folder
from askos.demo.normal import answer_lines
from askos.demo.proof import ANSWERS as TEXT
from askos.demo.running import ANSWERS, run_jobs
from askos.generate.jobs import jobs
from askos.spark import session


def main(arguments: list[str]) -> int:
    """Run them, and write what they answered in normal form."""
    (out,) = map(Path, arguments)
    spark = session(settings={"spark.ui.showConsoleProgress": "false"})
    run = run_jobs(spark, Folder(out / "park"), [*jobs().values()], out / "checkpoint", print)
    lines = answer_lines(spark, run.queries, run.checkpoint / ANSWERS)
    (out / TEXT).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
