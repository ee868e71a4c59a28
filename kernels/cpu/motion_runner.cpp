// Compiled once per instruction set but AVX-512.
#include "kernels/cpu/run_items.hpp"
#include "kernels/problem/assemble_problem.hpp"

namespace carom::inline CAROM_ISA {

extern const MotionRunner compiled_motion;

const MotionRunner compiled_motion{assemble_problem, run_rollouts,  run_rollouts, take_impact,
                                   run_worlds,       run_compliant, search_signs};

}  // namespace carom::inline CAROM_ISA
