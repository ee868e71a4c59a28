"""Carom samples what can happen when several contacts of a rigid-body system collide at once.

docs/python.md begins with a first set. Without the compiled part (when `carom plot` uses this
package from the source tree), only the plotting modules are available.
"""

__all__ = [
    "ROLLOUT_STATUS",
    "STATUS",
    "CaromWarning",
    "Certificate",
    "DeviceImpactLaw",
    "DeviceSamples",
    "EpsilonNet",
    "Exploration",
    "ImpactLaw",
    "ImpactProblem",
    "InputError",
    "Motion",
    "NoOutcomeError",
    "OuterBound",
    "PostImpactSet",
    "ProvedSet",
    "Result",
    "RollResult",
    "Rollouts",
    "RunError",
    "SampleSet",
    "SampledSet",
    "SamplingOptions",
    "Scenario",
    "StepAnswers",
    "StepSolution",
    "Summary",
    "__version__",
    "bound",
    "coupling",
    "derivative",
    "explore",
    "from_mujoco",
    "generate",
    "grid",
    "laws",
    "load_scenario",
    "outcomes",
    "parse_scenario",
    "post_impact_set",
    "read",
    "roll",
    "sample",
    "sample_on_device",
    "solutions",
    "solve_step",
    "systems",
    "transitions",
    "write_mat",
]

try:
    from carom._core import (
        ROLLOUT_STATUS,
        STATUS,
        Certificate,
        DeviceSamples,
        EpsilonNet,
        Exploration,
        ImpactProblem,
        InputError,
        OuterBound,
        PostImpactSet,
        Result,
        RollResult,
        RunError,
        SampleSet,
        SamplingOptions,
        Scenario,
        StepAnswers,
        StepSolution,
        Summary,
        __version__,
        systems,
    )
except ModuleNotFoundError as missing:
    if missing.name != "carom._core":
        raise

    def __getattr__(name):
        if name in __all__:
            raise ImportError(
                f"carom.{name} needs the compiled part of carom, which is not in {__path__[0]} "
                "(`pip install .` in the source tree installs it, `make run` builds it)"
            )
        raise AttributeError(f"module 'carom' has no attribute '{name}'")

else:
    from carom._api import (
        bound,
        explore,
        laws,
        load_scenario,
        outcomes,
        parse_scenario,
        post_impact_set,
        read,
        sample,
        sample_on_device,
        solutions,
        solve_step,
    )
    from carom._derivative import Motion, coupling, derivative
    from carom._impact_law import DeviceImpactLaw, ImpactLaw
    from carom._families import generate, grid
    from carom._notes import CaromWarning, NoOutcomeError
    from carom._roll import Rollouts, roll, transitions
    from carom.mujoco import from_mujoco
    from carom.mat_file import write_mat
    from carom.sets import ProvedSet, SampledSet

    # Public names belong to the package, not to their modules.
    for _name in __all__:
        _thing = globals()[_name]
        if isinstance(_thing, type) or hasattr(_thing, "__code__"):
            _thing.__module__ = "carom"
    del _name, _thing
