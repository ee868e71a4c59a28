#include "host/sampling/sample_one.hpp"

#include <utility>

#include "host/problem/step_lcp.hpp"
#include "host/sampling/default_sampling.hpp"
#include "host/sampling/sampling_plan.hpp"
#include "kernels/cpu/run_items.hpp"
#include "kernels/launch/launch.hpp"

namespace carom {

SampleSet sample_one(const ImpactProblem& problem, SamplingOptions options,
                     std::uint64_t trajectory) {
  options.trajectories = 1;
  choose_steps(assemble(problem).report.needed_impulse(), options);
  const auto data = make_plan_of_one(problem, options);
  data->plan.first_trajectory = trajectory;
  SampleSet row;
  row.first = trajectory;
  row.resize(data->plan.rows, 1);
  item_runner().items(data->plan, 0, 1, view_of(row));
  return row;
}

}  // namespace carom
