#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "carom/dataset.hpp"
#include "carom/grid.hpp"
#include "host/base/field_error.hpp"
#include "host/families/dataset/shard_layout.hpp"

namespace carom {
namespace {

void check_share(const char* name, double share) {
  if (share >= 0.0 && share < 1.0) return;
  throw FieldError(fmt::format("split.{}", name),
                   fmt::format("{} is {} (must be >= 0 and < 1)", name, share));
}

/// Rules for the specification of every family of impacts.
void check_impacts(const FamilySpec& spec) {
  try {
    require_impact(spec.family.base());
  } catch (const InputError& error) {
    throw FieldError("scenario", error.what());
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
  check_impacts(spec);
  for (const FamilyAxis& axis : spec.family.axes()) {
    if (!axis.drawn()) continue;
    throw FieldError(
        "axes." + axis.paths.front(),
        fmt::format("{} is drawn (a grid's axis must have a count or values)", axis.paths.front()));
  }
}

std::uint64_t DatasetSpec::shards() const {
  return family.size() / shard_problems + (family.size() % shard_problems != 0 ? 1 : 0);
}

void validate(const DatasetSpec& spec) {
  check_family(spec);
  check_impacts(spec);
  const DatasetContent& content = spec.content;
  if (!spec.sampling.trajectories.has_value()) {
    throw FieldError("sampling.trajectories",
                     "trajectories is auto (must be a number: resolve() chooses one)");
  }
  const std::uint64_t trajectories = spec.sampling.trajectories;
  if (content.outcomes == 0 || content.outcomes > trajectories) {
    throw FieldError("outcomes.per_problem",
                     fmt::format("per_problem is {} (must be from 1 to {}, the trajectories of a "
                                 "problem)",
                                 content.outcomes, trajectories));
  }
  if (content.choice == OutcomeChoice::farthest && trajectories > most_candidates) {
    throw FieldError("sampling.trajectories",
                     fmt::format("trajectories is {} (must be at most {} for choice \"farthest\", "
                                 "which holds all outcomes of a problem)",
                                 trajectories, most_candidates));
  }
  if (spec.shard_problems == 0) {
    throw FieldError("shards.problems", "problems is 0 in [shards] (must be at least 1)");
  }
  const std::uint64_t problems = std::min(spec.shard_problems, spec.family.size());
  const double bytes = static_cast<double>(problems) * shard_bytes(spec, 1, spec.content.outcomes);
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
