"""Mistakes raise exceptions with the command line's words, arguments in place of flags."""

import subprocess
import sys
from pathlib import Path

import carom
import numpy as np
import pytest

BLOCK = "rocking_block"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trajectories": 0}, "trajectories is 0 (must be an integer >= 1)"),
        ({"trajectories": -5}, "trajectories is -5 (must be an integer >= 1)"),
        ({"trajectories": 1.5}, "trajectories is 1.5 (must be an integer >= 1)"),
        ({"trajectories": "many"}, "trajectories is \"'many'\" (must be an integer >= 1)"),
        ({"seed": 2**32}, "seed is 4294967296 (must be an integer from 0 to 4294967295)"),
        ({"norm": "taxicab"}, 'norm is "taxicab" (must be euclidean or kinetic)'),
        ({"norm": 2}, 'norm is "2" (must be euclidean or kinetic)'),
        ({"solutions": "any"}, 'solutions is "any" (must be auto, first, cover, all or table); did you mean "all"?'),
        ({"backend": "tpu"}, 'backend is "tpu" (must be auto, cpu or cuda); did you mean "cpu"?'),
        ({"epsilon": float("nan")}, "epsilon is nan (must be finite)"),
        ({"epsilon": "small"}, "epsilon is 'small' (must be a number)"),
        ({"epsilon": -0.5}, "epsilon is -0.5 (must be > 0 and finite)"),
    ],
)
def test_options(options, message):
    with pytest.raises(carom.InputError) as error:
        carom.sample(BLOCK, **options)
    assert str(error.value) == message


def test_the_command_line_says_the_same(carom_program):
    run = subprocess.run(
        [carom_program, "sample", BLOCK, "--epsilon", "-0.5"], capture_output=True, text=True
    )
    with pytest.raises(carom.InputError) as error:
        carom.sample(BLOCK, epsilon=-0.5)
    assert run.returncode == 2
    assert run.stderr.strip() == f"carom: error: --{error.value}"


def test_an_integral_float_is_a_count():
    assert len(carom.sample(BLOCK, 1e3)) == 1000
    assert len(carom.sample(BLOCK, np.int64(20))) == 20


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("friction", -0.2, 'friction is -0.2 (must be >= 0) for contact "A"'),
        ("mass_matrix", np.zeros((3, 3)), "mass_matrix is not positive definite"),
        ("mass_matrix", np.eye(2), "normal_jacobian is 2 x 3 (must have 2 columns"),
        ("mass_matrix", [1.0, 2.0], "mass_matrix is 2 numbers (must have 2 dimensions)"),
        ("mass_matrix", [[1.0, 2.0], [3.0]], "mass_matrix is list (must be an array of numbers"),
        ("mass_matrix", np.eye(3) + 1j, "mass_matrix is complex (must be an array of real numbers)"),
        ("mass_matrix", None, "mass_matrix is None (must be an array of numbers)"),
        ("normal_jacobian", "steep", "normal_jacobian is str (must be an array of numbers, not of str)"),
        ("pre_impact_velocity", [0.0, np.nan, 0.0], "pre_impact_velocity has nan in entry 2"),
        ("friction_directions", 4, "friction_directions is 4 (must be 2 in the plane)"),
        ("contact_names", "feet", "contact_names is 'feet' (must be a list of texts)"),
        ("contact_names", [1, 2], "contact_names is [1, 2] (must be a list of texts)"),
    ],
)
def test_problems(two_contacts, name, value, message):
    with pytest.raises(carom.InputError) as error:
        carom.ImpactProblem(**{**two_contacts, name: value})
    assert message in str(error.value)


@pytest.mark.parametrize(
    "call", [carom.sample, carom.post_impact_set, carom.explore, carom.bound, carom.laws, carom.roll, carom.outcomes]
)
def test_no_problem(call):
    with pytest.raises(carom.InputError, match="problem is None"):
        call(None)


def test_unknown_keywords_have_the_nearest_known_one():
    with pytest.raises(TypeError, match="'max_step'; did you mean 'max_steps'"):
        carom.sample("rocking_block", 5, max_step=3)
    with pytest.raises(TypeError, match="ImpactProblem.. got an unexpected keyword argument 'frict'; did you mean 'friction'"):
        carom.ImpactProblem([[1.0]], [[1.0]], frict=1.0, pre_impact_velocity=[-1.0])


def test_kinds_of_errors(tmp_path, two_contacts):
    assert issubclass(carom.InputError, ValueError)
    assert issubclass(carom.RunError, RuntimeError)
    with pytest.raises(carom.InputError, match=r"must be a file, or one of the systems .*rocking_block"):
        carom.load_scenario("rocking_blok")
    broken = tmp_path / "broken.toml"
    broken.write_text('system = "rocking_block"\n[sampling]\nseeds = 1\n')
    with pytest.raises(carom.InputError, match=r"broken.toml:3: unknown key \"seeds\""):
        carom.load_scenario(broken)
    with pytest.raises(carom.InputError, match="problem is 5"):
        carom.sample(5)
    with pytest.raises(carom.InputError, match="miss"):
        carom.post_impact_set(BLOCK, max_seconds=1.0)
    with pytest.raises(carom.InputError):
        carom.read(broken)
    other = tmp_path / "notes.txt"
    other.write_text("keep me")
    with pytest.raises(carom.InputError, match="force=True overwrites it"):
        carom.post_impact_set(BLOCK, output=other)
    assert other.read_text() == "keep me"
    problem = carom.ImpactProblem(**two_contacts)
    with pytest.raises(carom.InputError, match="velocity"):
        problem.kinetic_energy([1.0])
    with pytest.raises(TypeError):
        carom.sample(BLOCK, trajectory=5)


@pytest.mark.parametrize("trajectories", [10**15, 10**18])
def test_more_rows_than_memory_is_a_memory_error(trajectories):
    with pytest.raises(MemoryError):
        carom.sample(BLOCK, trajectories)


def test_without_the_compiled_part_only_its_names_fail():
    """The source tree's package, as `carom plot` uses it."""
    source = Path(__file__).resolve().parents[2] / "python"
    code = (
        "import carom, carom.styles\n"
        "try: carom.sample\n"
        "except ImportError as error: assert 'carom.sample needs the compiled part' in str(error)\n"
        "else: raise SystemExit('no error')\n"
        "assert not hasattr(carom, 'no_such_name')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=source,
                   env={"PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"})  # fmt: skip


def test_pictures_run_nothing_of_the_current_folder(carom_program, tmp_path):
    (tmp_path / "queue.py").write_text("raise SystemExit('a module of my own')")
    for command in (["sample", BLOCK, "--trajectories", "64", "-o", "block.h5"], ["plot", "block.h5"]):
        subprocess.run([carom_program, *command], cwd=tmp_path, check=True)
    assert (tmp_path / "block.png").exists()


def test_progress_is_a_truth_value():
    with pytest.raises(carom.InputError, match="progress must be True or False"):
        carom.sample("rocking_block", 10, progress=2)


def test_missing_paths_and_arrays_are_named():
    for call in (
        lambda: carom.load_scenario(None),
        lambda: carom.read(None),
        lambda: carom.generate(None, "folder"),
        lambda: carom.generate(Path(__file__).parents[2] / "examples/quick_states.toml", None),
        lambda: carom.grid(3),
        lambda: carom.ImpactProblem(None, [[1.0]]),
        lambda: carom.ImpactLaw()(None, [[1.0]], [[1.0]], [[1.0]], 0.5, [[-1.0]]),
        lambda: carom.ImpactLaw()(0, None, [[1.0]], [[1.0]], 0.5, [[-1.0]]),
    ):
        with pytest.raises(carom.InputError, match="must "):
            call()
