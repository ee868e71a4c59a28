#include "tests/support/fast_items.hpp"

#include "kernels/laws/program_list.hpp"

namespace carom::test {

void fast_items(const SamplingPlan& plan, std::uint64_t first, std::uint64_t count,
                const SampleView& out) {
  constexpr bool fixed_shapes = false;
  with_program<Effort::fast, fixed_shapes>(plan, [&](const auto& program) {
    for (std::uint64_t row = 0; row < count; ++row) {
      const SampleView its_row = out.from(row, program.plan.rows);
      program.follow(first + row, &its_row, nullptr);
    }
  });
}

}  // namespace carom::test
