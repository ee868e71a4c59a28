#include "host/laws/propagative.hpp"

#include <fmt/format.h>

#include <vector>

#include "carom/propagative.hpp"
#include "host/base/field_error.hpp"
#include "host/laws/propagative/plastic.hpp"
#include "kernels/laws/propagative/write_reflections.hpp"

namespace carom {
namespace {

struct PropagativeMemory : LawMemory {
  std::vector<double> reflections, before, impulses, plastic_impulses, plastic_speed, restitution;

  void add(const ImpactProblem& problem, const StepLcpView& view, Plastic plastic) {
    const auto m = static_cast<std::size_t>(view.shape.contacts);
    const auto stride = static_cast<std::size_t>(PropagativePlan::stride(view.shape.contacts));
    const auto more = [](std::vector<double>& numbers, std::size_t count) {
      numbers.resize(numbers.size() + count);
      return numbers.data() + numbers.size() - count;
    };
    write_reflections(view, more(reflections, m * stride), more(before, stride), more(impulses, m));
    restitution.push_back(propagative_restitution(problem));
    Eigen::VectorXd impulse = Eigen::VectorXd::Zero(problem.contacts());
    if (restitution.back() < 1.0) impulse = plastic_impulse(problem, plastic);
    const Eigen::VectorXd speed =
        problem.normal_jacobian *
        (problem.pre_impact_velocity + Reflections(problem).response() * impulse);
    impulse *= view.impulse_unit();
    plastic_impulses.insert(plastic_impulses.end(), impulse.begin(), impulse.end());
    plastic_speed.insert(plastic_speed.end(), speed.begin(), speed.end());
  }
};

}  // namespace

double propagative_restitution(const ImpactProblem& problem) {
  const Eigen::VectorXd& all = problem.restitution;
  if (all.size() == 0) return *LawEntry<law::Propagative>::restitution;
  for (Eigen::Index i = 1; i < all.size(); ++i) {
    if (all(i) == all(0)) continue;
    throw FieldError(fmt::format("problem.restitution[{}]", i),
                     fmt::format("restitution is {} and {} (must be one number for all contacts "
                                 "with the propagative law: it is of the whole velocity)",
                                 all(0), all(i)));
  }
  return all(0);
}

void LawEntry<law::Propagative>::check_problem(const law::Propagative&,
                                               const ImpactProblem& problem) {
  require_no_friction(problem);
  propagative_restitution(problem);
}

std::unique_ptr<LawMemory> LawEntry<law::Propagative>::plan(const law::Propagative& law,
                                                            std::span<const ImpactProblem> problems,
                                                            const SamplingOptions&,
                                                            SamplingPlan& plan) {
  auto memory = std::make_unique<PropagativeMemory>();
  const double* flat = plan.problems;
  for (const ImpactProblem& problem : problems) {
    memory->add(problem, {plan.shape, flat}, law.plastic);
    flat += plan.stride;
  }
  plan.law = PropagativePlan{memory->reflections.data(),   memory->before.data(),
                             memory->impulses.data(),      memory->plastic_impulses.data(),
                             memory->plastic_speed.data(), memory->restitution.data()};
  return memory;
}

}  // namespace carom
