#pragma once

#include <memory>
#include <span>

#include "carom/sampling_options.hpp"
#include "host/sampling/sampling_plan.hpp"

namespace carom::test {

/// One problem laid out with its plan, for calling a runner without a Sampler.
class FlatPlan {
 public:
  FlatPlan(const ImpactProblem& problem, const SamplingOptions& options)
      : data_(make_plan(std::span(&problem, 1), options)) {}
  const SamplingPlan& plan() const { return data_->plan; }

 private:
  std::unique_ptr<SamplingPlanData> data_;
};

}  // namespace carom::test
