"""What docs/python.md and the docstrings show is what happens."""

import doctest
import re
from pathlib import Path

import carom
import pytest

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "python.md"


def test_the_guide_runs_from_top_to_bottom(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = GUIDE.read_text()
    blocks = [(found.start(1), found.group(1))
              for found in re.finditer(r"^```python\n(.*?)^```$", text, re.M | re.S)]  # fmt: skip
    assert len(blocks) >= 8
    names = {"__name__": "guide"}
    for start, block in blocks:
        line = text.count("\n", 0, start)
        code = compile("\n" * line + block, GUIDE, "exec")  # tracebacks name the guide's line
        if "torch" in block:
            pytest.importorskip("torch")
        exec(code, names)


def test_examples_in_docstrings():
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner()
    tested = 0
    for name in carom.__all__:
        for test in finder.find(getattr(carom, name), name, module=False, globs={}):
            assert runner.run(test).failed == 0, test.name
            tested += bool(test.examples)
    assert tested >= 7


def test_everything_public_is_documented():
    for name in carom.__all__:
        thing = getattr(carom, name)
        if callable(thing):
            assert thing.__doc__, name
