// Compiled once per instruction set, like kernels/cpu/run_items.cpp.
#include "kernels/cpu/run_worlds.hpp"

#include "kernels/impact/world_impact.hpp"

namespace carom::inline CAROM_ISA {

void run_worlds(const WorldsPlan& plan, std::uint64_t first, std::uint64_t count,
                const SampleView& out) {
  const auto run = [&]<WorldsLaw law, class Largest = LargestCapacity>() {
    const WorldImpact<law, Largest, Effort::thorough> program{plan};
    for (std::uint64_t row = 0; row < count; ++row) program(first + row, row, out);
  };
  switch (plan.which) {
    case WorldsLaw::set_valued:
      return run.template operator()<WorldsLaw::set_valued>();
    case WorldsLaw::restitution:
      return run.template operator()<WorldsLaw::restitution>();
    case WorldsLaw::simultaneous:
      return run.template operator()<WorldsLaw::simultaneous>();
    case WorldsLaw::propagative:
      return run.template operator()<WorldsLaw::propagative, LargestNormalCapacity>();
    case WorldsLaw::sequential:
      return run.template operator()<WorldsLaw::sequential>();
    case WorldsLaw::plus:
      return run.template operator()<WorldsLaw::plus>();
  }
}

}  // namespace carom::inline CAROM_ISA
