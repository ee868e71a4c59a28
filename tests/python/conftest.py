"""Where the tests find the package: CTest says it in PYTHONPATH; by hand, the newest build tree's."""

import os
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2]


def newest_build():
    cores = sorted(SOURCE.glob("build/*/python/carom/_core*.so"), key=lambda f: f.stat().st_mtime)
    return cores[-1].parents[1] if cores else None


if "PYTHONPATH" not in os.environ and (tree := newest_build()):
    sys.path.insert(0, str(tree))
    os.environ["PYTHONPATH"] = str(tree)  # of the processes that tests start


@pytest.fixture(scope="session")
def carom_program():
    """The command line of the same build."""
    import carom._core

    program = Path(os.environ.get("CAROM_EXECUTABLE") or Path(carom._core.__file__).parents[2] / "carom")
    assert program.exists()
    return str(program)


@pytest.fixture
def two_contacts():
    """Arguments of a block on two corners, as arrays (nv = 3)."""
    import carom

    problem = carom.load_scenario("rocking_block").problem
    names = ["mass_matrix", "normal_jacobian", "tangent_jacobian", "friction", "pre_impact_velocity"]
    return {name: getattr(problem, name).copy() for name in names}
