// Compiled once per instruction set, where it is wanted: see carom_choose_levels().
#include "kernels/cpu/run_items.hpp"
#include "kernels/problem/assemble_problem.hpp"

namespace carom::inline CAROM_ISA {

extern const MotionRunner compiled_motion;

const MotionRunner compiled_motion{assemble_problem, run_rollouts,  run_rollouts, take_impact,
                                   run_worlds,       run_compliant, search_signs};

}  // namespace carom::inline CAROM_ISA
