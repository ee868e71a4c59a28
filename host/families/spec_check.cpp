#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "carom/dataset.hpp"
#include "carom/grid.hpp"
#include "carom/roll_io.hpp"
#include "host/base/field_error.hpp"
#include "host/families/dataset/shard_layout.hpp"
#include "host/families/grid/state_answers.hpp"
#include "host/roll/roll_questions.hpp"

namespace carom {
namespace {

void check_share(const char* name, double share) {
  if (share >= 0.0 && share < 1.0) return;
  throw FieldError(fmt::format("split.{}", name),
                   fmt::format("{} is {} (must be >= 0 and < 1)", name, share));
}

void check_rolled(const Scenario& base) {
  if (!base.roll) throw InputError("rolled is true (must be false for a scenario without [roll])");
  roll_options_in_time(base);
  check_motion(base);
  const RolledSystem system = rolled_system(base);
  try {  // of the scenario, whose [roll] the specification may shorten
    check_questions(*base.roll, system);
  } catch (const FieldError& error) {
    throw FieldError(
        "scenario", fmt::format("{}; where that is the scenario's own, ask = [] here leaves it out",
                                error.what()));
  }
}

/// Rules for the base scenario of a family of impacts, or of motions.
void check_kind(const FamilySpec& spec, bool rolled) {
  try {
    rolled ? check_rolled(spec.family.base()) : require_impact(spec.family.base());
  } catch (const FieldError&) {
    throw;
  } catch (const InputError& error) {
    throw FieldError("scenario", error.what());
  }
  for (const std::string& name : spec.family.names()) {
    if (rolled || !name.starts_with("start.")) continue;
    throw FieldError("axes." + name,
                     fmt::format("{} is where a rollout starts (must be of a data set with [roll]; "
                                 "of impacts, vary body.NAME.position[0] and the like)",
                                 name));
  }
}

/// Rules for the specification of every family.
void check_family(const FamilySpec& spec) {
  validate(spec.sampling);
  if (spec.family.size() - 1 > UINT32_MAX - spec.sampling.problem_id) {
    throw FieldError("sampling.problem_id",
                     fmt::format("problem_id is {} (with {} problems it must stay within 32 bits)",
                                 spec.sampling.problem_id, spec.family.size()));
  }
}

}  // namespace

void validate(const GridSpec& spec) {
  check_family(spec);
  check_kind(spec, false);
  for (const FamilyAxis& axis : spec.family.axes()) {
    if (!axis.drawn()) continue;
    throw FieldError(
        "axes." + axis.paths.front(),
        fmt::format("{} is drawn (a grid's axis must have a count or values)", axis.paths.front()));
  }
  if (spec.ask.empty()) return;
  const Scenario& base = spec.family.base();
  try {
    asked_outputs(spec, base.problem, base.evidence.outputs);
    if (has_bound(base.problem, spec.sampling.law)) {
      validate(bound_options(spec), base.problem, spec.sampling.law);
    }
  } catch (const InputError& error) {
    throw FieldError("ask", error.what());
  }
}

std::uint64_t DatasetSpec::rows_per_problem() const {
  return rolled ? family.base().roll->rollouts : content.outcomes;
}

std::uint64_t DatasetSpec::shards() const {
  return family.size() / shard_problems + (family.size() % shard_problems != 0 ? 1 : 0);
}

namespace {

/// Rules for how many outcomes are kept of how many trajectories.
void check_outcomes(const DatasetSpec& spec) {
  const DatasetContent& content = spec.content;
  if (!spec.sampling.trajectories.has_value()) {
    throw FieldError("sampling.trajectories",
                     "trajectories is auto (must be a number: resolve() chooses one)");
  }
  const std::uint64_t trajectories = spec.sampling.trajectories;
  if (content.outcomes == 0 || content.outcomes > trajectories) {
    throw FieldError("outcomes.per_problem",
                     fmt::format("per_problem is {} (must be from 1 to {}, the trajectories of a "
                                 "problem in [sampling])",
                                 content.outcomes, trajectories));
  }
  if (content.choice != OutcomeChoice::iid && trajectories > most_candidates) {
    throw FieldError("sampling.trajectories",
                     fmt::format("trajectories is {} (must be at most {} for choice \"{}\", "
                                 "which holds all outcomes of a problem)",
                                 trajectories, most_candidates, choice_name(content.choice)));
  }
}

}  // namespace

void validate(const DatasetSpec& spec) {
  check_family(spec);
  check_kind(spec, spec.rolled);
  if (!spec.rolled) check_outcomes(spec);
  if (spec.shard_problems == 0) {
    throw FieldError("shards.problems", "problems is 0 in [shards] (must be at least 1)");
  }
  const std::uint64_t problems = std::min(spec.shard_problems, spec.family.size());
  const double of_one = shard_bytes(spec, 1, spec.rows_per_problem());
  if (spec.rolled && of_one > most_shard_bytes) {
    throw FieldError("roll.rollouts",
                     fmt::format("rollouts is {} (must fit into a shard of 2 GiB; those of a "
                                 "problem have {:.3g} GiB)",
                                 spec.rows_per_problem(), 2.0 * of_one / most_shard_bytes));
  }
  const double bytes = static_cast<double>(problems) * of_one;
  if (bytes > most_shard_bytes) {
    throw FieldError(
        "shards.problems",
        fmt::format("problems is {} in [shards] (must be at most {:.0f} here: a shard "
                    "is made in memory, and 2 GiB are allowed)",
                    spec.shard_problems,
                    std::floor(static_cast<double>(problems) * most_shard_bytes / bytes)));
  }
  if (spec.shards() > most_shards) {
    throw FieldError("shards.problems",
                     fmt::format("problems is {} in [shards], which gives {} shards (must give at "
                                 "most {})",
                                 spec.shard_problems, spec.shards(), most_shards));
  }
  check_share("validation", spec.validation);
  check_share("test", spec.test);
  if (!(spec.validation + spec.test < 1.0)) {
    throw FieldError("split.test",
                     fmt::format("validation and test are {} together (must be below 1)",
                                 spec.validation + spec.test));
  }
}

}  // namespace carom
