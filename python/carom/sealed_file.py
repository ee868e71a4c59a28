"""Carom's sealed HDF5 files (docs/result_file.md), compared with their checksums as they are read."""

import contextlib
import io
import json
import os
import zlib

import h5py
import numpy as np

SEAL_BYTES = 512
BLOCK_BYTES = 256 * 1024
BEGINNING = b'{"format":"carom '
FORMATS = {
    "carom result": "a result of carom sample",
    "carom exploration": "an exploration of carom sample --explore",
    "carom rollouts": "rollouts of carom roll",
    "carom rows": "rows of carom sample",
    "carom grid": "a file of carom grid",
    "carom dataset shard": "a shard of carom dataset",
}


class BadFile(ValueError):
    """A file is missing, damaged or of another kind; its message names file and reason."""


class SealedFile(io.RawIOBase):
    """A sealed file for `h5py.File(SealedFile(path, format), "r")`: all bytes that HDF5 reads are
    compared with their checksums. Damage raises BadFile, also from calls of h5py. If h5py takes
    damage for a missing object, refuse_if_damaged() raises it. Messages say what is `wanted`, by
    default a file of this format."""

    def __init__(self, path, format, wanted=None):
        super().__init__()
        self.path = os.fspath(path)
        self.damage = None  # the first damage found, as a message
        self._at = 0
        wanted = wanted or FORMATS[format]
        if not os.path.isfile(self.path):
            raise BadFile(f"{self.path} does not exist (must be {wanted})")
        self._file = open(self.path, "rb", buffering=0)  # closed by close()
        try:
            self._read_seal(format, wanted)
        except BadFile:
            self.close()
            raise

    def _read_seal(self, format, wanted):
        seal = self._bytes(0, SEAL_BYTES)
        if seal[:1] == b"\0":
            raise BadFile(
                f"{self.path} has no seal: the run that wrote it did not end, or another program "
                f"wrote it (must be {wanted})"
            )
        if not seal.startswith(BEGINNING):
            raise BadFile(f"{self.path} does not begin as a file of Carom does (must be {wanted})")
        line = seal.split(b"\n", 1)[0]
        if seal != f"{line.decode('latin-1')}\n{checksum(line)}\n".encode("latin-1").ljust(512, b"\0"):
            self._refuse(f"its first {SEAL_BYTES} bytes differ from their checksum")
        self.about = json.loads(line)
        if self.about["format"] != format:
            raise BadFile(f"{self.path} is {FORMATS[self.about['format']]} (must be {wanted})")
        self._end = self.about["hdf5_bytes"]
        blocks = -(-self._end // BLOCK_BYTES)
        size = os.fstat(self._file.fileno()).st_size
        if size != self._end + 4 * blocks:
            self._refuse(f"it has {size} bytes (must be {self._end + 4 * blocks})")
        table = self._bytes(self._end, 4 * blocks)
        if checksum(table) != self.about["crc32"]:
            self._refuse("the checksums at its end differ from their own")
        self._table = np.frombuffer(table, "<u4")
        self._compared = np.zeros(blocks, bool)

    def _refuse(self, damage):
        self.damage = f"{self.path} is damaged or cut short: {damage}"
        raise BadFile(self.damage)

    def refuse_if_damaged(self):
        """Raises BadFile if damage was met."""
        if self.damage:
            raise BadFile(self.damage)

    def _bytes(self, first, size):
        """Some bytes; fewer at the end of the file."""
        parts = []
        while size > 0 and (part := os.pread(self._file.fileno(), size, first)):
            parts.append(part)
            first, size = first + len(part), size - len(part)
        return b"".join(parts)

    def check(self, first=0, end=None):
        """Compares all blocks that touch [first, end), by default all of the file."""
        end = self._end if end is None else min(end, self._end)
        for block in range(first // BLOCK_BYTES, -(-end // BLOCK_BYTES)):
            if self._compared[block]:
                continue
            start = max(block * BLOCK_BYTES, SEAL_BYTES)
            stop = min((block + 1) * BLOCK_BYTES, self._end)
            found = checksum(self._bytes(start, stop - start))
            if found != f"{self._table[block]:08x}":
                self._refuse(
                    f"bytes {start} to {stop} have checksum {found} (must be {self._table[block]:08x})"
                )
            self._compared[block] = True

    # What h5py calls.

    def seekable(self):
        return True

    def readable(self):
        return True

    def tell(self):
        return self._at

    def seek(self, offset, whence=os.SEEK_SET):
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._end}[whence]
        return self._at

    def readinto(self, buffer):
        size = max(0, min(len(buffer), self._end - self._at))
        self.check(self._at, self._at + size)
        memoryview(buffer)[:size] = self._bytes(self._at, size)
        self._at += size
        return size

    def close(self):
        self._file.close()
        super().close()


def checksum(data):
    """CRC-32, as 8 hexadecimal digits."""
    return f"{zlib.crc32(data):08x}"


@contextlib.contextmanager
def opened(path, format, wanted=None):
    """An h5py.File that is compared with its checksums as it is read."""
    with SealedFile(path, format, wanted) as sealed:
        try:
            with h5py.File(sealed, "r") as file:
                yield file
        except BadFile:
            raise
        except (OSError, KeyError, ValueError, TypeError, IndexError, RuntimeError) as error:
            sealed.refuse_if_damaged()
            reason = str(error).strip("'\"").splitlines()
            raise BadFile(f"{path} cannot be read ({reason[0] if reason else error!r})") from error
        sealed.refuse_if_damaged()


def format_of(path):
    """What a file says that it is, damaged or not; empty where it says nothing."""
    try:
        with open(path, "rb") as file:
            return json.loads(file.readline(SEAL_BYTES))["format"]
    except (OSError, ValueError, KeyError, TypeError):
        return ""
