#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "carom/impact_problem.hpp"
#include "carom/sample_set.hpp"
#include "carom/sampler.hpp"
#include "carom/sampling_options.hpp"
#include "host/laws/law_entry.hpp"
#include "kernels/laws/plan_list.hpp"
#include "kernels/problem/problem_arrays.hpp"

namespace carom {

/// The memory to which a plan points. It must not be moved.
struct SamplingPlanData {
  SamplingPlan plan;
  std::size_t problem_count = 0;
  std::vector<double> problems;
  std::unique_ptr<LawMemory> law;
};

/// How many problems from the first on one Sampler samples with the bits that each has alone: those
/// whose steps' solutions are found in the same way. @param problems at least one
std::size_t count_alike(std::span<const ImpactProblem> problems, const Law& law);

/// @throws InputError if there is no problem, or if problems differ in shape
void require_one_shape(std::span<const ImpactProblem> problems);

/// Checks problems and options and converts them for the kernels.
/// @throws InputError if a problem or an option breaks a rule.
std::unique_ptr<SamplingPlanData> make_plan(std::span<const ImpactProblem> problems,
                                            const SamplingOptions& options);

/// The same for one trajectory of one problem: with Solutions::all, it may find a step's solutions
/// in another order.
std::unique_ptr<SamplingPlanData> make_plan_of_one(const ImpactProblem& problem,
                                                   const SamplingOptions& options);

/// Writes h and the cap of Algorithm 2's final step into a problem's flat array.
/// @param report of its assembly with the options' norm
/// @throws InputError if steps and problem are out of scale
void place_steps(const ProblemShape& shape, const AssemblyReport& report,
                 const SamplingOptions& options, double* data);

/// Why the law has no program for a device, as the set-valued one with restitution and some
/// solutions; empty if it has one.
std::string why_no_device(const SamplingPlan& plan);
/// @throws InputError if the law has no program for a device
void require_device_program(const SamplingPlan& plan);

/// Shape of the rows of such a run.
RowShape rows_of(const ProblemShape& shape, const SamplingOptions& options);

/// A plan of these options, without problems and law.
SamplingPlan plan_options(const SamplingOptions& options);

}  // namespace carom
