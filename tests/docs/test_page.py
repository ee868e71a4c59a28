"""The runner of the documentation must be able to fail."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from check_links import broken_links  # noqa: E402
from page import differing_line  # noqa: E402

RUNNER = Path(__file__).parent / "run_page.py"


class Output(unittest.TestCase):
    def test_equal_text_has_no_difference(self):
        self.assertIsNone(differing_line("a\nb\n", "a\nb\n"))
        self.assertIsNone(differing_line("a  \nb\n", "a\nb\n\n"))

    def test_another_digit_is_a_difference(self):
        self.assertIn("line 2", differing_line("a\nb 1\n", "a\nb 2\n"))

    def test_a_missing_or_additional_line_is_a_difference(self):
        self.assertIn("the end", differing_line("a\nb\n", "a\n"))
        self.assertIsNotNone(differing_line("a\n", "a\nb\n"))

    def test_dots_on_a_line_stand_for_any_lines(self):
        self.assertIsNone(differing_line("a\n...\nd\n", "a\nb\nc\nd\n"))
        self.assertIsNone(differing_line("a\n...\nd\n", "a\nd\n"))
        self.assertIsNotNone(differing_line("a\n...\nd\n", "a\nb\nc\n"))

    def test_progress_does_not_count(self):
        told = "a\ncarom: sampling 67 % after 6 s, 3 s left\nb\n"
        self.assertIsNone(differing_line("a\nb\n", told))
        self.assertIsNotNone(differing_line("a\nb\n", told.replace("left", "lost")))

    def test_an_ellipsis_stands_for_text_within_a_line(self):
        self.assertIsNone(differing_line("time … s, 3 LCPs\n", "time 0.1 s, 3 LCPs\n"))
        self.assertIsNotNone(differing_line("time … s, 3 LCPs\n", "time 0.1 s, 4 LCPs\n"))
        self.assertIsNotNone(differing_line("0 ... 2\n", "0 to 2\n"))


class Page(unittest.TestCase):
    def run_page(self, text, *options):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "page.md")
            page.write_text(text, encoding="utf-8")
            for name in ("source", "build"):
                Path(folder, name).mkdir()
            return subprocess.run(
                [sys.executable, RUNNER, page, "--source", page.parent / "source",
                 "--build", page.parent / "build", *options],
                text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )  # fmt: skip

    def assert_fails(self, text, message):
        done = self.run_page(text)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(message, done.stdout)

    def assert_passes(self, text):
        done = self.run_page(text)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_failing_command_fails_the_page(self):
        self.assert_fails("```bash\nfalse\ntrue\n```\n", "exit code 1 (must be 0)")

    def test_an_exit_code_is_compared(self):
        self.assert_passes("<!-- exit 2 -->\n```bash\nexit 2\n```\n")
        self.assert_fails("<!-- exit 2 -->\n```bash\ntrue\n```\n", "exit code 0 (must be 2)")

    def test_shown_output_must_be_the_real_one(self):
        command = "```bash\necho one; echo two >&2\n```\n\n<!-- output -->\n"
        self.assert_passes(command + "```text\none\ntwo\n```\n")
        self.assert_fails(command + "```text\none\n```\n", "the real one")

    def test_python_blocks_share_names_and_fail_with_their_line(self):
        self.assert_passes("```python\na = 1\n```\n```python\nassert a == 1\n```\n")
        self.assert_fails("```python\na = 1\n```\n\n```python\nassert a == 2\n```\n", "line 6")

    def test_a_block_that_names_a_file_is_written_for_later_commands(self):
        self.assert_passes('```toml\n# a/b.toml\nx = 1\n```\n```bash\ngrep "x = 1" a/b.toml\n```\n')

    def test_a_block_that_is_not_run_says_why(self):
        done = self.run_page("<!-- not run: costs money -->\n```bash\nfalse\n```\n")
        self.assertEqual(done.returncode, 0)
        self.assertIn("page.md:2: not run: costs money", done.stdout)

    def test_a_page_is_skipped_without_what_it_needs(self):
        page = "<!-- needs: mujoco -->\n\n# Title\n\n```bash\nfalse\n```\n"
        self.assertEqual(self.run_page(page).returncode, 77)
        self.assertEqual(self.run_page(page, "--have", "mujoco").returncode, 1)

    def test_a_block_is_left_out_without_what_it_needs(self):
        self.assert_passes("<!-- needs: mpi -->\n```bash\nfalse\n```\n")

    def test_code_that_nothing_would_run_is_an_error(self):
        self.assert_fails("Text:\n\n    carom sample\n", "code without a fence")
        self.assert_fails("```\ncarom sample\n```\n", "language is nothing")
        self.assert_fails("```cpp\nint main() {}\n```\n", "names no file")
        self.assert_fails("<!-- nor run: typo -->\n```bash\ntrue\n```\n", "is above a block")

    def test_no_file_of_the_repository_is_overwritten(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "build").mkdir()
            kept = Path(folder, "kept.toml")
            kept.write_text("kept")
            page = Path(folder, "page.md")
            page.write_text("```toml\n# kept.toml\n```\n")
            done = subprocess.run(
                [sys.executable, RUNNER, page, "--source", folder, "--build", kept.parent / "build"],
                text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=os.environ,
            )  # fmt: skip
            self.assertEqual(done.returncode, 1)
            self.assertEqual(kept.read_text(), "kept")


class Links(unittest.TestCase):
    def test_a_link_to_nowhere_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "page.md")
            page.write_text("# A head, line\n[a](page.md) [b](#a-head-line) [c](no.md) [d](#no)\n")
            self.assertEqual(len(list(broken_links(page))), 2)


if __name__ == "__main__":
    unittest.main()
