"""Sets that were found (and proved ones beside them): geometry checked by hand, and files."""

from types import SimpleNamespace

import carom
import numpy as np
import pytest

scipy_io = pytest.importorskip("scipy.io")


def rotation(size, seed=3):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(size, size)))[0]


def cube(dimension, size, points=400):
    """Corners of a unit cube and points in it, in a flat of R^size that goes through no axis."""
    random = np.random.default_rng(1)
    corners = np.array(np.meshgrid(*[[0.0, 1.0]] * dimension)).reshape(dimension, -1).T
    inside = random.uniform(size=(points, dimension))
    axes = rotation(size)[:dimension]
    return np.vstack([inside, corners]) @ axes + np.linspace(1.0, 2.0, size), axes


@pytest.mark.parametrize(("dimension", "size"), [(1, 1), (1, 3), (2, 2), (2, 5), (3, 3), (4, 6)])
def test_a_cube_in_a_flat_has_its_dimension_volume_and_facets(dimension, size):
    points, _ = cube(dimension, size)
    found = carom.SampledSet(points)
    hull = found.hull()
    assert found.dimension == hull.dimension == dimension
    assert hull.volume == pytest.approx(1.0, abs=1e-12)
    assert len(hull.vertices) == 2**dimension
    assert hull.normals.shape == (2 * dimension, size) and hull.flat.shape == (size - dimension, size)
    assert hull.violation(points).max() < 1e-13
    centre, axes = points[-(2**dimension) :].mean(axis=0), found.affine_hull[1]
    inmost = -0.5 if size == dimension else 0.0  # what leaves the flat is outside
    np.testing.assert_allclose(hull.violation(centre), inmost, atol=1e-12)
    np.testing.assert_allclose(hull.offsets - hull.normals @ centre, 0.5, atol=1e-12)
    np.testing.assert_allclose(hull.violation(centre + 0.75 * axes[0]) > 0.0, True)
    if size > dimension:
        np.testing.assert_allclose(hull.violation(centre + 0.1 * hull.flat[0]), 0.1, atol=1e-12)


def test_the_dimension_is_a_matter_of_the_stated_tolerance():
    flat = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 1e-8]])
    assert carom.SampledSet(flat).dimension == 1
    assert carom.SampledSet(flat).tolerance == 1e-7
    assert carom.SampledSet(flat, tolerance=1e-9).dimension == 2
    assert carom.SampledSet(1e6 * flat).dimension == 1  # scales with the velocities
    assert carom.SampledSet([[1.0, 2.0]] * 3).dimension == 0
    assert carom.SampledSet([[1.0, 2.0]]).hull().volume == 0.0
    origin, axes = carom.SampledSet(flat).affine_hull
    across = (flat - origin) - (flat - origin) @ axes.T @ axes
    assert np.abs(across).max() <= 1e-7


def test_a_zonotope_holds_all_points_and_no_more_than_a_box_needs():
    points, axes = cube(3, 5, points=5000)
    zonotope = carom.SampledSet(points).zonotope()
    inside = (points - zonotope.center) @ np.linalg.pinv(zonotope.generators)
    assert np.abs(inside).max() <= 1.0
    # Uniform points in a box of different lengths have its axes: the box itself, from 5000 points.
    box = (points - points.mean(axis=0)) @ axes.T * [3.0, 2.0, 1.0]
    lengths = np.linalg.norm(carom.SampledSet(box).zonotope().generators, axis=1)
    np.testing.assert_allclose(lengths, [1.5, 1.0, 0.5], rtol=0.1)
    # The support of center + generators: by hand.
    square = carom.sets.Zonotope(np.array([1.0, 2.0]), np.array([[0.5, 0.0], [0.0, 0.25]]))
    np.testing.assert_allclose(square.support([[1, 0], [0, -1], [1, 1]]), [1.5, -1.75, 3.75])
    one = carom.SampledSet([[1.0, 2.0]]).zonotope()
    assert one.generators.shape == (0, 2) and one.support([1.0, 0.0]) == 1.0


def test_support_box_and_outputs():
    found = carom.SampledSet([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]], ["x", "y"])
    assert found.support([1, 1]) == 2.0 and found.support([-1, -1]) == 0.0
    np.testing.assert_array_equal(found.support([[1, 0], [0, 1]]), [1, 2])
    np.testing.assert_array_equal(found.support_point([1, 1]), [0, 2])
    np.testing.assert_array_equal(found.box, [[0, 0], [1, 2]])
    task = found.outputs([[1.0, -1.0]], ["difference"])
    assert task.names == ["difference"] and task.dimension == 1
    np.testing.assert_array_equal(task.box, [[-2], [1]])
    value, point = found.worst_case(lambda v: (v**2).sum(axis=1))
    assert value == 4.0 and list(point) == [0.0, 2.0]


@pytest.mark.parametrize("system", ["rocking_block", "compass_gait", "box_wall"])
def test_the_set_of_a_run_has_the_geometry_of_its_outcomes(system, tmp_path):
    found = carom.post_impact_set(
        system, 2000, max_steps=60, hold_out=0, seek_extremes=0, output=tmp_path / "set.h5"
    )
    for velocity in (found.net.velocity, [one.velocity for one in found.sought]):
        assert found.hull().violation(velocity).max() <= found.sampled.tolerance
    directions = np.vstack([one.direction for one in found.sought])
    ends = [one.found if one.greatest else -one.found for one in found.sought]
    signs = np.where([one.greatest for one in found.sought], 1.0, -1.0)[:, None]
    beyond = found.search.velocity @ (signs * directions).T  # of the search, which follows that of the ends
    ends = np.max(np.vstack([ends, beyond]), axis=0)
    np.testing.assert_allclose(found.support(signs * directions), ends, atol=1e-12)
    result = carom.read(tmp_path / "set.h5")
    rows = result.samples.outcomes
    assert len(result.sampled) > len(found.sampled)
    assert result.sampled.hull().violation(rows).max() <= result.sampled.tolerance
    assert (result.sampled.support(directions) >= (rows @ directions.T).max(axis=0)).all()
    # The file's own set is the run's, to the last bit.
    np.testing.assert_array_equal(result.set.sampled.points, found.sampled.points)
    assert result.set.dimension == found.dimension == result.sampled.dimension


def test_outcomes_at_rest_up_to_rounding_are_a_point():
    rounding = 1e-15 * np.random.default_rng(1).normal(size=(20, 3))
    found = SimpleNamespace(net=SimpleNamespace(velocity=rounding[:1]), search=None, sought=[], modes=[],
                            selection=None)  # fmt: skip
    problem = SimpleNamespace(pre_impact_velocity=np.array([1.0, 0.0, -1.0]))
    result = SimpleNamespace(scenario=SimpleNamespace(problem=problem), set=found,
                             samples=SimpleNamespace(outcomes=rounding))  # fmt: skip
    assert carom.sets.of_result(result).dimension == 0


def test_a_file_for_other_programs_keeps_found_and_proved_apart(tmp_path):
    points, _ = cube(2, 3)
    found = carom.SampledSet(points, ["x", "y", "z"])
    low, high = found.box
    carom.write_mat(tmp_path / "a.mat", found)
    carom.write_mat(tmp_path / "again.mat", found)
    with pytest.raises(carom.InputError, match="absent.a.mat' .must be a file that can be written"):
        carom.write_mat(tmp_path / "absent" / "a.mat", found)
    assert (tmp_path / "a.mat").read_bytes() == (tmp_path / "again.mat").read_bytes()
    read = scipy_io.loadmat(tmp_path / "a.mat", simplify_cells=True)
    assert "outer" not in read
    inner, hull, zonotope = read["inner"], found.hull(), found.zonotope()
    assert list(inner["names"]) == ["x", "y", "z"] and inner["dimension"] == 2.0
    np.testing.assert_array_equal(inner["points"], points.T)
    np.testing.assert_array_equal(inner["zonotope"]["G"], zonotope.generators.T)
    np.testing.assert_array_equal(inner["polytope"]["A"], hull.normals)
    np.testing.assert_array_equal(inner["polytope"]["be"], hull.level)
    proved = carom.ProvedSet(
        np.array([[1.0, 1.0, 1.0]]), np.array([9.0]), low - 1, high + 1, "at most 20 steps", "certified"
    )
    carom.write_mat(tmp_path / "b.mat", found, proved)
    outer = scipy_io.loadmat(tmp_path / "b.mat", simplify_cells=True)["outer"]
    assert outer["status"] == "at most 20 steps" and outer["verified"] == "certified" and "V" not in outer
    np.testing.assert_array_equal(outer["high"], high + 1)
    gait = carom.post_impact_set("compass_gait", trajectories=100, max_steps=20, comparison=False)
    proved = carom.bound("compass_gait").proved
    carom.write_mat(tmp_path / "c.mat", gait.sampled, proved)
    outer = scipy_io.loadmat(tmp_path / "c.mat", simplify_cells=True)["outer"]
    np.testing.assert_array_equal(outer["V"], proved.corners.T)
    raw = scipy_io.loadmat(tmp_path / "b.mat")  # columns, as CORA and LazySets take them
    assert raw["inner"]["zonotope"][0, 0]["c"][0, 0].shape == (3, 1)


def test_a_proved_set_bounds_even_where_the_solver_fails(monkeypatch):
    # A triangle x, y >= 0, x + y <= 1, in a box that is wider.
    proved = carom.ProvedSet(
        np.array([[-1.0, 0.0], [0.0, -1.0], [1.0, 1.0]]), np.array([0.0, 0.0, 1.0]),
        np.array([-2.0, -2.0]), np.array([2.0, 2.0]), "closed", "exact",
    )  # fmt: skip
    assert proved.support([2.0, 1.0]) == pytest.approx(2.0, abs=1e-12)
    np.testing.assert_allclose(proved.violation([[0.2, 0.2], [1.0, 1.0]]), [-0.2, 1.0])
    from scipy import optimize

    class Wrong:  # multipliers that are no solution's: a larger bound, never a smaller one
        status = 0

        class ineqlin:
            marginals = np.array([0.1, -0.3, -1.7])

    monkeypatch.setattr(optimize, "linprog", lambda *_, **__: Wrong)
    assert proved.support([2.0, 1.0]) >= 2.0
    Wrong.status = 4
    assert proved.support([2.0, 1.0]) == 6.0  # of the box


def test_the_support_of_a_bound_is_that_of_its_corners_or_energy():
    bound = carom.bound("box_wall")
    corners = np.concatenate([piece["vertices"] for piece in bound.pieces])
    for row in np.random.default_rng(1).normal(size=(5, 3)):
        assert bound.proved.support(row) == pytest.approx((corners @ row).max(), abs=1e-12)
        assert bound.proved.support(row) >= (corners @ row).max()
    wide = carom.bound("disk_stack")
    assert wide.method == "orders"
    row = np.random.default_rng(2).normal(size=wide.mass_matrix.shape[0])
    most = np.sqrt(2 * wide.kinetic_energy * (row @ np.linalg.solve(wide.mass_matrix, row)))
    assert wide.proved.support(row) <= most * (1 + 1e-8)
    found = carom.post_impact_set("disk_stack", trajectories=2000, solutions="first", backend="cpu")
    assert found.support(row) <= wide.proved.support(row)


def test_bad_input_names_what_is_wrong_and_the_rule():
    with pytest.raises(carom.InputError, match=r"points has the shape .* \(must be \(n, q\)"):
        carom.SampledSet(np.zeros((0, 3)))
    with pytest.raises(carom.InputError, match="not finite"):
        carom.SampledSet([[np.nan, 1.0]])
    found = carom.SampledSet(np.eye(8) + 0.0)
    with pytest.raises(carom.InputError, match=r"direction has the shape \(2,\) \(must be \(8,\)"):
        found.support([1.0, 2.0])
    with pytest.raises(carom.InputError, match=r"dimension is 7 \(must be <= 6 for a convex hull"):
        found.hull()
    assert found.hull(most_dimensions=7).volume > 0.0
    with pytest.raises(carom.InputError, match="names has 1 entries"):
        carom.SampledSet(np.eye(2), ["x"])
    with pytest.raises(carom.InputError, match=r"cost gives the shape \(\)"):
        found.worst_case(lambda v: 1.0)
    with pytest.raises(carom.InputError, match="cost gives nan for point 3"):
        found.worst_case(lambda v: np.where(np.arange(len(v)) == 3, np.nan, v[:, 0]))
    with pytest.raises(carom.InputError, match="direction has entries that are not finite"):
        found.support([np.nan] * 8)


def test_proved_sets_take_what_sampled_sets_do(tmp_path):
    proved = carom.ProvedSet(np.vstack([np.eye(3), -np.eye(3)]), np.ones(6), -np.ones(3), np.ones(3), "closed", "exact")
    assert np.allclose(proved.support(np.eye(3)), [proved.support(row) for row in np.eye(3)])
    assert np.allclose(proved.support(np.eye(3)), 1.0)
    for call in (proved.support, proved.violation):
        with pytest.raises(carom.InputError, match=r"has the shape \(2,\) \(must be \(3,\)"):
            call([1.0, 0.0])
        with pytest.raises(carom.InputError, match="not finite"):
            call([np.nan, 0.0, 0.0])
    with pytest.raises(carom.InputError, match=r"outer has 3 coordinates \(must have 2, as inner has\)"):
        carom.write_mat(tmp_path / "x.mat", carom.SampledSet(np.eye(2)), proved)
    with pytest.raises(carom.InputError, match="inner is NoneType"):
        carom.write_mat(tmp_path / "x.mat", None)
