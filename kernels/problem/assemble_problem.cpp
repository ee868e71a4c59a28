// Compiled once per instruction set, like kernels/cpu/run_items.cpp.
#include "kernels/problem/assemble_problem.hpp"

#include "kernels/problem/assemble.hpp"
#include "kernels/step/capacity.hpp"

namespace carom::inline CAROM_ISA {

AssemblyReport assemble_problem(const ProblemShape& shape, const ProblemArrays& problem,
                                bool kinetic, double* data) {
  AssemblyReport report;
  if (shape.contacts < 1 || shape.velocities < 1 || !fits_assembly(shape) ||
      !directions_suit(shape.tangent_dimension, shape.friction_directions)) {
    return report;
  }
  if (!fits_capacity(shape) && shape.tangent_dimension > 0) {
    for (int i = 0; i < shape.contacts; ++i) {
      if (problem.friction[i] != 0.0) return report;  // only laws without friction take it
    }
  }
  const auto run = [&]<class Size>(Size) {
    Assembly<Size> assembly;
    report = assembly(shape, problem, kinetic, data);
  };
  if (shape.tangent_dimension == 0) {
    with_normal_capacity(shape, run);
  } else if (!with_size(shape, run)) {
    run(LargestAssembly{});
  }
  return report;
}

}  // namespace carom::inline CAROM_ISA
