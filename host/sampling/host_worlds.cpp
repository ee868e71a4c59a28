#include "host/sampling/host_worlds.hpp"

#include <algorithm>

#include "carom/error.hpp"
#include "host/laws/law_list.hpp"
#include "host/sampling/active_contacts.hpp"
#include "host/sampling/sample_one.hpp"
#include "kernels/cpu/run_items.hpp"
#include "kernels/launch/launch.hpp"

namespace carom {
namespace {

void write_alone(const SamplingOptions& options, const WorldsPlan& plan, std::uint64_t index,
                 const SampleView& row) {
  std::vector<int> contacts;
  SampleSet one;
  try {
    one = sample_world(options, plan, index, contacts);
  } catch (const InputError&) {
    WorldsPlan refused = plan;
    refused.refuses = true;
    item_runner().worlds(refused, index, 1, row);
    return;
  }
  const SampleView from = view_of(one);
  for_each_column(
      [&](const ColumnInfo& info, auto* to, const auto* its) {
        if (info.shape == ColumnShape::impulse) return;
        std::copy_n(its, one.numbers(info.shape), to);
      },
      row, from);
  const auto width = static_cast<std::size_t>(1 + plan.batch.tangent_dimension);
  std::fill_n(row.impulse, static_cast<std::size_t>(plan.batch.contacts) * width, 0.0);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    std::copy_n(from.impulse + i * width, width,
                row.impulse + static_cast<std::size_t>(contacts[i]) * width);
  }
}

}  // namespace

SampleSet sample_world(const SamplingOptions& options, const WorldsPlan& plan, std::uint64_t index,
                       std::vector<int>& contacts) {
  const ImpactProblem problem = active_problem(plan.batch, index, contacts);
  SamplingOptions own = options;
  own.law = of_contacts(options.law, contacts);
  const auto& given = plan.batch.impulse_step;
  if (!given.empty()) own.impulse_step = given[given.size() == 1 ? 0 : index];
  own.problem_id = plan.law.run.first_problem + static_cast<std::uint32_t>(index);
  return sample_one(problem, own, plan.trajectory);
}

void run_on_host(const SamplingOptions& options, const WorldsPlan& plan, std::uint64_t first,
                 std::uint64_t count, const SampleView& out) {
  item_runner().worlds(plan, first, count, out);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (out.status[i] == undecided) {
      write_alone(options, plan, first + i, out.from(i, plan.rows()));
    }
  }
}

}  // namespace carom
