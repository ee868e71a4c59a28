// Compiled once per instruction set, like kernels/cpu/run_items.cpp.
#include "kernels/problem/assemble_problem.hpp"

#include "kernels/problem/assemble.hpp"
#include "kernels/step/capacity.hpp"

namespace carom::inline CAROM_ISA {

AssemblyReport assemble_problem(const ProblemShape& shape, const ProblemArrays& problem,
                                bool kinetic, double* data) {
  AssemblyReport report;
  if (shape.contacts < 1 || shape.velocities < 1 || !fits_capacity(shape) ||
      !directions_suit(shape.tangent_dimension, shape.friction_directions)) {
    return report;
  }
  with_size(shape, [&]<class Size>(Size) {
    Assembly<Size> assembly;
    report = assembly(shape, problem, kinetic, data);
  });
  return report;
}

}  // namespace carom::inline CAROM_ISA
