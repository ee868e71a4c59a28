#include "carom/solution_audit.hpp"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "carom/certificate.hpp"
#include "carom/error.hpp"
#include "host/modes/searched_pieces.hpp"
#include "host/problem/no_restitution.hpp"
#include "host/sampling/observed_stages.hpp"
#include "host/sampling/sampling_plan.hpp"
#include "kernels/cpu/run_items.hpp"
#include "kernels/launch/launch.hpp"
#include "kernels/laws/set_valued/law.hpp"
#include "kernels/signs/sign_lines.hpp"
#include "kernels/signs/solution_pieces.hpp"
#include "kernels/step/capacity.hpp"

namespace carom {
namespace {

constexpr double confidence = 0.95;
constexpr std::uint64_t least_block = 4;  // of steps that are compared side by side
constexpr std::uint64_t most_block = 32;
// Far beyond any run, and beyond all Sobol' points; the pilot of Solutions::table begins at 2^62.
constexpr std::uint64_t first_trajectory = std::uint64_t{3} << 61;

/// A step of a trajectory.
struct AuditedStep {
  std::uint64_t trajectory;
  std::uint32_t number;
  std::vector<double> before;  ///< contact speeds, m (1 + d)
  std::vector<double> cap;     ///< m, as speeds
};

/// What lines and search found of one step.
struct StepComparison {
  std::uint64_t nodes = 0;
  bool complete = false;
  std::uint64_t solutions = 0;
  std::uint64_t missed = 0;
  bool partial = false;
  LinesReport lines;
};

/// Draws a step of each trajectory, each as probable as the others; none of a trajectory without
/// outcome.
class StepDrawer {
 public:
  explicit StepDrawer(const SamplingPlan& plan)
      : plan_(plan),
        width_(2 * static_cast<std::size_t>(plan.shape.impulses())),
        steps_((static_cast<std::size_t>(plan.max_steps) + 1) * width_) {}

  Philox random(std::uint64_t trajectory) const {
    return Philox(plan_.seed, plan_.first_problem, trajectory);
  }

  bool draw(std::uint64_t trajectory, AuditedStep& step) {
    const StepLcpView view{plan_.shape, plan_.problems};
    const auto impulses = static_cast<std::size_t>(plan_.shape.impulses());
    const int count = item_runner().steps(plan_, trajectory, steps_.data(), nullptr);
    if (count == 0) return false;
    double number[2];
    random(trajectory).uniform_pair(0, Purpose::audit, 0, number);
    const int chosen = choose_evenly(number[0], count);
    step.trajectory = trajectory;
    step.number = static_cast<std::uint32_t>(chosen);
    step.before.resize(impulses);
    if (chosen == 0) {
      contact_speeds(view, view.pre_impact_velocity(), step.before.data());
    } else {
      const double* const after = &steps_[static_cast<std::size_t>(chosen - 1) * width_ + impulses];
      std::copy_n(after, impulses, step.before.begin());
    }
    step.cap.resize(static_cast<std::size_t>(plan_.shape.contacts));
    const CapsSource source(std::get<SetValuedPlan>(plan_.law).caps, random(trajectory), trajectory,
                            plan_.shape.contacts);
    step_caps(view, source, chosen, plan_.max_steps, step.cap.data());
    return true;
  }

 private:
  const SamplingPlan& plan_;
  std::size_t width_;
  std::vector<double> steps_;
};

StepComparison compare(const StepLcpView& view, const AuditedStep& drawn, const Philox& random,
                       int most_nodes) {
  // One size for all: programs of others save a twentieth of the time.
  using Size = LargestCapacity;
  constexpr int max_coordinates = Size::bounded_size / 2;
  constexpr int most_pieces = 512;
  using Piece = SolutionPiece<max_coordinates>;
  using Pieces = SolutionPieces<Size, max_coordinates, most_pieces>;
  const ContactStep<Size> step(view, drawn.before.data(), drawn.cap.data());
  const double summed = summed_speed(view, view.pre_impact_velocity());
  const BoxForm<max_coordinates> box(view, drawn.before.data(), drawn.cap.data(), summed);
  const auto pattern = [&](const Piece& piece) {
    return std::string(piece.sign, piece.sign + box.coordinates());
  };
  std::set<std::string> known;
  // Too large for the stack of a thread.
  const auto pieces = std::make_unique<Pieces>(step, box);
  const auto lines = std::make_unique<SignLines<max_coordinates>>(box);
  StepComparison result;
  result.lines = lines->run(random, drawn.number, [&](const Piece& piece) {
    known.insert(pattern(piece));
    return pieces->add(piece);
  });
  const int of_lines = pieces->pieces();
  const SearchedStep searched{view, drawn.before.data(), drawn.cap.data(), summed};
  const SearchCounts report = search_pieces(box, searched, most_nodes, [&](const Piece& piece) {
    return known.contains(pattern(piece)) || pieces->add(piece);
  });
  result.nodes = static_cast<std::uint64_t>(report.nodes);
  result.complete = report.complete && pieces->has_all();
  if (!result.complete) return result;
  const auto& components = pieces->join();
  std::vector<char> met(static_cast<std::size_t>(components.components()), 0);
  for (int p = 0; p < of_lines; ++p) met[static_cast<std::size_t>(components.component(p))] = 1;
  for (int p = of_lines; p < components.pieces(); ++p) {
    result.partial = result.partial || components.is_continuum(p);
  }
  result.solutions = met.size();
  result.missed = static_cast<std::uint64_t>(std::count(met.begin(), met.end(), 0));
  return result;
}

/// What lines and search find of a random step of a trajectory; empty if it has no outcome.
std::optional<StepComparison> compare_step(const SamplingPlan& plan, std::uint64_t trajectory,
                                           int most_nodes) {
  StepDrawer drawer(plan);
  AuditedStep step;
  if (!drawer.draw(trajectory, step)) return std::nullopt;
  const StepLcpView view{plan.shape, plan.problems};
  return compare(view, step, drawer.random(trajectory), most_nodes);
}

/// Nodes of all searches: a few seconds, whatever the size.
std::uint64_t most_nodes(const AuditLimits& limits, const ProblemShape& shape) {
  constexpr double reference = 29.0;
  const double ratio = reference / (shape.coordinates());
  return ratio < 1.0
             ? static_cast<std::uint64_t>(static_cast<double>(limits.nodes) * std::pow(ratio, 4))
             : limits.nodes;
}

void count(const StepComparison& step, SolutionAudit& audit) {
  if (!step.complete) {
    ++audit.incomplete;
    return;
  }
  ++audit.steps;
  audit.solutions += step.solutions;
  audit.missed_solutions += step.missed;
  audit.lines += static_cast<std::uint64_t>(step.lines.lines);
  audit.cut_lines += static_cast<std::uint64_t>(step.lines.cut);
  audit.missed_steps += step.missed > 0 ? 1 : 0;
  audit.partial_steps += step.missed == 0 && step.partial ? 1 : 0;
}

}  // namespace

SolutionAudit audit_solutions(const ImpactProblem& problem, const SamplingOptions& options,
                              const AuditLimits& limits) {
  return audit_solutions(problem, options, limits, {});
}

SolutionAudit audit_solutions(const ImpactProblem& problem, const SamplingOptions& options,
                              const AuditLimits& limits, const SampleObserver& observer) {
  if (!std::holds_alternative<law::SetValued>(options.law)) {
    throw InputError("audit of solutions: the law must be set-valued");
  }
  require_no_restitution(problem, "to audit solutions");
  const std::unique_ptr<SamplingPlanData> data = make_plan(std::span(&problem, 1), options);
  SamplingPlan plan = data->plan;
  plan.trajectories = 0;  // one problem: items are trajectories
  oneapi::tbb::task_arena arena(usable_threads(options.threads));
  std::vector<std::optional<StepComparison>> block;
  SolutionAudit audit;
  std::uint64_t nodes = 0;
  const std::uint64_t most = most_nodes(limits, plan.shape);
  const std::uint64_t block_size =
      std::clamp(most / static_cast<std::uint64_t>(std::max(limits.nodes_of_step, 1)), least_block,
                 most_block);
  for (std::uint64_t first = 0; first < limits.steps && nodes < most; first += block_size) {
    const double used = static_cast<double>(nodes) / static_cast<double>(most);
    report(observer,
           std::max(first, static_cast<std::uint64_t>(used * static_cast<double>(limits.steps))),
           limits.steps);
    block.resize(std::min(block_size, limits.steps - first));
    arena.execute([&] {
      oneapi::tbb::parallel_for(std::size_t{0}, block.size(), [&](std::size_t i) {
        block[i] = compare_step(plan, first_trajectory + first + i, limits.nodes_of_step);
      });
    });
    for (std::size_t i = 0; i < block.size() && nodes < most; ++i) {
      if (!block[i]) continue;
      nodes += block[i]->nodes;
      count(*block[i], audit);
    }
  }
  audit.miss_bound = clopper_pearson_upper(audit.missed_steps, audit.steps, confidence);
  return audit;
}

std::string SolutionAudit::sentence() const {
  std::string text = fmt::format("{} of {} steps missed a solution: at most {:.2g} % at {:.0f} %",
                                 missed_steps, steps, 100.0 * miss_bound, 100.0 * confidence);
  if (partial_steps > 0) text += fmt::format("; {} missed a part of a continuum", partial_steps);
  if (cut_lines > 0) text += fmt::format("; {} of {} lines were given up", cut_lines, lines);
  if (incomplete > 0) text += fmt::format("; {} could not be searched", incomplete);
  return text;
}

}  // namespace carom
