// Compiled once per instruction set, like kernels/cpu/run_items.cpp.
#include "kernels/cpu/run_compliant.hpp"

#include "kernels/compliant/compliant_programs.hpp"

namespace carom::inline CAROM_ISA {

void run_compliant(const CompliantPlan& plan, std::uint64_t first, std::uint64_t count,
                   const RolloutView& out) {
  with_compliant_program(plan, [&](const auto& program) {
    for (std::uint64_t row = 0; row < count; ++row) program(first + row, row, out);
  });
}

}  // namespace carom::inline CAROM_ISA
