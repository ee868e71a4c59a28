"""carom.ImpactLaw: bits, batches in parts, contacts that are not active."""

import copy
import pickle

import carom
import numpy as np
import pytest

NAMES = ["mass_matrix", "normal_jacobian", "tangent_jacobian", "friction", "pre_impact_velocity"]


def random_batch(size, contacts=2, velocities=3, tangent_rows=1, seed=0):
    random = np.random.default_rng(seed)
    root = random.normal(size=(size, velocities, velocities))
    velocity = random.normal(size=(size, velocities))
    normals = random.normal(size=(size, contacts, velocities))
    return {
        "mass_matrix": root @ root.transpose(0, 2, 1) + np.eye(velocities),
        "normal_jacobian": normals,
        "tangent_jacobian": random.normal(size=(size, contacts * tangent_rows, velocities)),
        "friction": random.uniform(0.0, 1.0, (size, contacts)),
        "pre_impact_velocity": velocity,
    }


def problem_of(batch, index):
    return carom.ImpactProblem(**{name: batch[name][index] for name in NAMES})


def part_of(batch, rows):
    return {name: batch[name][rows] for name in NAMES}


@pytest.mark.parametrize(
    ("shape", "options"),
    [
        ({}, {}),
        ({"contacts": 4}, {}),
        ({"contacts": 1, "velocities": 2}, {"caps": "simplex", "max_steps": 20}),
        ({"contacts": 4, "velocities": 6}, {"solutions": "all"}),  # of fewer, `sample` makes tables
        ({"contacts": 2, "velocities": 6, "tangent_rows": 2}, {"solutions": "cover"}),
        ({"contacts": 2}, {"caps": "weighted:1,0.3", "norm": "kinetic", "epsilon": 1e-4}),
        ({"contacts": 2}, {"caps": "sobol"}),
        ({"contacts": 2}, {"problem_id": 70}),
    ],
)
def test_an_outcome_has_the_bits_of_sample(shape, options):
    size, step = 40, 5
    batch = random_batch(size, **shape)
    law = carom.ImpactLaw(seed=11, **options)
    outcomes = law(step, **batch)
    assert len(outcomes) == size and outcomes.velocity.shape == batch["pre_impact_velocity"].shape
    first_id = options.get("problem_id", 0)
    for index in range(size):
        problem = problem_of(batch, index)
        if jams(problem):  # then h is larger
            assert outcomes.status[index] == 0
            continue
        stated = {**law_defaults(problem), **options, "problem_id": first_id + index}
        trajectories = carom.sample(problem, step + 1, seed=11, **stated)
        for name in ["velocity", "status", "impulse", "energy", "lcp_count"]:
            np.testing.assert_array_equal(
                getattr(outcomes, name)[index], getattr(trajectories, name)[step]
            )


def test_of_all_solutions_each_is_drawn():
    """With a large h, an outcome is a solution of the simultaneous law."""
    batch = random_batch(40, contacts=4, velocities=5)
    batch["friction"] += 1.0
    law, steps = carom.ImpactLaw(solutions="all", caps="uniform"), 40
    drawn = np.array([law(step, **batch, impulse_step=1e5).velocity for step in range(steps)])
    of_several = 0
    for index in range(40):
        answers = carom.solutions(problem_of(batch, index), simultaneous=True)
        if answers.segments or not answers.complete:
            continue
        solutions = np.array([one.velocity for one in answers.answers])
        apart = np.abs(drawn[:, index, None] - solutions).max(axis=2)
        assert (apart.min(axis=1) < 1e-6).all()
        assert len(np.unique(apart.argmin(axis=1))) == len(solutions)
        of_several += len(solutions) > 1
    assert of_several > 3


def jams(problem):
    """Whether friction makes a contact that stops alone need 128 times its impulse without friction."""
    inverse, before = np.linalg.inv(problem.mass_matrix), problem.pre_impact_velocity
    for normal, mu, tangents in zip(
        problem.normal_jacobian, problem.friction, np.split(problem.tangent_jacobian, len(problem.friction))
    ):
        slip = tangents @ before
        along = slip @ tangents / np.linalg.norm(slip)
        (n, c), (_, t) = [[one @ inverse @ other for other in (normal, along)] for one in (normal, along)]
        speed = normal @ before
        whole = (c * np.linalg.norm(slip) / t - speed) / (n - c * c / t)
        if n > mu * c:
            whole = min(whole, -speed / (n - mu * c))
        if speed < 0 and whole > 128 * -speed / n:
            return True
    return False


def law_defaults(problem):
    """Of ImpactLaw, where sample() chooses for the problem."""
    return {"solutions": "cover", "epsilon": 0.01,
            "impulse_step": problem.stopping_impulse() or 1.0}  # fmt: skip


COUNTS = ["lcp_count", "impacts", "intervals", "rounds"]
COUNTS_OF = {"propagative": ["impacts"], "plus": ["intervals", "rounds"]}


@pytest.mark.parametrize(
    ("law", "options", "restitution"),
    [
        ("sequential", {}, None),
        ("simultaneous", {}, None),
        ("propagative", {}, 0.7),
        ("propagative", {"plastic": "projection"}, [0.2, 0.2, 0.2]),
        ("plus", {}, 0.3),
        ("plus", {"mu_static": [0.6, 0.8, 1.0], "v_plastic": {"min": 0.1, "max": 0.5}}, "each"),
        ("plus", {"e_min": {"mean": 0.5, "deviation": 0.1}}, None),
        ("set_valued", {"caps": "uniform", "solutions": "first", "v_capture": 0.02}, "each"),
        ("set_valued", {"caps": "simplex", "solutions": "cover"}, [0.0, 0.5, 1.0]),
    ],
)
def test_every_law_has_the_bits_of_sample(law, options, restitution):
    size, step = 20, 3
    batch = random_batch(size, contacts=3, velocities=5)
    if law == "propagative":
        batch["friction"][:] = 0.0
    if restitution == "each":
        restitution = np.random.default_rng(2).uniform(0.0, 1.0, (size, 3))
    outcomes = carom.ImpactLaw(law=law, law_options=options)(step, **batch, restitution=restitution)
    columns = COUNTS_OF.get(law, ["lcp_count"])
    assert [name for name in COUNTS if getattr(outcomes, name) is not None] == columns
    for index in range(size):
        arrays = {name: batch[name][index] for name in NAMES}
        if restitution is not None:
            arrays["restitution"] = restitution[index] if np.ndim(restitution) == 2 else restitution
        problem = carom.ImpactProblem(**arrays)
        stated = {"law": law, "law_options": options, "epsilon": 0.01, "problem_id": index,
                  "impulse_step": problem.stopping_impulse() or 1.0}  # fmt: skip
        alone = carom.sample(problem, step + 1, **stated)
        for name in ["velocity", "status", "impulse", "energy", *columns]:
            np.testing.assert_array_equal(getattr(outcomes, name)[index], getattr(alone, name)[step])


def test_restitution_of_zero_has_the_bits_of_none():
    batch = random_batch(50)
    for options in [{}, {"law": "plus"}]:
        law = carom.ImpactLaw(**options)
        assert law(1, **batch, restitution=0.0).checksum == law(1, **batch).checksum
        assert law(1, **batch, restitution=0.5).checksum != law(1, **batch).checksum


def test_worlds_without_an_outcome_are_told_once_by_their_status():
    batch = random_batch(30, contacts=6, velocities=4)
    law = carom.ImpactLaw(law="plus")
    with pytest.warns(carom.CaromWarning) as told:
        counts = law(1, **batch, restitution=1.0).status_counts
        law(1, **batch, restitution=1.0)
    assert set(counts) == {"separated", "step_limit", "no_solution"}
    last = "their velocity is the last"
    assert [str(one.message) for one in told] == [
        f"{counts['step_limit']} of 30 problems still collided after max_steps = 20000 or max_rounds: {last}",
        f"{counts['no_solution']} of 30 problems failed (no_solution): {last}",
    ]


def test_the_same_problem_for_many_indices_is_a_batch_of_sample(two_contacts):
    size, step = 300, 2
    batch = {name: np.stack([array] * size) for name, array in two_contacts.items()}
    problem = carom.ImpactProblem(**two_contacts)
    outcomes = carom.ImpactLaw(seed=3)(step, **batch)
    trajectories = carom.sample([problem] * size, 4, seed=3, **law_defaults(problem))
    np.testing.assert_array_equal(
        outcomes.velocity, trajectories.velocity.reshape(size, 4, 3)[:, step]
    )


def test_a_batch_in_parts_gives_the_outcomes_of_the_whole():
    batch = random_batch(5000)
    law = carom.ImpactLaw(seed=2)
    whole = law(9, **batch)
    for begin, end in [(0, 1), (1, 4100), (4100, 5000)]:
        part = law(9, **part_of(batch, slice(begin, end)), first=begin)
        np.testing.assert_array_equal(part.velocity, whole.velocity[begin:end])
        np.testing.assert_array_equal(part.impulse, whole.impulse[begin:end])
    again = carom.ImpactLaw(seed=2, threads=1)(9, **batch)
    assert again.checksum == whole.checksum
    assert law(10, **batch).checksum != whole.checksum
    assert carom.ImpactLaw(seed=3)(9, **batch).checksum != whole.checksum


def test_outcomes_separate_and_lose_energy():
    batch = random_batch(2000, seed=5)
    outcomes = carom.ImpactLaw()(0, **batch)
    ended = outcomes.status == 0
    assert ended.mean() > 0.99
    speeds = np.einsum("bmn,bn->bm", batch["normal_jacobian"], outcomes.velocity)[ended]
    assert speeds.min() >= -1e-7
    v = batch["pre_impact_velocity"]
    before = 0.5 * np.einsum("bi,bij,bj->b", v, batch["mass_matrix"], v)
    assert (outcomes.energy <= before * (1 + 1e-12)).all()


def test_a_velocity_that_separates_stays():
    batch = random_batch(200)
    speeds = np.einsum("bmn,bn->bm", batch["normal_jacobian"], batch["pre_impact_velocity"])
    apart = (speeds > 0).all(axis=1)
    assert 10 < apart.sum() < 190
    outcomes = carom.ImpactLaw()(0, **batch)
    np.testing.assert_array_equal(outcomes.velocity[apart], batch["pre_impact_velocity"][apart])
    assert (outcomes.impulse[apart] == 0).all() and (outcomes.status[apart] == 0).all()
    assert (outcomes.velocity[~apart] != batch["pre_impact_velocity"][~apart]).any(axis=1).all()


def test_the_largest_cap_may_be_one_per_problem():
    batch = random_batch(30)
    steps = np.linspace(0.1, 2.0, 30)
    law = carom.ImpactLaw(seed=6)
    outcomes = law(0, **batch, impulse_step=steps)
    for index in range(30):
        problem = problem_of(batch, index)
        stated = {**law_defaults(problem), "impulse_step": steps[index]}
        alone = carom.sample(problem, 1, seed=6, problem_id=index, **stated)
        np.testing.assert_array_equal(outcomes.velocity[index], alone.velocity[0])
    same = law(0, **batch, impulse_step=0.7)
    each = law(0, **batch, impulse_step=np.full(30, 0.7))
    assert same.checksum == each.checksum


def test_an_empty_batch_has_no_outcomes():
    outcomes = carom.ImpactLaw()(0, **random_batch(0))
    assert len(outcomes) == 0 and outcomes.velocity.shape == (0, 3)


def test_a_pile_whose_floor_takes_the_impulse_of_all_ends_by_default():
    """Eight balls in a column, each half as heavy again as the one below, fall at 1 m/s: all their
    momentum, 49 times that of the lowest, has to go through the floor's contact. So has h."""
    count, size = 8, 20
    mass = 1.5 ** np.arange(count)
    normals = np.zeros((count, 3 * count))
    tangents = np.zeros((2 * count, 3 * count))
    for contact in range(count):
        for body, sign in [(contact, 1.0), (contact - 1, -1.0)][: 1 + (contact > 0)]:
            normals[contact, 3 * body + 2] = sign
            tangents[2 * contact, 3 * body] = tangents[2 * contact + 1, 3 * body + 1] = sign
    pile = {
        "mass_matrix": np.diag(np.repeat(mass, 3)), "normal_jacobian": normals, "tangent_jacobian": tangents,
        "friction": 0.5, "pre_impact_velocity": np.tile([0.0, 0.0, -1.0], (size, count)),
    }  # fmt: skip
    found = carom.ImpactLaw()(0, **pile)
    small = carom.ImpactLaw()(0, **pile, impulse_step=1.0)
    for outcomes in (found, small):
        assert outcomes.status_counts == {"separated": size}
        np.testing.assert_allclose(outcomes.impulse[:, 0, 0], mass.sum(), rtol=1e-6)
    assert found.lcp_count.mean() < 0.5 * mass.sum() and small.lcp_count.min() >= np.ceil(mass.sum())
    with pytest.warns(carom.CaromWarning, match="^20 of 20 problems still collided after max_steps = 49"):
        short = carom.ImpactLaw(max_steps=49)(0, **pile, impulse_step=1.0)
    assert short.status_counts == {"step_limit": size}


def test_what_all_worlds_share_is_given_once():
    size = 40
    batch = random_batch(size)
    shared = {"mass_matrix": batch["mass_matrix"][0], "normal_jacobian": batch["normal_jacobian"][0],
              "tangent_jacobian": batch["tangent_jacobian"][0]}  # fmt: skip
    for friction, each in [(0.3, [0.3, 0.3]), ([0.2, 0.7], [0.2, 0.7])]:
        tiled = {name: np.stack([array] * size) for name, array in shared.items()}
        velocity = batch["pre_impact_velocity"]
        whole = carom.ImpactLaw()(2, **tiled, friction=np.array([each] * size), pre_impact_velocity=velocity)
        once = carom.ImpactLaw()(2, **shared, friction=friction, pre_impact_velocity=velocity)
        assert once.checksum == whole.checksum
        kept = {name: array[None] for name, array in shared.items()}  # an axis of length 1, as NumPy broadcasts
        once = carom.ImpactLaw()(2, **kept, friction=[each], pre_impact_velocity=velocity)
        assert once.checksum == whole.checksum
    of_worlds = np.random.default_rng(3).uniform(0.0, 1.0, (size, 1))  # as NumPy broadcasts
    whole = carom.ImpactLaw()(2, **shared, friction=np.repeat(of_worlds, 2, axis=1), pre_impact_velocity=velocity)
    once = carom.ImpactLaw()(2, **shared, friction=of_worlds, pre_impact_velocity=velocity)
    assert once.checksum == whole.checksum
    with pytest.raises(carom.InputError, match="friction is 1 x 3 .must be 40 x 2: problems x contacts"):
        carom.ImpactLaw()(2, **shared, friction=[[0.1, 0.2, 0.3]], pre_impact_velocity=velocity)


def test_without_a_seed_it_is_one():
    batch = random_batch(10)
    np.testing.assert_array_equal(carom.ImpactLaw(seed=None)(1, **batch).velocity, carom.ImpactLaw()(1, **batch).velocity)


def test_a_law_can_be_copied_and_pickled():
    law = carom.ImpactLaw(7, law="plus", max_steps=50)
    batch = random_batch(20)
    expected = law(3, **batch).checksum
    assert pickle.loads(pickle.dumps(law))(3, **batch).checksum == expected
    assert copy.deepcopy(law)(3, **batch).checksum == expected


@pytest.mark.parametrize("solutions", ["first", "all"])
def test_tangents_are_not_looked_at_where_nothing_approaches(solutions):
    batch = random_batch(4)
    batch["normal_jacobian"] = np.stack([batch["pre_impact_velocity"]] * 2, axis=1)
    batch["tangent_jacobian"][:] = np.nan
    outcomes = carom.ImpactLaw(solutions=solutions)(0, **batch)
    assert outcomes.status_counts == {"separated": 4}
    np.testing.assert_array_equal(outcomes.velocity, batch["pre_impact_velocity"])


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("friction", -1.0, "friction is -1 for all problems (must be from 0 to 100000000)"),
        ("friction", np.nan, "friction is nan for all problems"),
        ("friction", 1e9, "friction is 1000000000 for all problems (must be from 0 to 100000000)"),
        ("friction", [0.5, -0.5], "friction is -0.5 for all problems"),
        ("friction", "0.5", "friction is str (must be an array of numbers"),
        ("friction", None, "friction is None (must be an array of numbers"),
        ("friction", np.full((4, 2), None), "friction is ndarray (must be an array of numbers"),
        ("restitution", 2.0, "restitution is 2 for all problems (must be from 0 to 1)"),
    ],
)
def test_mistakes_that_all_problems_share_are_refused(name, value, message):
    with pytest.raises(carom.InputError) as error:
        carom.ImpactLaw(3)(0, **{**random_batch(4), name: value})
    assert message in str(error.value)


def test_what_is_active_nowhere_may_hold_anything_for_all_problems():
    batch = {**random_batch(4), "friction": [0.5, np.nan]}
    with pytest.raises(carom.InputError, match="friction is nan"):
        carom.ImpactLaw(3)(0, **batch)
    active = np.array([[1, 0]] * 4, bool)
    assert (carom.ImpactLaw(3)(0, **batch, active=active).status == 0).all()


def test_mistakes_name_the_problem_and_the_rule():
    law = carom.ImpactLaw(strict=True)
    batch = random_batch(5000)
    batch["friction"][[700, 4800], 1] = -0.5
    with pytest.raises(carom.InputError, match=r"^problem 700: friction is -0.5 \(must be >= 0\)"):
        law(0, **batch)
    with pytest.raises(carom.InputError, match=r"^problem 9700: friction"):
        law(0, **batch, first=9000)
    batch = random_batch(4)
    for change, message in [
        ({"friction": [0.5] * 3}, "friction is 3 numbers (must be 4 x 2: problems x contacts, 4 x 1: one"),
        ({"mass_matrix": np.eye(2)}, "mass_matrix is 2 x 2 (must be 4 x 3 x 3: problems x velocities"),
        ({"mass_matrix": np.ones((3, 3, 3))}, "mass_matrix is 3 x 3 x 3 (must be 4 x 3 x 3"),
        ({"normal_jacobian": np.ones((4, 2, 2))}, "normal_jacobian is 4 x 2 x 2 (must be 4 x m x 3"),
        ({"tangent_jacobian": np.ones((4, 3, 3))}, "tangent_jacobian is 4 x 3 x 3 (must be 4 x 2 x 3"),
        ({"impulse_step": [0.1, 0.2]}, "impulse_step is 2 numbers (must be 4 numbers"),
        ({"impulse_step": -1.0}, "problem 0: impulse_step is -1 (must be > 0 and finite, in N·s)"),
        ({"active": [True]}, "active is 1 numbers (must be 4 x 2"),
        ({"active": [[0.5, 1.0]] * 4}, "active has other entries (must be True or False, 1 or 0)"),
        ({"active": [[np.nan, 1.0]] * 4}, "active has other entries"),
        ({"active": [[256, 1]] * 4}, "active has other entries"),
        ({"first": 2**32}, "first is 4294967296 (with problem_id"),
        ({"restitution": [0.5] * 3}, "restitution is 3 numbers (must be 4 x 2: problems x contacts, 4 x 1: one"),
        ({"restitution": 1.5}, "restitution is 1.5 for all problems (must be from 0 to 1)"),
        ({"pre_impact_velocity": [1.0, 2.0]}, "pre_impact_velocity is 2 numbers (must be B x nv"),
        ({"step": -1}, "step is -1 (must be an integer >= 0)"),
    ]:
        arguments = {"step": 0, **batch, **change}
        with pytest.raises(carom.InputError) as error:
            law(**arguments)
        assert message in str(error.value)
    for options, message in [
        ({"law": "sequential", "solutions": "all"}, "solutions is not an option of law sequential"),
        ({"law": "plus", "law_options": {"v_before": [1, 2, 3]}}, "v_before is stated"),
        ({"law": "sequent"}, 'law is "sequent" (must be one of'),
        ({"caps": "uniform", "law_options": {"caps": "simplex"}}, "caps is in law_options, too"),
    ]:
        with pytest.raises(carom.InputError) as error:
            carom.ImpactLaw(**options)
        assert message in str(error.value)
    with pytest.raises(carom.InputError, match="^restitution is given .must not be with law sequential"):
        carom.ImpactLaw(law="sequential")(0, **batch, restitution=0.0)
    with pytest.raises(carom.InputError, match="^strict must be True or False"):
        carom.ImpactLaw(strict="yes")
    with pytest.raises(carom.InputError, match='solutions is "table"'):
        carom.ImpactLaw(solutions="table")
    for epsilon in [0.0, -1.0, np.inf, np.nan]:
        with pytest.raises(carom.InputError, match="epsilon is .*must be (> 0|finite)"):
            carom.ImpactLaw(epsilon=epsilon)
    with pytest.raises(carom.InputError, match="max_steps is 0"):
        carom.ImpactLaw(max_steps=0)
