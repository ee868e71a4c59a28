// Compiled once per instruction set: everything inline it instantiates lives in the inline
// namespace CAROM_ISA, and it includes nothing of the standard library that is not always inlined.
#include "kernels/run_items.hpp"

#include "kernels/capacity.hpp"
#include "kernels/laws/all_solutions.hpp"
#include "kernels/laws/set_valued.hpp"
#include "kernels/trajectory.hpp"

namespace carom::inline CAROM_ISA {

namespace {

/// Calls run(program) with the program of a plan's selection of solutions.
template <class Size, Effort effort, class Run>
void with_program(const SamplingPlan& plan, Run&& run) {
  if (plan.solutions == Solutions::all) {
    run(Trajectory<AllSolutionsLaw<Size, effort>>{{}, plan});
  } else {
    run(Trajectory<SetValuedLaw<Size, effort>>{{}, plan});
  }
}

struct PathRecorder {
  double* next;
  int velocities;
  int count;
  void operator()(const double* velocity) {
    for (int j = 0; j < velocities; ++j) *next++ = velocity[j];
    ++count;
  }
};

}  // namespace

extern const ItemRunner compiled_runner;

template <Effort effort>
static void run_items(const SamplingPlan& plan, std::uint64_t first, std::uint64_t count,
                      const SampleView& out) {
  with_capacity(plan.shape, [&]<class Size>(Size) {
    with_program<Size, effort>(plan, [&](const auto& program) {
      for (std::uint64_t row = 0; row < count; ++row) program(first + row, row, out);
    });
  });
}

static int run_path(const SamplingPlan& plan, std::uint64_t item, double* velocities) {
  int count = 0;
  with_capacity(plan.shape, [&]<class Size>(Size) {
    double velocity[Size::velocities];
    double impulse[Size::impulses];
    double energy;
    std::uint32_t counts[3];
    Status status;
    std::uint8_t final_step;
    const SampleView out{velocity,   impulse, &energy,     counts, counts + 1,
                         counts + 2, &status, &final_step, nullptr};
    PathRecorder recorder{velocities, plan.shape.velocities, 0};
    with_program<Size, Effort::thorough>(
        plan, [&](const auto& program) { program.run(item, 0, out, recorder); });
    count = recorder.count;
  });
  return count;
}

template <class Size>
static StepOutcome run_step_of(const StepLcpView& problem, const double* cap, Effort effort,
                               const StepArrays& arrays) {
  StepLcp<Size> lcp(problem, arrays.velocity, cap);
  const StepOutcome outcome = effort == Effort::fast ? lcp.template solve<Effort::fast>()
                                                     : lcp.template solve<Effort::thorough>();
  if (outcome.status != Status::separated) return outcome;
  const int k = problem.shape.friction_directions;
  for (int i = 0; i < problem.shape.contacts; ++i) {
    arrays.cap_slack[i] = lcp.cap_slack(i);
    arrays.normal_impulse[i] = lcp.normal_impulse(i);
    arrays.slip_speed[i] = lcp.slip_speed(i);
    for (int j = 0; j < k; ++j) arrays.direction_impulse[i * k + j] = lcp.direction_impulse(i, j);
  }
  for (int i = 0; i < problem.shape.impulses(); ++i) arrays.impulse[i] = 0.0;
  SetValuedLaw<Size, Effort::thorough>::apply(problem, lcp, arrays.velocity, arrays.impulse);
  return outcome;
}

static StepOutcome run_step(const StepLcpView& problem, const double* cap, Effort effort,
                            const StepArrays& arrays) {
  StepOutcome outcome;
  with_capacity(problem.shape, [&]<class Size>(Size) {
    outcome = run_step_of<Size>(problem, cap, effort, arrays);
  });
  return outcome;
}

const ItemRunner compiled_runner{run_items<Effort::thorough>, run_items<Effort::fast>, run_path,
                                 run_step};

}  // namespace carom::inline CAROM_ISA
