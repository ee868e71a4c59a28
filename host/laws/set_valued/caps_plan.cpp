#include "host/laws/set_valued/caps_plan.hpp"

#include <algorithm>
#include <boost/random/sobol.hpp>

#include "kernels/random/sobol.hpp"

namespace carom {
namespace {

/// Direction numbers of the first `dimensions` dimensions, sobol_digits each. Boost provides only
/// the points, in Gray code order: the point after seed(2^(k+1) - 2) is number 2^(k+1) - 1, whose
/// code has the single digit k, so the point is direction k itself.
std::vector<std::uint32_t> sobol_directions(int dimensions) {
  boost::random::sobol engine(static_cast<std::size_t>(dimensions));
  constexpr int unused_digits = 64 - sobol_digits;  // of the engine's 64-bit coordinates
  std::vector<std::uint32_t> directions(static_cast<std::size_t>(dimensions) * sobol_digits);
  for (std::size_t digit = 0; digit < sobol_digits; ++digit) {
    engine.seed((std::uint64_t{2} << digit) - 2);
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
      directions[d * sobol_digits + digit] = static_cast<std::uint32_t>(engine() >> unused_digits);
    }
  }
  return directions;
}

}  // namespace

CapsView CapsPlan::view() const {
  CapsView result = header;
  result.scale = scale.empty() ? nullptr : scale.data();
  result.sobol = sobol.empty() ? nullptr : sobol.data();
  return result;
}

CapsPlan plan_caps(const CapsDistribution& caps, int contacts, int max_steps) {
  validate(caps, contacts);
  CapsPlan plan;
  CapsView& header = plan.header;
  header.components = static_cast<int>(caps.components.size());

  // Relative to the largest, since the sum of the weights themselves may be infinite.
  double largest = 0.0;
  for (const CapsComponent& component : caps.components) {
    largest = std::max(largest, component.weight);
  }
  double total = 0.0;
  for (int c = 0; c < header.components; ++c) {
    const CapsComponent& component = caps.components[static_cast<std::size_t>(c)];
    header.kind[c] = component.kind;
    header.power[c] = component.power;
    total += component.weight / largest;
    header.cumulative_weight[c] = total;
  }
  for (int c = 0; c < header.components; ++c) header.cumulative_weight[c] /= total;

  if (caps.uses(CapsKind::weighted)) {
    plan.scale.assign(caps.components.size() * static_cast<std::size_t>(contacts), 1.0);
    auto row = plan.scale.begin();
    for (const CapsComponent& component : caps.components) {
      if (component.kind == CapsKind::weighted) std::ranges::copy(component.scale, row);
      row += contacts;
    }
  }
  if (caps.uses(CapsKind::sobol)) {
    const int steps = std::min(max_steps, max_sobol_dimensions / contacts);
    header.sobol_dimensions = steps * contacts;
    plan.sobol = sobol_directions(header.sobol_dimensions);
  }
  return plan;
}

}  // namespace carom
