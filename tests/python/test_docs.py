"""What docs/python.md and the docstrings show is what happens."""

import doctest
import re
from pathlib import Path

import carom
import carom._api
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


def test_examples_of_functions():
    failures, tests = doctest.testmod(carom._api, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failures == 0 and tests >= 8


def test_examples_of_classes():
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner()
    tests = [test for test in finder.find(carom.ImpactProblem, "ImpactProblem") if test.examples]
    assert tests
    for test in tests:
        assert runner.run(test).failed == 0


def test_everything_public_is_documented():
    for name in carom.__all__:
        thing = getattr(carom, name)
        if callable(thing):
            assert thing.__doc__, name
