"""Ctrl-C ends a long call within a fraction of a second; other threads run on meanwhile."""

import signal
import subprocess
import sys
import threading
import time

import carom
import pytest

# Each of these would take a minute at least.
LONG_CALLS = {
    "sample": "carom.sample('disk_stack', 10**6)",
    "all solutions": "carom.sample('disk_stack', 10**6, solutions='all')",
    "set": "carom.post_impact_set('disk_stack', 10**9)",
    "hold-out": "carom.post_impact_set('disk_stack', 100, hold_out=10**9)",
    "selection": "carom.post_impact_set('rocking_block', 10**6, hold_out=0, net_size=10**5)",
    "extremes": "carom.post_impact_set('disk_stack', 1000, seek_extremes=1000, hold_out=0)",
    "law": "law(0, **batch)",
}

PROGRAM = """
import sys, time
import carom, numpy as np
problem = carom.load_scenario("compass_gait").problem
law, count = carom.ImpactLaw(), 10**6 if {is_law} else 1
names = ["mass_matrix", "normal_jacobian", "tangent_jacobian", "friction", "pre_impact_velocity"]
arrays = {{name: getattr(problem, name) for name in names}}
batch = {{name: np.tile(array, (count,) + (1,) * array.ndim) for name, array in arrays.items()}}
print("begins", flush=True)
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
    assert len(carom.sample("rocking_block", 100)) == 100  # and all goes on
else:
    print("ended", flush=True)
"""


@pytest.mark.parametrize("name", LONG_CALLS)
def test_an_interrupt_is_a_keyboard_interrupt(name):
    program = PROGRAM.format(call=LONG_CALLS[name], is_law=name == "law")
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "begins\n"
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        begin = time.monotonic()
        assert child.stdout.readline() == "interrupted\n"
        # Generous for a loaded machine: the call itself would last a minute.
        assert time.monotonic() - begin < 10.0
        assert child.wait(timeout=60) == 0
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def test_an_interrupted_run_leaves_a_file_to_resume(tmp_path):
    file = tmp_path / "stack.h5"
    call = f"carom.post_impact_set('disk_stack', 10**9, output={str(file)!r})"
    program = PROGRAM.format(call=call, is_law=False).replace("10**9", "10**6")
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "begins\n"
    time.sleep(1.0)
    child.send_signal(signal.SIGINT)
    assert child.stdout.read() == "interrupted\n"
    assert child.wait(timeout=60) == 0
    child.stdout.close()
    result = carom.read(file)
    assert not result.set.complete
    assert len(result.samples) == result.set.summary.trajectories > 0


def test_other_threads_run_during_a_call():
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    before = len(ticks)
    carom.sample("disk_stack", 4000, threads=1, chunk=4000)
    after = len(ticks)
    done.set()
    thread.join()
    assert after - before >= 3
