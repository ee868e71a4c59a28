#include "host/families/dataset/shard_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "carom/roll_io.hpp"
#include "carom/status.hpp"
#include "kernels/random/philox.hpp"

namespace carom {

Split split_of(const DatasetSpec& spec, std::uint64_t member) {
  constexpr std::uint32_t no_problem = 0;
  double pair[2];
  Philox(spec.sampling.seed, no_problem, member).uniform_pair(0, Purpose::split, 0, pair);
  if (pair[0] <= spec.validation) return Split::validation;
  return pair[0] <= spec.validation + spec.test ? Split::test : Split::train;
}

MemberRange members_of(const DatasetSpec& spec, std::uint64_t number) {
  const std::uint64_t first = number * spec.shard_problems;
  return {first, std::min(first + spec.shard_problems, spec.family.size())};
}

int end_count(const DatasetSpec& spec) { return spec.rolled ? rollout_status_count : status_count; }

const char* end_name(const DatasetSpec& spec, int end) {
  return spec.rolled ? rollout_status_name(static_cast<RolloutStatus>(end))
                     : status_name(static_cast<Status>(end));
}

std::string shard_name(std::uint64_t number) { return fmt::format("shard-{:05}.h5", number); }

double shard_bytes(const DatasetSpec& spec, std::uint64_t problems, std::uint64_t outcomes) {
  constexpr double number = sizeof(double);
  constexpr double counts = 192.0;  // member, offset, count, split, statuses, and notes
  const auto values = static_cast<double>(spec.family.names().size());
  if (spec.rolled) {
    double row = 2.0 * number;
    for_each_rollout_column(
        [&, shape = rollout_shape(spec.family.base())]<class T>(const RolloutColumnInfo& info,
                                                                const std::vector<T>&) {
          row += static_cast<double>(info.numbers(shape) * sizeof(T));
        },
        Rollouts());
    return static_cast<double>(problems) * (counts + number * values) +
           static_cast<double>(outcomes) * row;
  }
  const ImpactProblem& problem = spec.family.base().problem;
  const double nv = problem.velocities();
  const double m = problem.contacts();
  const double d = problem.tangent_dimension();
  const double own = counts + number * (values + nv * nv + m * nv * (1.0 + d) + 2.0 * m + nv + 2.0);
  const DatasetContent& content = spec.content;
  const double row = number * (2.0 + nv) + (content.energies ? number : 0.0) +
                     (content.impulses ? number * m * (1.0 + d) : 0.0) + (content.modes ? m : 0.0);
  return static_cast<double>(problems) * own + static_cast<double>(outcomes) * row;
}

}  // namespace carom
