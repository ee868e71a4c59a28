#include "host/laws/plus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "host/base/field_error.hpp"
#include "host/laws/law_list.hpp"
#include "host/options/option_text.hpp"
#include "host/options/uncertain_text.hpp"
#include "kernels/problem/problem_arrays.hpp"

namespace carom {
namespace {

struct PlusMemory : LawMemory {
  std::vector<PlusNumber> friction, static_friction, restitution;  ///< per problem and contact
  std::vector<PlusNumber> velocity;                                ///< per problem and coordinate
};

/// What a number may be.
struct Bounds {
  double least = 0.0;
  double greatest = std::numeric_limits<double>::infinity();
  const char* rule = "";
};

constexpr double least_positive = std::numeric_limits<double>::min();
constexpr Bounds not_negative{};
constexpr Bounds positive{.least = least_positive};
constexpr Bounds below_right_angle{.least = least_positive,
                                   .greatest = 0.5 * std::numbers::pi * (1.0 - 0x1p-52),
                                   .rule = "> 0 and below pi / 2, in rad"};
constexpr Bounds from_0_to_1{.greatest = 1.0, .rule = "from 0 to 1"};
constexpr Bounds any{.least = -std::numeric_limits<double>::infinity(), .rule = "finite, in m/s"};

const Bounds& of_friction() {
  static const std::string rule = fmt::format(">= 0 and at most {}", max_friction);
  static const Bounds bounds{.greatest = max_friction, .rule = rule.c_str()};
  return bounds;
}

void check(const char* name, const Uncertain& value, const Bounds& bounds) {
  check_range("law", {.name = name, .argument = "", .help = ""}, value);
  const auto [first, second] = keys_of(value.kind());
  const auto check_one = [&](const char* key, double number) {
    if (number >= bounds.least && number <= bounds.greatest) return;
    const std::string place = value.is_drawn() ? fmt::format("{}.{}", name, key) : name;
    throw FieldError("law." + place,
                     fmt::format("{} is {} (must be {})", place, number, bounds.rule));
  };
  check_one(first, value.first());
  if (value.kind() == Uncertain::Kind::even) check_one(second, value.second());
}

void check(const char* name, const std::vector<Uncertain>& values, const Bounds& bounds,
           std::optional<int> contacts) {
  const auto count = static_cast<int>(values.size());
  if (count > 1 && contacts && count != *contacts) {
    throw FieldError(fmt::format("law.{}", name),
                     fmt::format("{} has {} numbers (must have 1 or one per contact, {})", name,
                                 count, *contacts));
  }
  for (const Uncertain& value : values) check(name, value, bounds);
}

/// Probability that a standard normal variable is below.
double normal_share(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

PlusNumber flat(const Uncertain& value, const Bounds& bounds) {
  PlusNumber number{.first = value.first()};
  if (value.kind() == Uncertain::Kind::even) number.width = value.second() - value.first();
  if (value.kind() != Uncertain::Kind::normal) return number;
  number.deviation = value.second();
  number.below = normal_share((bounds.least - value.first()) / value.second());
  number.inside =
      1.0 - number.below - normal_share((value.first() - bounds.greatest) / value.second());
  number.least = bounds.least;
  number.greatest = bounds.greatest;
  return number;
}

/// Adds what is stated, or else what the problem has.
void add(const std::vector<Uncertain>& stated, const Eigen::VectorXd& own, const Bounds& bounds,
         std::vector<PlusNumber>& numbers) {
  for (Eigen::Index i = 0; i < own.size(); ++i) {
    const std::size_t at = stated.size() == 1 ? 0 : static_cast<std::size_t>(i);
    numbers.push_back(flat(stated.empty() ? Uncertain(own(i)) : stated[at], bounds));
  }
}

}  // namespace

void LawEntry<law::Plus>::check(const law::Plus& law, std::optional<int> contacts) {
  carom::check("theta_max", law.theta_max, below_right_angle);
  carom::check("mu_static", law.mu_static, of_friction(), contacts);
  carom::check("mu", law.mu, of_friction(), contacts);
  carom::check("e_min", law.e_min, from_0_to_1, contacts);
  for (const Uncertain& speed : law.v_before) carom::check("v_before", speed, any);
}

void LawEntry<law::Plus>::check_problem(const law::Plus& law, const ImpactProblem& problem) {
  const auto count = static_cast<Eigen::Index>(law.v_before.size());
  if (count != 0 && count != problem.velocities()) {
    throw FieldError("law.v_before",
                     fmt::format("v_before has {} numbers (must have {}, one per velocity)", count,
                                 problem.velocities()));
  }
  const auto drawn = [](const Uncertain& speed) { return speed.is_drawn(); };
  if (std::ranges::none_of(law.v_before, drawn)) return;
  ImpactProblem middle = problem;
  replace_in(middle, law);
  if (middle.pre_impact_velocity.isZero(0.0)) {
    throw FieldError("law.v_before",
                     "v_before is 0 on average (must move: results are told relative to it)");
  }
}

law::Plus LawEntry<law::Plus>::of_contacts(law::Plus law, std::span<const int> contacts) {
  for (std::vector<Uncertain>* const numbers : {&law.mu_static, &law.mu, &law.e_min}) {
    if (numbers->size() > 1) *numbers = entries(*numbers, contacts);
  }
  return law;
}

std::unique_ptr<LawMemory> LawEntry<law::Plus>::plan(const law::Plus& law,
                                                     std::span<const ImpactProblem> problems,
                                                     const SamplingOptions&, SamplingPlan& plan) {
  auto memory = std::make_unique<PlusMemory>();
  for (const ImpactProblem& problem : problems) {
    const bool own_static = !law.mu_static.empty();
    add(law.mu, problem.friction, of_friction(), memory->friction);
    add(own_static ? law.mu_static : law.mu, problem.friction, of_friction(),
        memory->static_friction);
    add(law.e_min, *restitution_of(problem, law), from_0_to_1, memory->restitution);
    add(law.v_before, problem.pre_impact_velocity, any, memory->velocity);
  }
  plan.law = PlusPlan{.capture_speed = flat(law.v_capture, not_negative),
                      .plastic_speed = flat(law.v_plastic, not_negative),
                      .transition_speed = flat(law.v_transition, positive),
                      .theta_max = flat(law.theta_max, below_right_angle),
                      .viscous_friction = flat(law.mu_viscous, not_negative),
                      .max_rounds = static_cast<std::uint32_t>(law.max_rounds),
                      .backtracks = law.backtrack,
                      .one_friction = law.mu.size() == 1,
                      .one_static_friction = law.mu_static.size() == 1,
                      .one_restitution = law.e_min.size() == 1,
                      .rests_as_it_slides = law.mu_static.empty(),
                      .friction = memory->friction.data(),
                      .static_friction = memory->static_friction.data(),
                      .restitution = memory->restitution.data(),
                      .velocity = memory->velocity.data()};
  return memory;
}

}  // namespace carom
