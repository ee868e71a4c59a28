#!/usr/bin/env python3
"""Runs the blocks of one page of the documentation; tests/docs/README.md has the rules."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

from page import PageError, differing_line, read_page

SKIPPED = 77
OWN = {"build", ".git", ".cache"}  # entries of the source tree that a page does not see


class Failure(Exception):
    pass


class Runner:
    """Runs blocks in one folder, the Python ones in one namespace."""

    def __init__(self, page, folder, features):
        self.page = page
        self.folder = folder
        self.features = features
        self.names = {"__name__": "__main__"}
        self.output = None  # of the last block that ran; None: it did not

    def run(self, block):
        where = f"{self.page.name}:{block.line}"
        missing = [feature for feature in block.needs if feature not in self.features]
        if block.is_output:
            if self.output is not None:
                self.compare(block, where)
        elif block.reason_not_to_run or missing:
            reason = block.reason_not_to_run or f"this build has no {', '.join(missing)}"
            print(f"{where}: not run: {reason}")
            self.output = None
        elif block.file_name:
            file = self.folder / block.file_name
            file.parent.mkdir(parents=True, exist_ok=True)
            if file.is_symlink():
                raise Failure(f"{where}: {block.file_name} is a file of the repository")
            file.write_text(block.text, encoding="utf-8")
        elif block.language == "bash":
            self.run_bash(block, where)
        elif block.language == "python":
            self.run_python(block, where)
        elif block.language in ("cpp", "cmake"):
            raise Failure(f"{where}: a {block.language} block whose first line names no file")

    def run_bash(self, block, where):
        script = "set -euo pipefail\n" + block.text
        done = subprocess.run(
            ["bash", "-c", script], cwd=self.folder, text=True, encoding="utf-8", errors="replace",
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        self.output = done.stdout
        print(f"{where}: exit code {done.returncode}\n{block.text}{done.stdout}", flush=True)
        if done.returncode != block.exit_code:
            raise Failure(f"{where}: exit code {done.returncode} (must be {block.exit_code})")

    def run_python(self, block, where):
        code = "\n" * block.line + block.text  # so that a traceback has the page's lines
        with tempfile.TemporaryFile() as capture:
            error = self.execute(code, capture)
            capture.seek(0)
            self.output = capture.read().decode("utf-8", errors="replace")
        print(f"{where}: python\n{block.text}{self.output}", flush=True)
        if error:
            raise Failure(f"{where}: {error}")

    def execute(self, code, capture):
        """Runs `code` with all that it and its libraries print sent to `capture`."""
        sys.stdout.flush()
        sys.stderr.flush()
        kept = [os.dup(1), os.dup(2)]
        os.dup2(capture.fileno(), 1)
        os.dup2(capture.fileno(), 2)
        error = None
        try:
            exec(compile(code, str(self.page), "exec"), self.names)
        except (Exception, SystemExit) as raised:
            traceback.print_exc()
            error = f"{type(raised).__name__}: {raised}"
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for number, descriptor in enumerate(kept, 1):
                os.dup2(descriptor, number)
                os.close(descriptor)
        return error

    def compare(self, block, where):
        difference = differing_line(block.text, self.output)
        if difference:
            raise Failure(f"{where}: {difference}")


def fill(folder, source, build):
    """Makes `folder` look like the repository's root with a build in build/release."""
    for entry in source.iterdir():
        if entry.name == "docs":  # a copy, for its programs write beside themselves
            shutil.copytree(entry, folder / "docs")
        elif entry.name not in OWN and entry.suffix not in (".h5", ".png"):
            (folder / entry.name).symlink_to(entry)
    (folder / "build").mkdir()
    (folder / "build/release").symlink_to(build)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path)
    parser.add_argument("--source", type=Path, required=True, help="the repository's root")
    parser.add_argument("--build", type=Path, required=True, help="a build of it")
    parser.add_argument("--have", action="append", default=[], help="a feature of the build")
    options = parser.parse_args()
    page, build = options.page.resolve(), options.build.resolve()
    try:
        blocks, page_needs = read_page(page)
    except PageError as error:
        sys.exit(f"{page.name}: {error}")
    missing = [feature for feature in page_needs if feature not in options.have]
    if missing:
        print(f"{page.name}: skipped: this build has no {', '.join(missing)}")
        return SKIPPED
    if not blocks:
        print(f"{page.name}: no blocks")
        return 0

    python_path = os.environ.get("PYTHONPATH")
    os.environ["PATH"] = os.pathsep.join(
        [str(build), str(Path(sys.executable).parent), os.environ["PATH"]]
    )
    os.environ["PYTHONPATH"] = str(build / "python") + (f":{python_path}" if python_path else "")
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    os.environ["MPLBACKEND"] = "Agg"
    sys.path[0] = str(build / "python")
    sys.dont_write_bytecode = True
    with tempfile.TemporaryDirectory(prefix="carom_docs_") as name:
        folder = Path(name)
        fill(folder, options.source.resolve(), build)
        os.chdir(folder)
        runner = Runner(page, folder, options.have)
        try:
            for block in blocks:
                runner.run(block)
        except Failure as failure:
            sys.exit(str(failure))
        finally:
            os.chdir("/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
