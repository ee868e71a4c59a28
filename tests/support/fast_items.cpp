#include "tests/support/fast_items.hpp"

#include "kernels/laws/program_list.hpp"
#include "kernels/step/capacity.hpp"
#include "kernels/trajectory/trajectory.hpp"

namespace carom::test {

void fast_items(const SamplingPlan& plan, std::uint64_t first, std::uint64_t count,
                const SampleView& out) {
  with_capacity(plan.shape, [&]<class Size>(Size) {
    visit_plan(plan.law, [&](const auto& law_plan) {
      with_law<Size, Effort::fast>(law_plan, [&]<class Law>(const Law& law) {
        const Trajectory<Law> program{law, plan};
        for (std::uint64_t row = 0; row < count; ++row) program(first + row, row, out);
      });
    });
  });
}

}  // namespace carom::test
