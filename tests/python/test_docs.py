"""What the docstrings show is what happens. (docs/python.md is run by tests/docs.)"""

import doctest

import carom


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
