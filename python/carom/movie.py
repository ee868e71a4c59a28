"""Writes movies of the motions that `carom roll` writes."""

import shutil
from itertools import chain

import numpy as np
from matplotlib.animation import FFMpegWriter
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from carom import motion
from carom.sealed_file import BadFile
from carom.styles import wrapped

FRAME_SECONDS = 0.04  # the shortest frame
MOST_SECONDS = 60.0  # of a movie with frames of different lengths
WIDTH, DOTS_PER_INCH = 6.4, 80
TITLE_POINTS, TITLE_LINE_INCHES = 9, 0.17
GIF_UNIT = 0.01  # s, of the lengths of frames; viewers show those of one unit as ten


def frame_lengths(time, unit):
    """How many units (s) each frame lasts: in proportion to the time until the next one. The last one lasts
    as long as the one before."""
    shortest = round(FRAME_SECONDS / unit)
    if len(time) == 1:
        return [shortest]
    ends = np.append(time, 2 * time[-1] - time[-2]) - time[0]
    most = max(MOST_SECONDS / unit, shortest * len(time))
    scale = min(shortest / np.diff(time).min(), most / ends[-1])
    lengths = np.diff(np.round(scale * ends).astype(int))
    return [max(int(length), shortest // 2, 1) for length in lengths]


def frames_of(its, title):
    """A figure that shows the bodies at one kept time after the other."""
    frame = its.frame()
    (x0, x1), (y0, y1) = its.view.picture_limits(frame)
    above = wrapped(title or motion.headline(its), WIDTH, TITLE_POINTS)
    height = min(8.0, max(2.0, 6.0 * (y1 - y0) / (x1 - x0))) + 0.43 + TITLE_LINE_INCHES * len(above.splitlines())
    figure = Figure(figsize=(WIDTH, height), dpi=DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    figure.suptitle(above, fontsize=TITLE_POINTS)
    for moment in range(len(its.time)):
        axes.clear()
        motion.draw_bodies(axes, its, moment, frame)
        yield figure


def save_gif(frames, output, time):
    images = []
    for figure in frames:
        figure.canvas.draw()
        images.append(Image.fromarray(np.array(figure.canvas.buffer_rgba())))
    milliseconds = [round(1000 * GIF_UNIT) * length for length in frame_lengths(time, GIF_UNIT)]
    images[0].save(output, save_all=True, append_images=images[1:], duration=milliseconds, loop=0)


def save_mp4(frames, output, time):
    """Frames of equal length: one that lasts longer is repeated."""
    writer, first = FFMpegWriter(fps=round(1 / FRAME_SECONDS)), next(frames)
    with writer.saving(first, str(output), dpi=DOTS_PER_INCH):
        for _, length in zip(chain([first], frames), frame_lengths(time, FRAME_SECONDS)):
            for _ in range(length):
                writer.grab_frame()


MOVIES = {".gif": save_gif, ".mp4": save_mp4}


def save(path, output, title=None):
    """Writes the bodies of some rollouts over each other, at all times of a file, as a GIF or MP4."""
    suffix = output.suffix.lower()
    if suffix == ".mp4" and shutil.which("ffmpeg") is None:
        raise BadFile(f"{output} needs ffmpeg, which is not installed (must end in .gif without it)")
    its = motion.read(path)
    if its.world is None:
        reason = its.no_bodies or "has no bodies to be shown"
        raise BadFile(f"{path}: {reason} (must be a picture, .png, .svg or .pdf)")
    MOVIES[suffix](frames_of(its, title), output, its.time)
