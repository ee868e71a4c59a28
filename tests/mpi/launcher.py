"""Runs carom alone and under mpirun, and compares what the two leave."""

import os
import subprocess

import h5py
import numpy

CAROM = os.environ["CAROM_EXECUTABLE"]
MPIRUN = os.environ["CAROM_MPIRUN"]
SCENARIOS = os.path.join(os.environ["CAROM_SOURCE_DIR"], "scenarios")

# What says when, where and how fast, not what came out.
NOT_COMPARED = {"/": {"created", "device"}, "/summary": {"seconds"}}


def environment():
    """OpenMPI refuses root unless told; CI runs as root."""
    return dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def scenario(name):
    return os.path.join(SCENARIOS, name + ".toml")


def mpirun(ranks):
    return [MPIRUN, "-n", str(ranks), "--oversubscribe", "--bind-to", "none"]


def start(arguments, ranks=None, wrapper=()):
    command = (mpirun(ranks) if ranks else []) + list(wrapper) + [CAROM] + list(arguments)
    return subprocess.Popen(command, env=environment(), text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def run(arguments, ranks=None):
    process = start(arguments, ranks)
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


def run_well(arguments, ranks=None):
    code, out, err = run(arguments, ranks)
    assert code == 0, f"exit code {code}: {err}"
    return out


def _equal(one, other):
    one, other = numpy.asarray(one), numpy.asarray(other)
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if one.dtype.kind in "OSU":
        return bool((one == other).all())
    return one.tobytes() == other.tobytes()


def rows_that_differ(one, other):
    """Names of the columns of /samples whose bits differ, wherever the rows are."""
    with h5py.File(one) as a, h5py.File(other) as b:
        names = (set(a["samples"]) | set(b["samples"])) - {"shards"}
        return [name for name in sorted(names)
                if not _equal(a["samples"][name][()], b["samples"][name][()])]


def differences(one, other):
    """Names of the attributes and datasets whose bits differ between two result files."""
    found = []
    with h5py.File(one) as a, h5py.File(other) as b:
        names = {"/"}
        for file in (a, b):
            file.visit(lambda name: names.add("/" + name))
        for name in sorted(names):
            if name not in a or name not in b:
                found.append(f"{name} is in one of them only")
                continue
            left, right = a[name], b[name]
            if isinstance(left, h5py.Dataset) and not _equal(left[()], right[()]):
                found.append(name)
            ignored = NOT_COMPARED.get(name, set())
            for key in sorted((set(left.attrs) | set(right.attrs)) - ignored):
                if key not in left.attrs or key not in right.attrs:
                    found.append(f"{name} @{key} is in one of them only")
                elif not _equal(left.attrs[key], right.attrs[key]):
                    found.append(f"{name} @{key}")
    return found
