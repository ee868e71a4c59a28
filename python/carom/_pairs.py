"""States and next states, of rollouts in memory or in a data set."""

import numpy as np


def state_pairs(position, velocity, time):
    """States, next states and seconds between them, one row each, of rollouts (R, T, nq), (R, T, nv)."""
    states = np.concatenate([position, velocity], axis=2)
    size = states.shape[2]
    between = np.broadcast_to(np.diff(time), (len(states), len(time) - 1))
    return states[:, :-1].reshape(-1, size), states[:, 1:].reshape(-1, size), between.reshape(-1)
