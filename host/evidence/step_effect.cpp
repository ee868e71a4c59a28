#include "host/evidence/step_effect.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "carom/bounds.hpp"
#include "carom/orientation.hpp"
#include "carom/sampler.hpp"
#include "host/base/note_list.hpp"
#include "host/bounds/beyond_hulls.hpp"
#include "host/evidence/scripted_sampler.hpp"
#include "host/laws/law_list.hpp"

namespace carom {
namespace {

/// The normal and tangential speeds, contact by contact.
std::vector<BoundDirection> contact_speeds_of(const ImpactProblem& problem) {
  std::vector<BoundDirection> speeds = bounded_quantities(problem, {});
  speeds.resize(static_cast<std::size_t>(problem.contacts() * (1 + problem.tangent_dimension())));
  return speeds;
}

/// An end of a speed that lies beyond that of the same trajectories in finer steps.
struct Shift {
  std::string speed;
  double coarse = 0.0;
  double fine = 0.0;

  double size() const { return std::abs(coarse - fine); }
};

Shift greatest_shift(const std::vector<BoundDirection>& speeds, const RowMatrix& coarse,
                     const RowMatrix& fine) {
  Shift greatest;
  for (const BoundDirection& speed : speeds) {
    const Eigen::VectorXd a = coarse * speed.row;
    const Eigen::VectorXd b = fine * speed.row;
    const Shift high{speed.name, a.maxCoeff(), b.maxCoeff()};
    const Shift low{speed.name, a.minCoeff(), b.minCoeff()};
    if (high.coarse > high.fine && high.size() > greatest.size()) greatest = high;
    if (low.coarse < low.fine && low.size() > greatest.size()) greatest = low;
  }
  return greatest;
}

RowMatrix velocities(const SampleSet& set, const std::vector<std::size_t>& which) {
  RowMatrix rows(static_cast<Eigen::Index>(which.size()), set.velocities);
  const auto nv = static_cast<std::size_t>(set.velocities);
  Eigen::Index next = 0;
  for (const std::size_t i : which) {
    rows.row(next++) =
        Eigen::Map<const Eigen::RowVectorXd>(set.velocity.data() + i * nv, set.velocities);
  }
  return rows;
}

/// Trajectories whose steps are taken in parts, with caps of the same ratios: in the limit of small
/// steps, a path of impulses does not depend on where it is divided.
std::optional<Note> note_on_rebounds(const ImpactProblem& problem, const SamplingOptions& options) {
  constexpr std::uint64_t trajectories = 128;
  constexpr int parts = 8;
  constexpr int more = 2;                    // steps, as finer ones may take longer to end
  constexpr std::uint32_t most_steps = 100;  // of a trajectory that is divided
  constexpr double noticed = 0.02;           // of the fastest contact before the impact
  // A search over signs takes up to half a millisecond a step.
  const bool searches = all_solutions_by(options.law, problem) == SolutionMethod::signs;
  const std::uint32_t most_lcps = searches ? 8'000 : 200'000;
  SamplingOptions coarse = options;
  coarse.trajectories = trajectories;
  coarse.backend = Backend::cpu;
  Choice<Solutions>& solutions = coarse.set_valued().solutions;
  if (*solutions == Solutions::cover) solutions = Solutions::first;  // parts have other covers
  const SampleSet whole = sample(problem, coarse);
  std::vector<std::size_t> divisible;
  const auto is_whole = [](const SampleSet& set, std::size_t i) {  // without Algorithm 2's end
    return set.status[i] == Status::separated && set.final_step[i] == 0;
  };
  std::uint32_t longest = 0;
  std::uint32_t lcps = 0;
  for (std::size_t i = 0; i < whole.size() && lcps <= most_lcps; ++i) {
    if (!is_whole(whole, i) || whole.lcp_count[i] > most_steps) continue;
    divisible.push_back(i);
    longest = std::max(longest, whole.lcp_count[i]);
    lcps += parts * whole.lcp_count[i];
  }
  if (longest == 0) return std::nullopt;

  coarse.max_steps = more * static_cast<int>(longest);
  SamplingOptions fine = coarse;
  fine.max_steps = *coarse.max_steps * parts;
  fine.impulse_step = *options.impulse_step / parts;
  const ScriptedSampler of_scripts(problem, coarse);
  std::vector<double> script;
  const std::size_t width = static_cast<std::size_t>(problem.contacts()) + 1;
  for (const std::size_t i : divisible) {
    const std::vector<double> steps = of_scripts.script_of(i);
    for (auto step = steps.begin(); step != steps.end();
         step += static_cast<std::ptrdiff_t>(width)) {
      for (int part = 0; part < parts; ++part) {
        script.insert(script.end(), step, step + static_cast<std::ptrdiff_t>(width));
      }
    }
  }
  SampleSet divided;
  ScriptedSampler(problem, fine).sample(script, divided);
  std::vector<std::size_t> of_whole;
  std::vector<std::size_t> of_divided;
  for (std::size_t i = 0; i < divisible.size(); ++i) {
    if (!is_whole(divided, i)) continue;
    of_whole.push_back(divisible[i]);
    of_divided.push_back(i);
  }
  if (of_whole.empty()) return std::nullopt;

  const std::vector<BoundDirection> speeds = contact_speeds_of(problem);
  double fastest = 0.0;
  for (const BoundDirection& speed : speeds) {
    fastest = std::max(fastest, std::abs(speed.row.dot(problem.pre_impact_velocity)));
  }
  const Shift shift =
      greatest_shift(speeds, velocities(whole, of_whole), velocities(divided, of_divided));
  if (shift.size() <= noticed * fastest) return std::nullopt;
  return make_note(
      "step_effect",
      fmt::format(
          "of {} trajectories, {} reaches {:.4g} m/s, and {:.4g} m/s where each step is "
          "taken in {} parts: outcomes beyond that may be the effect of steps with caps up "
          "to h = {:.3g} N·s on the restitution, and none of h -> 0; a smaller impulse_step "
          "comes nearer to it",
          of_whole.size(), shift.speed, shift.coarse, shift.fine, parts, *options.impulse_step));
}

}  // namespace

std::optional<Note> note_on_step_effect(const ImpactProblem& problem,
                                        const SamplingOptions& options, std::size_t members) {
  const bool is_of_steps = std::holds_alternative<law::SetValued>(options.law);
  if (!is_of_steps || members <= 1) return std::nullopt;
  if (problem.contacts() > 1) {
    const bool slow = finds_solutions_by_lines(problem, options.law);
    return rebounds(problem, options.law) && !slow ? note_on_rebounds(problem, options)
                                                   : std::nullopt;
  }
  if (orientation(problem).solutions != StepSolutions::one) return std::nullopt;
  return make_note(
      "step_effect",
      fmt::format("one contact alone has no order of impulses, and its steps have one solution: "
                  "that its outcomes differ is the effect of steps with caps up to h = {:.3g} N·s, "
                  "while h -> 0 leaves one outcome; a smaller impulse_step comes nearer to it{}",
                  *options.impulse_step,
                  has_bound(problem, options.law)
                      ? ", and carom bound --scope inclusion encloses it"
                      : ""));
}

std::optional<Note> note_on_shared_impulse(const ImpactProblem& problem, const Law& law) {
  constexpr double nothing = 1e-9;  // of a share, whose vectors have the length 1
  if (!std::holds_alternative<law::SetValued>(law) || !rebounds(problem, law)) return std::nullopt;
  const auto stride = static_cast<std::size_t>(1 + problem.tangent_dimension());
  const std::vector<BoundDirection> speeds = contact_speeds_of(problem);
  const Eigen::VectorXd restitution = *restitution_of(problem, law);
  // Of unit length, and without those of contacts that have no friction, and so no such impulse.
  std::vector<Eigen::VectorXd> rows;
  std::vector<std::pair<std::size_t, std::size_t>> normals;  // contact, and its row
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    const std::size_t contact = i / stride;
    const bool is_normal = i % stride == 0;
    const bool has_impulse = is_normal || problem.friction(static_cast<int>(contact)) > 0.0;
    if (!has_impulse || speeds[i].row.isZero(0.0)) continue;
    if (is_normal) normals.emplace_back(contact, rows.size());
    rows.push_back(speeds[i].row.normalized());
  }
  Eigen::MatrixXd kept(static_cast<Eigen::Index>(rows.size()), problem.velocities());
  for (std::size_t i = 0; i < rows.size(); ++i) kept.row(static_cast<Eigen::Index>(i)) = rows[i];
  // Impulses without effect are orthogonal to the range of the rows that are left.
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factors(kept);
  const Eigen::MatrixXd basis = factors.householderQ();
  const Eigen::MatrixXd without_effect = basis.rightCols(kept.rows() - factors.rank());
  std::string names;
  for (const auto& [contact, place] : normals) {
    const auto row = without_effect.row(static_cast<Eigen::Index>(place));
    if (!(restitution(static_cast<Eigen::Index>(contact)) > 0.0) || row.norm() <= nothing) continue;
    names += (names.empty() ? "" : ", ") + problem.contact_names[contact];
  }
  if (names.empty()) return std::nullopt;
  return make_note("shared_impulse",
                   fmt::format("the velocity after a step can leave open how its impulse is shared "
                               "among contacts ({}), and their restitution depends on the shares: "
                               "each step has one of them, so outcomes of others may be missing",
                               names));
}

}  // namespace carom
