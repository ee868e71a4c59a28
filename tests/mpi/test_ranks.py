"""Many ranks give the bits of one process: every dataset and attribute of the result files."""

import os
import signal
import tempfile
import time
import unittest

import h5py

from launcher import differences, rows_that_differ, run, run_well, scenario, start

RANKS = int(os.environ["CAROM_RANKS"])

# No system's number of trajectories is a multiple of a chunk; caps, norms and laws take turns.
RUNS = {
    "rocking block, first": ["rocking_block", "--trajectories", "20011"],
    "compass gait, all solutions, kinetic norm":
        ["compass_gait", "--trajectories", "5003", "--solutions", "all", "--norm", "kinetic"],
    "box and wall, table": ["box_wall", "--trajectories", "30011", "--solutions", "table"],
    "ramone, all solutions, a mixture with Sobol' points":
        ["ramone", "--trajectories", "3001", "--solutions", "all", "--caps",
         "0.5*sobol + 0.5*corners:4"],
    "disk stack, many members": ["disk_stack", "--trajectories", "7001", "--epsilon", "0.05"],
    "some rows and paths": ["rocking_block", "--trajectories", "20011", "--samples", "3001",
                            "--paths", "5"],
    "no rows": ["compass_gait", "--trajectories", "9001", "--samples", "none"],
    "a run that grows": ["rocking_block", "--trajectories", "1000", "--miss", "2e-3"],
    "all evidence": ["rocking_block", "--trajectories", "3001", "--seek-extremes", "1",
                     "--net-size", "4", "--verify-net"],
    "fewer trajectories than ranks": ["rocking_block", "--trajectories", "3"],
    "an exploration": ["compass_gait", "--explore", "--budget", "30000", "--bound"],
    "an exploration of phases": ["box_wall", "--explore", "--budget", "20000", "--impulse-step",
                                 "0.02", "--max-steps", "50", "--slots", "67", "--islands", "3"],
    "fewer slots than ranks": ["box_wall", "--explore", "--budget", "1000", "--slots", "1"],
}

GRID = """
nets = true
scenario = "rocking_block"
[axes]
drop_speed = {min = 0.1, max = 1.0, count = 201}
[sampling]
trajectories = 300
"""

DROPS = """
scenario = "rocking_block"
[axes]
drop_height = {min = 0.01, max = 0.1, count = 20}
[roll]
rollouts = 3
duration = 0.3
[shards]
problems = 3
"""
DATA_SET = """
scenario = "compass_gait"
problems = 137
invalid = "skip"
[axes]
leg_angle_deg = {min = 40.0, max = 80.0}
trailing_rate = {min = -0.5, max = 1.0}
[sampling]
max_steps = 20
[outcomes]
per_problem = 16
[shards]
problems = 20
"""


class Ranks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="carom_mpi_")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def sample(self, file, arguments, ranks=None):
        system, *flags = arguments
        run_well(["sample", scenario(system), *flags, "-o", file, "--quiet"], ranks)

    def expect_same(self, one, other):
        self.assertEqual(differences(one, other), [])

    def wait_for(self, condition, process):
        end = time.monotonic() + 120
        while not condition():
            self.assertIsNone(process.poll(), "the run ended too early")
            self.assertLess(time.monotonic(), end, "nothing was written in two minutes")
            time.sleep(0.01)

    def test_results_equal_those_of_one_process(self):
        for name, arguments in RUNS.items():
            with self.subTest(name):
                one, many = self.path("one.h5"), self.path("many.h5")
                self.sample(one, arguments)
                self.sample(many, arguments, RANKS)
                self.expect_same(one, many)

    def test_a_resumed_run_equals_one_of_one_process(self):
        whole, grown = self.path("whole.h5"), self.path("grown.h5")
        self.sample(whole, ["compass_gait", "--trajectories", "8009"])
        self.sample(grown, ["compass_gait", "--trajectories", "3001"])
        run_well(["resume", grown, "--trajectories", "5003", "--quiet"], RANKS)
        run_well(["resume", grown, "--trajectories", "8009", "--quiet"])
        self.expect_same(whole, grown)

    def test_a_resumed_exploration_equals_one_of_one_process(self):
        whole, grown = self.path("whole.h5"), self.path("grown.h5")
        self.sample(whole, ["compass_gait", "--explore", "--budget", "60000"])
        self.sample(grown, ["compass_gait", "--explore", "--budget", "20000"])
        run_well(["resume", grown, "--budget", "40000", "--quiet"], RANKS)
        run_well(["resume", grown, "--budget", "60000", "--quiet"])
        self.expect_same(whole, grown)

    def test_rollouts_equal_those_of_one_process(self):
        moving = ["roll", "rocking_block", "--duration", "0.1", "--step", "2e-3", "--quiet"]
        for count in ("2", "2503"):
            one, many = self.path(f"one{count}.h5"), self.path(f"many{count}.h5")
            run_well([*moving, "--rollouts", count, "-o", one])
            run_well([*moving, "--rollouts", count, "-o", many], RANKS)
            self.expect_same(one, many)
        run_well(["resume", one, "--rollouts", "9001", "--quiet"])
        run_well(["resume", many, "--rollouts", "9001", "--quiet"], RANKS)
        self.expect_same(one, many)

    def test_rows_in_shards_equal_those_in_the_file(self):
        for name in ["rocking block, first", "some rows and paths", "a run that grows",
                     "fewer trajectories than ranks"]:
            with self.subTest(name):
                one, many = self.path("one.h5"), self.path(name.replace(" ", "_") + ".h5")
                self.sample(one, RUNS[name])
                self.sample(many, RUNS[name] + ["--shard-rows", "700"], RANKS)
                self.assertEqual(rows_that_differ(one, many), [])
                rows = h5py.File(one)["samples/status"].shape[0]
                self.assertGreaterEqual(len(os.listdir(many + ".rows")), -(-rows // 700))

    def test_a_resumed_run_goes_on_with_its_shards(self):
        whole, grown = self.path("whole.h5"), self.path("grown.h5")
        self.sample(whole, ["compass_gait", "--trajectories", "8009"])
        self.sample(grown, ["compass_gait", "--trajectories", "3001", "--shard-rows", "500"])
        run_well(["resume", grown, "--trajectories", "5003", "--quiet"], RANKS)
        run_well(["resume", grown, "--trajectories", "8009", "--quiet"])
        self.assertEqual(rows_that_differ(whole, grown), [])

    def test_only_one_rank_prints(self):
        out = run_well(["sample", "rocking_block", "--trajectories", "2000"], RANKS)
        self.assertEqual(out.count("Post-impact set of rocking_block"), 1)

    def test_bad_input_is_told_once(self):
        code, out, err = run(["sample", "rocking_block", "--trajectories", "-3"], RANKS)
        self.assertEqual(code, 2)
        self.assertEqual(out, "")
        self.assertEqual(err.count("carom: error:"), 1, err)
        self.assertIn("--trajectories is -3", err)

    def test_a_failed_run_is_told_once(self):
        code, _, err = run(["sample", "rocking_block", "--backend", "cuda", "--trajectories", "9"],
                           RANKS)
        if code == 0:
            self.skipTest("this machine has a GPU")
        self.assertIn(code, (1, 2))
        self.assertEqual(err.count("carom: error:"), 1, err)
        self.assertRegex(err, "CUDA|cuda")

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def expect_same_bytes(self, one, other):
        with open(one, "rb") as first, open(other, "rb") as second:
            self.assertTrue(first.read() == second.read(), f"{one} and {other} differ")

    def test_a_grid_equals_that_of_one_process(self):
        spec = self.write("grid.toml", GRID)
        one, many = self.path("one.h5"), self.path("many.h5")
        run_well(["grid", spec, "-o", one, "--quiet"])
        run_well(["grid", spec, "-o", many, "--quiet"], RANKS)
        self.expect_same_bytes(one, many)

    def data_sets(self, text):
        """That of one process and that of many, which have the same bytes."""
        spec = self.write("set.toml", text)
        one, many = self.path("one"), self.path("many")
        run_well(["dataset", spec, "-o", one, "--quiet"])
        run_well(["dataset", spec, "-o", many, "--quiet"], RANKS)
        self.assertEqual(sorted(os.listdir(one)), sorted(os.listdir(many)))
        for name in os.listdir(one):
            self.expect_same_bytes(os.path.join(one, name), os.path.join(many, name))
        return spec, one, many

    def test_a_data_set_of_rollouts_equals_that_of_one_process(self):
        self.data_sets(DROPS)

    def test_a_data_set_equals_that_of_one_process(self):
        spec, one, many = self.data_sets(DATA_SET)
        # A shard that is lost, or damaged, is made again.
        os.remove(os.path.join(many, "shard-00002.h5"))
        with open(os.path.join(many, "shard-00004.h5"), "r+b") as shard:
            shard.seek(5000)
            shard.write(b"damaged")
        run_well(["dataset", spec, "-o", many, "--quiet"], RANKS)
        for name in os.listdir(one):
            self.expect_same_bytes(os.path.join(one, name), os.path.join(many, name))

    def test_an_error_on_any_rank_is_told_once(self):
        spec = self.write("bad.toml", GRID.replace("count = 201}", "count = 201}\nwidth = "
                                                   "{values = [1.0, -1.0]}"))
        code, _, err = run(["grid", spec, "-o", self.path("bad.h5")], RANKS)
        self.assertEqual(code, 2, err)
        self.assertEqual(err.count("carom: error:"), 1, err)
        self.assertIn("width is -1", err)

    def long_run(self, file, *flags):
        """A run of some minutes that has begun, with its file."""
        arguments = ["sample", scenario("compass_gait"), "--trajectories", "1e9", "--samples",
                     "20000", "--checkpoint", "0.1", "--hold-out", "0", "-o", file, *flags]
        process = start(arguments, RANKS)
        self.wait_for(lambda: os.path.exists(file), process)
        return process

    def expect_prefix_of_a_run(self, file):
        """`file` equals the run of one process that has as many trajectories."""
        with h5py.File(file) as result:
            self.assertEqual(result.attrs["complete"], 0)
            done = int(result["summary"].attrs["trajectories"])
        self.assertGreater(done, 0)
        one, resumed = self.path("one.h5"), self.path("resumed.h5")
        run_well(["sample", scenario("compass_gait"), "--trajectories", str(done + 1001),
                  "--samples", "20000", "--hold-out", "0", "-o", one, "--quiet"])
        run_well(["resume", file, "--trajectories", str(done + 1001), "-o", resumed, "--quiet"],
                 RANKS)
        self.expect_same(one, resumed)

    def test_an_interrupted_exploration_leaves_a_valid_file(self):
        # So fine a net does not settle, and its search goes on for minutes.
        search = [scenario("disk_stack"), "--explore", "--solutions", "first", "--epsilon", "0.01",
                  "--slots", "500", "--quiet", "-o"]
        file, one, resumed = (self.path(name + ".h5") for name in ["explored", "one", "resumed"])
        process = start(["sample", *search, file, "--budget", "1e9", "--checkpoint", "0.1"], RANKS)
        self.wait_for(lambda: os.path.exists(file), process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        with h5py.File(file) as explored:
            self.assertEqual(explored.attrs["complete"], 0)
            done = int(explored["explore"].attrs["lcps"])
        self.assertGreater(done, 0)
        budget = str(done + 5000)
        run_well(["sample", *search, one, "--budget", budget])
        run_well(["resume", file, "--budget", budget, "-o", resumed, "--quiet"], RANKS)
        self.expect_same(one, resumed)

    def test_an_interrupt_leaves_a_valid_file(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number.name):
                file = self.path(number.name + ".h5")
                process = self.long_run(file)
                process.send_signal(number)
                process.communicate(timeout=60)
                self.assertNotEqual(process.returncode, 0)
                self.expect_prefix_of_a_run(file)

    def test_a_killed_rank_leaves_whole_shards(self):
        file, whole = self.path("killed.h5"), self.path("whole.h5")
        process = start(["sample", scenario("compass_gait"), "--trajectories", "3e7",
                         "--checkpoint", "0.1", "--shard-rows", "50000", "-o", file], RANKS)
        self.wait_for(lambda: os.path.exists(file), process)
        os.kill(self.process_of_rank(process.pid, RANKS - 1), signal.SIGKILL)
        process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        with h5py.File(file) as result:
            self.assertEqual(result.attrs["complete"], 0)
            done = int(result["summary"].attrs["trajectories"])
        self.sample(whole, ["compass_gait", "--trajectories", str(done + 30011)])
        run_well(["resume", file, "--trajectories", str(done + 30011), "--quiet"], RANKS)
        self.assertEqual(rows_that_differ(whole, file), [])

    def test_a_killed_rank_ends_the_run_and_leaves_a_valid_file(self):
        for rank in sorted({0, RANKS - 1}):
            with self.subTest(f"rank {rank}"):
                file = self.path(f"killed_{rank}.h5")
                process = self.long_run(file)
                os.kill(self.process_of_rank(process.pid, rank), signal.SIGKILL)
                _, err = process.communicate(timeout=60)
                self.assertNotEqual(process.returncode, 0)
                if RANKS > 1:
                    self.assertIn("Killed", err)  # mpirun names the rank and the signal
                self.expect_prefix_of_a_run(file)

    @staticmethod
    def process_of_rank(launcher, rank):
        with open(f"/proc/{launcher}/task/{launcher}/children", encoding="ascii") as children:
            for child in children.read().split():
                with open(f"/proc/{child}/environ", "rb") as variables:
                    if f"OMPI_COMM_WORLD_RANK={rank}".encode() in variables.read().split(b"\0"):
                        return int(child)
        raise AssertionError(f"rank {rank} is not running")


if __name__ == "__main__":
    unittest.main(verbosity=2)
