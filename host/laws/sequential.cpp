#include "host/laws/sequential.hpp"

#include <vector>

#include "host/problem/step_lcp.hpp"
#include "kernels/laws/sequential/contact_maps.hpp"

namespace carom {
namespace {

struct SequentialMemory : LawMemory {
  std::vector<double> maps;
};

}  // namespace

std::unique_ptr<LawMemory> LawEntry<law::Sequential>::plan(const law::Sequential&,
                                                           std::span<const ImpactProblem> problems,
                                                           const SamplingOptions&,
                                                           SamplingPlan& plan) {
  constexpr double no_cap = 1.0;  // h and the final cap; this law reads neither
  auto memory = std::make_unique<SequentialMemory>();
  for (const ImpactProblem& problem : problems) {
    const std::vector<double> flat = flatten(problem, no_cap, no_cap);
    const StepLcpView view{shape_of(problem), flat.data()};
    const int width = 1 + view.shape.tangent_dimension;
    const FrictionPolygon polygon{view.shape.tangent_dimension, view.shape.friction_directions,
                                  view.directions()};
    for (int i = 0; i < problem.contacts(); ++i) {
      const ContactAlone alone(view, i);
      const double mu = problem.friction(i);
      const std::size_t first = memory->maps.size();
      memory->maps.resize(first + SequentialPlan::map_numbers(view.shape));
      for (int place = 0; place < touching_states(polygon, mu); ++place) {
        write_map(alone.view(), unknowns_of(touching_state(polygon, mu, place), polygon, mu),
                  memory->maps.data() + first + static_cast<std::size_t>(place * width * width));
      }
    }
  }
  plan.law = SequentialPlan{memory->maps.data()};
  return memory;
}

}  // namespace carom
