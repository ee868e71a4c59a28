"""Names of the figures that docs/make_examples.py draws. Run: python3 -m unittest discover -s tests/python."""

import contextlib
import io
import sys
import unittest
from pathlib import Path
from unittest import mock

DOCS = Path(__file__).resolve().parents[2] / "docs"
sys.path.insert(0, str(DOCS))
import make_examples  # noqa: E402


class FiguresTest(unittest.TestCase):
    def asked(self, name):
        """Arguments of the one set that is drawn."""
        with mock.patch.object(make_examples, "make_set") as made:
            with mock.patch.object(sys, "argv", ["make_examples.py", "--figure", name]):
                make_examples.main()
        return made.call_args.args

    def test_of_halm_and_posa_have_two_names(self):
        self.assertEqual(self.asked("halm-9"), ("carom", "halm-9", DOCS / "figures" / "halm-9.png"))
        self.assertEqual(self.asked("9"), self.asked("halm-9"))

    def test_of_other_names_are_refused(self):
        for name in ("6", "halm-6", "halm", "seghete-9"):
            with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit):
                self.asked(name)

    def test_are_all_drawn_by_a_program_and_shown(self):
        page = (DOCS / "figures.md").read_text()
        for author, figures in make_examples.FIGURES.items():
            for figure in figures:
                name = f"{author}-{figure}"
                program = DOCS / f"{author}_figures.py"
                self.assertIn(f"(figures/{name}.png)", page)
                if name not in make_examples.SETS:
                    self.assertIn(f'"{name}":', program.read_text())


if __name__ == "__main__":
    unittest.main()
