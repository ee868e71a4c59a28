#!/usr/bin/env python3
"""Learns the set-valued impact of a compass gait from a data set and draws held-out sets.

    carom dataset examples/compass_gait_states.toml -o compass_gait_states
    python3 examples/learn_compass_gait.py compass_gait_states -o compass_gait_learned.png

The model takes a state and gives outcomes: a classifier draws what each foot does (separates,
sticks, slides), then mixture density networks draw the speeds that this leaves open, one after the
other. Speeds that the mode fixes at zero are zero.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

try:
    from carom.torch import ImpactDataset
except ModuleNotFoundError:  # from the source tree, without an installed package
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
    from carom.torch import ImpactDataset

VALUES = ["leg_angle_deg", "leading_rate", "trailing_rate", "friction"]
SEPARATES, STICKS, SLIDES, SLIDES_BACK = range(4)
LEAST_SPREAD = 3e-3  # of a mixture's component, relative to the spread of what it models
PARTS = 6  # components of a mixture
GREY, RED = "#b4b4b4", "#d7301f"
SLOW = 0.01  # m/s: speeds are learned on a scale that is linear below and logarithmic above


class Outcomes:
    """A split in the coordinates of the model: states, modes, and contact speeds, row by row."""

    def __init__(self, folder, split):
        data = ImpactDataset(folder, split, verify=True)
        if data.names != [f"parameters.{name}" for name in VALUES] or len(data) == 0:
            sys.exit(f"{folder} has no {split} problems with the values {', '.join(VALUES)}")
        rows = data.outcomes()
        self.problem, self.state = rows["problem"], rows["values"]
        code = rows["modes"].long()
        self.code = 4 * code[:, 0] + code[:, 1]
        arrays = data.source.arrays(("normal_jacobian", "tangent_jacobian"))
        jacobian = np.concatenate([arrays["tangent_jacobian"], arrays["normal_jacobian"]], axis=1)
        jacobian = torch.from_numpy(jacobian).float()[self.problem]
        self.speed = torch.einsum("pij,pj->pi", jacobian, rows["velocity"])


def open_speeds(codes):
    """Which of (tangential A, tangential B, normal A, normal B) a mode leaves open."""
    modes = torch.stack([codes // 4, codes % 4], dim=1)
    return torch.cat([modes != STICKS, modes == SEPARATES], dim=1)


def mlp(inputs, outputs, width=96):
    return nn.Sequential(
        nn.Linear(inputs, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(),
        nn.Linear(width, outputs),
    )  # fmt: skip


class ImpactModel(nn.Module):
    def __init__(self, train):
        super().__init__()
        self.register_buffer("codes", torch.unique(train.code))
        self.register_buffer("middle", train.state.mean(0))
        self.register_buffer("spread", train.state.std(0))
        self.register_buffer("scale", torch.asinh(train.speed / SLOW).std(0).clamp_min(1e-6))
        states, kinds = train.state.shape[1], len(self.codes)
        self.classifier = mlp(states, kinds)
        self.speeds = nn.ModuleList(mlp(states + kinds + j, 3 * PARTS) for j in range(4))

    def state(self, values):
        return (values - self.middle) / self.spread

    def kind(self, codes):
        """Numbers of modes; a mode that the training has not seen counts as the first."""
        return (codes[:, None] == self.codes).float().argmax(1)

    def mixture(self, j, state, kind, before):
        one_hot = nn.functional.one_hot(kind, len(self.codes)).float()
        weight, mean, spread = self.speeds[j](torch.cat([state, one_hot, before], 1)).chunk(3, 1)
        parts = torch.distributions.Normal(mean, nn.functional.softplus(spread) + LEAST_SPREAD)
        weights = torch.distributions.Categorical(logits=weight)
        return torch.distributions.MixtureSameFamily(weights, parts)

    def loss(self, values, codes, speeds):
        state, kind = self.state(values), self.kind(codes)
        loss = nn.functional.cross_entropy(self.classifier(state), kind)
        scaled, is_open = torch.asinh(speeds / SLOW) / self.scale, open_speeds(codes)
        for j in range(4):
            rows = is_open[:, j]
            if rows.any():
                mixture = self.mixture(j, state[rows], kind[rows], scaled[rows, :j])
                loss = loss - mixture.log_prob(scaled[rows, j]).sum() / len(codes)
        return loss

    def shares(self, values):
        """Probabilities of the modes, in the order of `codes`."""
        return self.classifier(self.state(values)).softmax(1)

    @torch.no_grad()
    def sample(self, values, count):
        """`count` outcomes of one state: codes and contact speeds."""
        state = self.state(values)[None].expand(count, -1)
        kind = torch.distributions.Categorical(logits=self.classifier(state)).sample()
        is_open = open_speeds(self.codes[kind])
        scaled = torch.zeros(count, 4)
        for j in range(4):
            drawn = self.mixture(j, state, kind, scaled[:, :j]).sample()
            scaled[:, j] = torch.where(is_open[:, j], drawn, torch.zeros(()))
        speeds = SLOW * torch.sinh(scaled * self.scale)
        speeds[:, 2:].clamp_(min=0.0)  # no foot goes through the floor
        return self.codes[kind], speeds


def fit(model, train, steps, batch=2048):
    optimizer = torch.optim.Adam(model.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=5e-3, total_steps=steps)
    start, every, total = time.monotonic(), max(1, steps // 8), 0.0
    for step in range(1, steps + 1):
        rows = torch.randint(len(train.code), (batch,))
        loss = model.loss(train.state[rows], train.code[rows], train.speed[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        total += loss.item()
        if step % every == 0:
            seconds = time.monotonic() - start
            print(f"step {step} of {steps}: loss {total / every:.3f}, {seconds:.0f} s", flush=True)
            total = 0.0


def sampled_shares(model, data):
    """Shares of the modes among each problem's outcomes; problems x modes."""
    shares = torch.zeros(int(data.problem[-1]) + 1, len(model.codes))
    shares.index_put_((data.problem, model.kind(data.code)), torch.ones(()), accumulate=True)
    return shares / shares.sum(1, keepdim=True)


@torch.no_grad()
def report(model, train, test):
    """Distance of predicted from sampled mode shares, and that of shares that ignore the state."""
    first = torch.searchsorted(test.problem, torch.arange(int(test.problem[-1]) + 1))
    sampled, predicted = sampled_shares(model, test), model.shares(test.state[first])
    constant = sampled_shares(model, train).mean(0)

    def distance(shares):
        return float(0.5 * (shares - sampled).abs().sum(1).mean())

    right = float((predicted.argmax(1) == sampled.argmax(1)).float().mean())
    print(f"held-out problems            {len(sampled)}")
    print(f"most frequent mode right     {right:.1%}")
    far, ignorant = distance(predicted), distance(constant)
    print(f"total variation of shares    {far:.3f} (state ignored: {ignorant:.3f})")
    return sampled


def code_name(code):
    words = ("up", "sticks", "slides", "slides back")
    return f"A {words[code // 4]}, B {words[code % 4]}"


def draw_set(plot, model, test, problem):
    rows = test.problem == problem
    sampled, state = test.speed[rows], test.state[rows][0]
    _, predicted = model.sample(state, int(rows.sum()))
    plot.plot(sampled[:, 1], sampled[:, 3], "o", color=GREY, ms=8, mew=0, label="sampled")
    plot.plot(predicted[:, 1], predicted[:, 3], ".", color=RED, ms=5, label="predicted")
    angle, leading, trailing, friction = state.tolist()
    plot.set_title(f"legs at {angle:.1f}°, $\\mu$ = {friction:.1f},\n"
                   f"rates {leading:.2f} and {trailing:.2f} rad/s", fontsize=8)  # fmt: skip
    plot.tick_params(labelsize=7)
    plot.margins(0.1)
    plot.set_xlabel("tangential speed of foot B, m/s", fontsize=7)
    return state


def draw_shares(plot, model, sampled, predicted):
    kinds = [k for k in range(len(sampled)) if max(sampled[k], predicted[k]) >= 0.03]
    at = np.arange(len(kinds))
    plot.barh(at - 0.2, [sampled[k] for k in kinds], 0.38, color=GREY)
    plot.barh(at + 0.2, [predicted[k] for k in kinds], 0.38, color=RED)
    plot.set_yticks(at, [code_name(int(model.codes[k])) for k in kinds])
    plot.set_ylim(4.6, -0.6)
    plot.set_xlim(0, 1)
    plot.set_xlabel("share of the outcomes", fontsize=7)
    plot.tick_params(labelsize=7)
    for side in ("top", "right"):
        plot.spines[side].set_visible(False)


def draw(model, test, shares, file):
    """Sampled and predicted outcomes of six held-out states, from nearly certain to undecided."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    entropy = -(shares * shares.clamp_min(1e-9).log()).sum(1)
    places = [int(q * (len(shares) - 1)) for q in (0.4, 0.55, 0.7, 0.8, 0.9, 1.0)]
    chosen = entropy.argsort()[places].tolist()
    figure, axes = plt.subplots(
        4, 3, figsize=(10.4, 8.0), constrained_layout=True,
        gridspec_kw={"height_ratios": (3, 1.6, 3, 1.6)},
    )  # fmt: skip
    for number, problem in enumerate(chosen):
        row, column = 2 * (number // 3), number % 3
        state = draw_set(axes[row, column], model, test, problem)
        predicted = model.shares(state[None])[0].tolist()
        draw_shares(axes[row + 1, column], model, shares[problem].tolist(), predicted)
    for row in (0, 2):
        axes[row, 0].set_ylabel("normal speed of B, m/s", fontsize=7)
    axes[0, 0].legend(fontsize=7, loc="upper left")
    figure.savefig(file, dpi=100)
    print(f"picture                      {file}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="data set of examples/compass_gait_states.toml")
    parser.add_argument("-o", "--output", default="compass_gait_learned.png", help="picture")
    parser.add_argument("--steps", type=int, default=1000, help="of 2048 outcomes each")
    arguments = parser.parse_args()
    torch.manual_seed(1)
    torch.distributions.Distribution.set_default_validate_args(False)  # a third of the time
    train = Outcomes(arguments.folder, "train")
    test = Outcomes(arguments.folder, "test")
    model = ImpactModel(train)
    fit(model, train, arguments.steps)
    draw(model, test, report(model, train, test), arguments.output)


if __name__ == "__main__":
    main()
