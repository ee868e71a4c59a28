// Compiled once per instruction set, like kernels/cpu/run_items.cpp.
#include "kernels/cpu/run_worlds.hpp"

#include "kernels/impact/world_impact.hpp"

namespace carom::inline CAROM_ISA {

void run_worlds(const WorldsPlan& plan, std::uint64_t first, std::uint64_t count,
                const SampleView& out) {
  const auto run = [&]<WorldsLaw law>() {
    const WorldImpact<law, LargestCapacity, Effort::thorough> program{plan};
    for (std::uint64_t row = 0; row < count; ++row) program(first + row, row, out);
  };
  if (plan.which == WorldsLaw::sequential) {
    run.template operator()<WorldsLaw::sequential>();
  } else {
    run.template operator()<WorldsLaw::set_valued>();
  }
}

}  // namespace carom::inline CAROM_ISA
