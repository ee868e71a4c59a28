#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/impact/impact_plan.hpp"
#include "kernels/laws/set_valued/host_solution.hpp"
#include "kernels/laws/set_valued/law.hpp"
#include "kernels/laws/set_valued/lemke_solution.hpp"
#include "kernels/problem/assemble.hpp"
#include "kernels/problem/default_steps.hpp"
#include "kernels/signs/monotone.hpp"
#include "kernels/trajectory/trajectory.hpp"

namespace carom::inline CAROM_ISA {

/// A trajectory of a problem that becomes flat for it alone.
template <class ItsSize, Effort effort>
struct SingleImpact {
  using Size = ItsSize;
  static constexpr bool on_host = effort == Effort::thorough;
  using Solver = std::conditional_t<on_host, HostSolution<Size>, LemkeSolution<Size, effort>>;

  struct Memory {
    double flat[largest_flat_size<Size>];
  };

  ProblemShape shape;
  double* flat;  ///< in the memory that the caller gives

  CAROM_HOST_DEVICE StepLcpView problem() const { return {shape, flat}; }

  /// Makes the problem flat, with the steps of a plan; false if it breaks a rule.
  /// @param impulse_step h, N·s; 0: AssemblyReport::needed_impulse()
  CAROM_HOST_DEVICE bool prepare(const ProblemShape& its_shape, const ProblemArrays& arrays,
                                 const ImpactPlan& plan, double impulse_step, Memory& memory) {
    Assembly<Size> assembly;
    shape = its_shape;
    return prepare_by(assembly, arrays, plan, impulse_step, memory.flat);
  }

  /// The same by the team of an assembly, once the shape is known.
  template <class AnyAssembly>
  CAROM_HOST_DEVICE bool prepare_by(AnyAssembly& assembly, const ProblemArrays& arrays,
                                    const ImpactPlan& plan, double impulse_step, double* its_flat) {
    flat = its_flat;
    const AssemblyReport report = assembly(shape, arrays, plan.kinetic, flat);
    if (report.status != AssemblyStatus::usable) return false;
    const double step =
        impulse_step > 0.0 ? impulse_step : default_impulse_step(report.needed_impulse());
    const double cap =
        final_cap(plan.epsilon > 0.0 ? plan.epsilon : default_epsilon(step), report.psi);
    set_steps(shape, step, cap, flat);
    return step * report.largest_admittance < most_step_speed &&
           cap * report.largest_admittance > least_cap_speed;
  }

  /// How the plan's solutions are found: those of Solutions::all are Lemke's if each step is proven
  /// to have one, and searched for if not.
  CAROM_HOST_DEVICE SolutionMethod method(const ImpactPlan& plan) const {
    if (plan.solutions != Solutions::all) return SolutionMethod::unique;
    const auto box = box_at_rest<Size>(problem());
    if (MonotoneSteps<decltype(box)::max_coordinates>(box).hold()) return SolutionMethod::unique;
    return SetValuedPlan::search(shape);
  }
  /// Whether there is a solver for a method: on a device there is Lemke's alone.
  static constexpr bool solves_by(SolutionMethod method) {
    return on_host || method == SolutionMethod::unique;
  }

  /// Trajectory `trajectory` of the plan's problem `number`.
  CAROM_HOST_DEVICE static TrajectoryKey key(const ImpactPlan& plan, std::uint32_t number,
                                             std::uint64_t trajectory) {
    return {0, trajectory, Philox(plan.run.seed, plan.run.first_problem + number, trajectory),
            plan.run.tolerance};
  }

  /// The set-valued law with some caps, whose solutions are found by a method.
  CAROM_HOST_DEVICE static SetValuedPlan set_valued(const ImpactPlan& plan, SolutionMethod method,
                                                    const CapsView& caps) {
    SetValuedPlan law;
    law.solutions = plan.solutions;
    law.method = method;
    law.caps = caps;
    return law;
  }

  CAROM_HOST_DEVICE Solver solver(const SetValuedPlan& law) const {
    if constexpr (on_host) {
      return {step_solver(shape, law.solutions, law.method)};
    } else {
      return {};
    }
  }

  /// The program of a law for this problem alone.
  template <class Law>
  CAROM_HOST_DEVICE Trajectory<Law> program(const ImpactPlan& plan, const Law& law) const {
    RunPlan run = plan.run;
    run.shape = shape;
    return {law, run};
  }
  CAROM_HOST_DEVICE Trajectory<SetValuedLaw<Solver>> program(const ImpactPlan& plan,
                                                             const SetValuedPlan& law) const {
    return program(plan, SetValuedLaw<Solver>{{}, solver(law), law});
  }
};

}  // namespace carom::inline CAROM_ISA
