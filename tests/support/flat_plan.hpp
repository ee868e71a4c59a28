#pragma once

#include <vector>

#include "carom/carom.hpp"
#include "host/step_lcp.hpp"
#include "kernels/sample_view.hpp"

namespace carom::test {

/// One problem flattened with its plan, for calling a runner without a Sampler.
class FlatPlan {
 public:
  FlatPlan(const ImpactProblem& problem, const SamplingOptions& options)
      : data_(flatten(problem, options.impulse_step,
                      options.epsilon / (3.0 * psi(problem, options.norm)))) {
    plan_.problems = data_.data();
    plan_.shape = shape_of(problem);
    plan_.stride = data_.size();
    plan_.max_steps = options.max_steps;
    plan_.tolerance = options.termination_tolerance;
    plan_.seed = options.seed;
    plan_.first_problem = options.problem_id;
  }
  const SamplingPlan& plan() const { return plan_; }

 private:
  std::vector<double> data_;
  SamplingPlan plan_;
};

}  // namespace carom::test
