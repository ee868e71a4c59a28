#pragma once

#include <concepts>
#include <type_traits>

#include "carom/bounds.hpp"
#include "carom/evidence_options.hpp"
#include "carom/explore.hpp"
#include "carom/roll_options.hpp"
#include "carom/sampling_options.hpp"
#include "carom/scenario.hpp"
#include "host/options/option_info.hpp"

namespace carom {

// The only lists of options, in the order of usage texts and files: used for flags, TOML in and
// out, Python keywords, JSON, and the comparison of runs. The law and the laws' own options are in
// host/laws. Each calls visit(OptionInfo, member of each of `options`...).

template <class T, class Options>
concept OptionsOf = std::same_as<std::remove_const_t<T>, Options>;

/// [sampling], of one or several SamplingOptions.
template <class Visit, OptionsOf<SamplingOptions>... AnyOptions>
requires(sizeof...(AnyOptions) > 0) void for_each_option(const Visit& visit,
                                                         AnyOptions&... options) {
  using enum OptionInfo::Sign;
  visit(OptionInfo{.name = "trajectories",
                   .argument = "M|auto",
                   .help = "number of trajectories",
                   .least = 1},
        options.trajectories...);
  visit(OptionInfo{.name = "max_steps",
                   .argument = "N|auto",
                   .help = "steps per trajectory at most; auto = 1,000 LCPs (of law sequential "
                           "20,000), ten times as many where that keeps more trajectories, 100,000 "
                           "impacts, 20,000 intervals; in time 131,072",
                   .least = 1,
                   .greatest = max_step_limit},
        options.max_steps...);
  visit(OptionInfo{.name = "impulse_step",
                   .argument = "h|auto",
                   .help =
                       "largest cap on a normal impulse, in N·s; auto = the largest that is needed",
                   .sign = positive,
                   .unit = "N·s"},
        options.impulse_step...);
  visit(OptionInfo{.name = "epsilon",
                   .argument = "EPS|auto",
                   .help = "resolution of the net; auto = 1 % of the diameter of a pilot's "
                           "outcomes, more in many dimensions",
                   .sign = positive},
        options.epsilon...);
  visit(OptionInfo{.name = "norm",
                   .argument = "euclidean|kinetic",
                   .help = "norm of velocities that the net is measured in"},
        options.norm...);
  visit(OptionInfo{.name = "termination_tolerance",
                   .argument = "TOL",
                   .help = "a contact that approaches slower is separated, in m/s",
                   .sign = not_negative,
                   .unit = "m/s"},
        options.termination_tolerance...);
  visit(OptionInfo{.name = "seed", .argument = "SEED", .help = "seed, 32 bits"}, options.seed...);
  visit(OptionInfo{.name = "problem_id",
                   .argument = "ID",
                   .help = "random stream of the (first) problem, 32 bits"},
        options.problem_id...);
  visit(OptionInfo{.name = "backend",
                   .argument = "auto|cpu|cuda",
                   .help = "processor; auto takes a GPU if there is one that is faster",
                   .is_machine = true},
        options.backend...);
  visit(
      OptionInfo{
          .name = "threads", .argument = "T", .help = "CPU threads; 0 = all", .is_machine = true},
      options.threads...);
  visit(OptionInfo{.name = "device", .argument = "D", .help = "CUDA device", .is_machine = true},
        options.device...);
  visit(OptionInfo{.name = "chunk",
                   .argument = "C",
                   .help = "trajectories per launch; 0 = chosen for the backend",
                   .is_machine = true},
        options.chunk...);
}

/// Contents of a result file, also in [sampling]; of one or several StorageOptions.
template <class Visit, OptionsOf<StorageOptions>... AnyOptions>
requires(sizeof...(AnyOptions) > 0) void for_each_option(const Visit& visit,
                                                         AnyOptions&... options) {
  constexpr auto all = static_cast<std::int64_t>(OptionInfo::any);
  visit(OptionInfo{.name = "samples",
                   .argument = "all|none|K",
                   .help = "trajectories whose rows the file keeps",
                   .words = {{"all", all}, {"none", 0}}},
        options.samples...);
  visit(OptionInfo{.name = "paths",
                   .argument = "K",
                   .help = "trajectories whose velocities on the way the file keeps"},
        options.paths...);
  visit(OptionInfo{.name = "shard_rows",
                   .argument = "K",
                   .help = "keep the rows in files of K trajectories in the folder FILE.rows; "
                           "0 = in FILE"},
        options.shard_rows...);
}

/// [evidence], of one or several EvidenceOptions.
template <class Visit, OptionsOf<EvidenceOptions>... AnyOptions>
requires(sizeof...(AnyOptions) > 0) void for_each_option(const Visit& visit,
                                                         AnyOptions&... options) {
  using enum OptionInfo::Sign;
  constexpr std::uint64_t most_random_directions = 1000;  // a direction can take seconds
  visit(OptionInfo{.name = "hold_out",
                   .argument = "K|auto",
                   .help = "fresh trajectories that test the net; 0 = no certificate"},
        options.hold_out...);
  visit(OptionInfo{.name = "confidence",
                   .argument = "P",
                   .help = "confidence of the certificate, 0.5 <= P < 1"},
        options.confidence...);
  visit(OptionInfo{.name = "miss",
                   .argument = "P",
                   .help = "grow the run until at most this share of new trajectories misses the "
                           "net; 0 = do not"},
        options.miss...);
  visit(OptionInfo{.name = "max_trajectories",
                   .argument = "M",
                   .help = "budget of a run that grows: its trajectories and those of its tests; "
                           "0 = 2^26"},
        options.max_trajectories...);
  visit(OptionInfo{.name = "max_seconds",
                   .argument = "S",
                   .help = "budget of a run that grows; 0 = none",
                   .sign = not_negative,
                   .unit = "s"},
        options.max_seconds...);
  visit(OptionInfo{.name = "net_size",
                   .argument = "K",
                   .help = "choose K outcomes, each the farthest from those before; 0 = none"},
        options.net_size...);
  visit(OptionInfo{.name = "seek_extremes",
                   .argument = "K|none",
                   .help = "search the set's ends along every contact's axes and K random "
                           "directions",
                   .greatest = most_random_directions,
                   .words = {{"none", -1}}},
        options.seek_extremes...);
  visit(OptionInfo{.name = "search",
                   .argument = "",
                   .help = "an exploration beyond the trajectories, whose outcomes join the net"},
        options.search...);
  visit(OptionInfo{.name = "verify_net",
                   .argument = "",
                   .help = "compare every outcome with the net once more"},
        options.verify_net...);
  visit(OptionInfo{.name = "comparison",
                   .argument = "",
                   .help = "the simultaneous and the sequential law beside the set"},
        options.comparison...);
}

/// [explore], of one or several ExploreOptions.
template <class Visit, OptionsOf<ExploreOptions>... AnyOptions>
requires(sizeof...(AnyOptions) > 0) void for_each_option(const Visit& visit,
                                                         AnyOptions&... options) {
  constexpr std::uint64_t most_slots = std::uint64_t{1} << 20;
  constexpr std::uint64_t most_islands = 16;
  visit(OptionInfo{.name = "budget",
                   .argument = "LCPS",
                   .help = "LCPs at which the search ends",
                   .least = 1000},
        options.budget...);
  visit(
      OptionInfo{.name = "slots",
                 .argument = "K",
                 .help = "trajectories of a round; 0 = a three-hundredth of the LCPs so far, from "
                         "64 to 8,192",
                 .greatest = most_slots},
      options.slots...);
  visit(OptionInfo{.name = "islands",
                   .argument = "K",
                   .help = "searches with random numbers of their own",
                   .least = 2,
                   .greatest = most_islands},
        options.islands...);
}

/// [bound], of one or several BoundOptions.
template <class Visit, OptionsOf<BoundOptions>... AnyOptions>
requires(sizeof...(AnyOptions) > 0) void for_each_option(const Visit& visit,
                                                         AnyOptions&... options) {
  constexpr std::uint64_t most_rounds = 1000;
  visit(OptionInfo{.name = "scope",
                   .argument = "any-h|inclusion",
                   .help = "of a bound: steps with any caps and h, or the limit h -> 0"},
        options.scope...);
  visit(OptionInfo{.name = "rounds",
                   .argument = "N",
                   .help = "rounds after which hulls that do not close are given up",
                   .least = 1,
                   .greatest = most_rounds},
        options.rounds...);
  visit(OptionInfo{.name = "steps",
                   .argument = "N",
                   .help = "bound N steps instead of any number",
                   .least = 0,
                   .greatest = most_rounds},
        options.steps...);
  visit(OptionInfo{.name = "programs",
                   .argument = "N",
                   .help = "linear programs after which --steps gives up a step",
                   .least = 1},
        options.programs...);
  visit(OptionInfo{.name = "orders",
                   .argument = "N",
                   .help = "convex programs for each end of a quantity, where hulls do not bound "
                           "it; 0 = the energy alone does",
                   .greatest = 1'000'000},
        options.orders...);
}

/// [roll], of one or several RollOptions.
template <class Visit, OptionsOf<RollOptions>... AnyOptions>
requires(sizeof...(AnyOptions) > 0) void for_each_option(const Visit& visit,
                                                         AnyOptions&... options) {
  using enum OptionInfo::Sign;
  constexpr std::uint64_t most_rollouts = std::uint64_t{1} << 40;
  constexpr std::uint64_t most_events = 10'000;
  visit(OptionInfo{.name = "rollouts",
                   .argument = "R",
                   .help = "motions from the start",
                   .least = 1,
                   .greatest = most_rollouts},
        options.rollouts...);
  visit(OptionInfo{.name = "duration",
                   .argument = "T",
                   .help = "of each motion, in s",
                   .sign = positive,
                   .unit = "s"},
        options.duration...);
  visit(OptionInfo{.name = "step",
                   .argument = "DT|auto",
                   .help = "of time, at most, in s; auto = 0.001, of MuJoCo's models their own",
                   .sign = positive,
                   .unit = "s"},
        options.step...);
  visit(OptionInfo{.name = "times",
                   .argument = "T1,T2,...|auto",
                   .help = "of the states that are kept, in s, and always the duration; auto = 21"},
        options.times...);
  visit(OptionInfo{.name = "window",
                   .argument = "W",
                   .help = "gap below which contacts touch, and so together, in m",
                   .sign = positive,
                   .unit = "m"},
        options.window...);
  visit(OptionInfo{.name = "hold",
                   .argument = "W",
                   .help = "the same for contacts that touched in the step before, in m",
                   .sign = not_negative,
                   .unit = "m"},
        options.hold...);
  visit(
      OptionInfo{
          .name = "impact_speed",
          .argument = "V|auto",
          .help =
              "contacts that approach slower have no impact, in m/s; auto = half of rest_speed, "
              "of MuJoCo's models 0.1",
          .sign = positive,
          .unit = "m/s"},
      options.impact_speed...);
  visit(OptionInfo{.name = "rest_speed",
                   .argument = "V",
                   .help = "a contact is at rest that moves slower along its normal, in m/s",
                   .sign = positive,
                   .unit = "m/s"},
        options.rest_speed...);
  visit(OptionInfo{.name = "events",
                   .argument = "K",
                   .help = "impacts of each motion that are kept",
                   .greatest = most_events},
        options.events...);
  visit(OptionInfo{.name = "tube_time",
                   .argument = "TAU",
                   .help = "net of the states at each time, positions divided by this time, in s; "
                           "0 = none",
                   .sign = not_negative,
                   .unit = "s"},
        options.tube_time...);
  visit(OptionInfo{.name = "tube_epsilon",
                   .argument = "EPS|auto",
                   .help = "resolution of these nets; auto = 2 % of the greatest extent",
                   .sign = positive},
        options.tube_epsilon...);
  visit(OptionInfo{.name = "contact",
                   .argument = "auto|rigid|compliant",
                   .help = "what contacts are; auto = what the system has"},
        options.contact...);
  visit(OptionInfo{.name = "crossing",
                   .argument = "fast|safe|projection",
                   .help = "of compliant contact: how events are located"},
        options.crossing...);
  visit(OptionInfo{.name = "derivative",
                   .argument = "",
                   .help = "of compliant contact: the derivative of each last state by the first"},
        options.derivative...);
  visit(OptionInfo{.name = "graze_speed",
                   .argument = "V",
                   .help = "of compliant contact: slower events are grazes, in m/s",
                   .sign = not_negative,
                   .unit = "m/s"},
        options.graze_speed...);
  visit(OptionInfo{.name = "event_limit",
                   .argument = "K",
                   .help = "of compliant contact: events after which a motion ends",
                   .least = 1},
        options.event_limit...);
}

}  // namespace carom
