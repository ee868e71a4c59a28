"""Makes and changes sealed files (docs/result_file.md) for tests of readers."""

import contextlib
import json
import zlib
from pathlib import Path

import h5py
import numpy as np

BLOCK, SEAL = 256 * 1024, 512


def crc(data):
    return f"{zlib.crc32(data):08x}"


def seal(path, format):
    """Seals a file of h5py's with room for that; returns what the seal says."""
    path = Path(path)
    whole = path.read_bytes()
    blocks = [whole[max(at, SEAL) : at + BLOCK] for at in range(0, len(whole), BLOCK)]
    table = np.array([zlib.crc32(block) for block in blocks], "<u4").tobytes()
    about = {"format": format, "hdf5_bytes": len(whole), "crc32": crc(table)}
    line = json.dumps(about, separators=(",", ":")).encode()
    path.write_bytes((line + b"\n" + crc(line).encode() + b"\n").ljust(SEAL, b"\0") + whole[SEAL:] + table)
    return about


@contextlib.contextmanager
def sealed(path, format="carom result", mode="w"):
    """h5py.File to write into; sealed afterwards."""
    if mode == "a":
        path = Path(path)
        whole = path.read_bytes()
        end = json.loads(whole[:SEAL].split(b"\n")[0])["hdf5_bytes"]
        path.write_bytes(bytes(SEAL) + whole[SEAL:end])
        file = h5py.File(path, "a")
    else:
        file = h5py.File(path, "w", userblock_size=SEAL)
    with file:
        yield file
    seal(path, format)
