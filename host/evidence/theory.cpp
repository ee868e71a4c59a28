#include "host/evidence/theory.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "carom/epsilon_net.hpp"
#include "carom/sampler.hpp"
#include "carom/solutions.hpp"
#include "host/evidence/scripted_sampler.hpp"
#include "host/laws/law_list.hpp"
#include "host/problem/decompositions.hpp"
#include "host/problem/step_lcp.hpp"

namespace carom {

double TerminationBound::lcps_within(double share) const {
  return certain + std::ceil(-decay * std::log1p(-share));
}

std::optional<TerminationBound> termination_bound(const ImpactProblem& problem,
                                                  double impulse_step) {
  const std::optional<Eigen::VectorXd> r = friction_cone_support(problem);
  if (!r) return std::nullopt;
  const double sigma = eigenvalues(problem.mass_matrix)(0);
  const double m = problem.contacts();
  const double speed = std::sqrt(2.0 * kinetic_energy(problem, problem.pre_impact_velocity));
  TerminationBound bound;
  bound.c = 4.0 * std::ceil((m + 1.0) * r->norm() / (impulse_step * std::sqrt(sigma)));
  bound.certain = bound.c * std::ceil(speed);
  bound.decay = (m + 1.0) * (m + 1.0);
  return bound;
}

bool has_uniform_caps(const SamplingOptions& options) {
  const Law law = independent(options.law);
  const auto* set_valued = std::get_if<law::SetValued>(&law);
  if (set_valued == nullptr) return false;
  const CapsDistribution& caps = set_valued->caps;
  return std::all_of(caps.components.begin(), caps.components.end(),
                     [](const auto& component) { return component.kind == CapsKind::uniform; });
}

MeasuredTail measure_tail(const ImpactProblem& problem, const SamplingOptions& options) {
  constexpr std::uint64_t many = 4096;  // about 40 of them are beyond the 99 %
  constexpr std::uint64_t some = 512;   // steps along lines take a hundred times as long
  const std::uint64_t trajectories = finds_solutions_by_lines(problem, options.law) ? some : many;
  constexpr int room = 256;  // steps; the paper's systems need less than 30
  SamplingOptions pilot = options;
  pilot.trajectories = trajectories;
  pilot.max_steps = std::max(*options.max_steps, room);
  pilot.backend = Backend::cpu;
  SampleSet samples = sample(problem, pilot);

  MeasuredTail tail;
  tail.trajectories = trajectories;
  tail.max_steps = pilot.max_steps;
  std::vector<std::uint32_t>& counts = step_counts(samples);
  const auto total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  tail.mean = static_cast<double>(total) / static_cast<double>(trajectories);
  std::sort(counts.begin(), counts.end());
  tail.within_99 = counts[(trajectories * 99 + 99) / 100 - 1];
  tail.most = counts.back();
  tail.unfinished = static_cast<std::uint64_t>(
      std::count(samples.final_step.begin(), samples.final_step.end(), std::uint8_t{1}));
  return tail;
}

namespace {

/// The set-valued law, with the caps of `law` if `law` is set-valued.
law::SetValued with_solutions(const Law& law, Solutions solutions) {
  const auto* given = std::get_if<law::SetValued>(&law);
  law::SetValued result = given == nullptr ? law::SetValued{} : *given;
  result.solutions = solutions;
  return result;
}

}  // namespace

AmbiguousSteps count_ambiguous_steps(const ImpactProblem& problem, const SamplingOptions& options,
                                     std::uint64_t trajectories) {
  SamplingOptions pilot = options;
  pilot.trajectories = trajectories;
  pilot.law = with_solutions(options.law, Solutions::all);
  pilot.backend = Backend::cpu;
  const SampleSet samples = sample(problem, pilot);
  AmbiguousSteps found;
  for (std::size_t row = 0; row < samples.solution_count.size(); row += solution_bins) {
    const auto* const bin = &samples.solution_count[row];
    std::uint64_t several = 0;
    for (int i = 1; i < solution_bins; ++i) {
      found.steps += bin[i];
      several += i > 1 && i + 1 < solution_bins ? bin[i] : 0;
    }
    // A step with a continuum may have further solutions: counted once as far as it is known.
    found.ambiguous += std::max(several, std::uint64_t{bin[0]});
  }
  return found;
}

std::optional<double> measure_ambiguity(const ImpactProblem& problem,
                                        const SamplingOptions& options) {
  constexpr std::uint64_t trajectories = 1024;
  if (shape_of(problem).coordinates() > most_searched_coordinates) return std::nullopt;
  return count_ambiguous_steps(problem, options, trajectories).share();
}

namespace {

/// Cap sequences, one after the other, and their outcomes.
struct Ends {
  std::vector<double> script;
  SampleSet samples;
};

/// Distances between rows of two sample sets in the net's norm; NaN if a trajectory failed.
class RowDistance {
 public:
  RowDistance(const ImpactProblem& problem, Norm norm)
      : metric_(net_metric(problem, norm)), velocities_(problem.velocities()) {}

  double operator()(const SampleSet& one, const SampleSet& other, std::size_t row) const {
    if (failed(one.status[row]) || failed(other.status[row])) return std::nan("");
    const Eigen::VectorXd difference = velocity(one, row) - velocity(other, row);
    return metric_.size() == 0 ? difference.norm() : (metric_ * difference).norm();
  }

 private:
  static bool failed(Status status) {
    return status != Status::separated && status != Status::step_limit;
  }
  Eigen::Map<const Eigen::VectorXd> velocity(const SampleSet& samples, std::size_t row) const {
    return {&samples.velocity[row * static_cast<std::size_t>(velocities_)], velocities_};
  }

  Eigen::MatrixXd metric_;
  Eigen::Index velocities_;
};

std::vector<double> random_script(std::size_t size, std::mt19937_64& random) {
  std::vector<double> script(size);
  for (double& number : script) {
    number = 0x1p-53 * (static_cast<double>(random() >> 11) + 1.0);  // (0, 1], on every platform
  }
  return script;
}

/// Distance of two cap sequences in parts of h. The numbers that select solutions do not count.
double script_distance(const Ends& a, const Ends& b, std::size_t row, std::size_t width,
                       std::size_t contacts) {
  double squared = 0.0;
  for (std::size_t i = 0; i < width; ++i) {
    if (i % (contacts + 1) == contacts) continue;
    const double difference = a.script[row * width + i] - b.script[row * width + i];
    squared += difference * difference;
  }
  return std::sqrt(squared);
}

// Greatest distance of almost equal caps, in parts of h. Rounding and the termination tolerance
// change outcomes by about 1e-8 m/s, far less than a slope of 1 does over this distance.
constexpr double near_distance = 1e-6;

/// Moves one end of every pair that is not near yet to the middle; the half in which the outcome
/// changes more remains.
void halve(const ScriptedSampler& sampler, const RowDistance& distance, Ends& a, Ends& b) {
  Ends middle;
  middle.script.resize(a.script.size());
  std::transform(a.script.begin(), a.script.end(), b.script.begin(), middle.script.begin(),
                 [](double x, double y) { return 0.5 * (x + y); });
  sampler.sample(middle.script, middle.samples);
  const std::size_t width = sampler.script_size();
  const auto nv = static_cast<std::size_t>(middle.samples.velocities);
  const auto contacts = static_cast<std::size_t>(middle.samples.contacts);
  for (std::size_t row = 0; row < middle.samples.size(); ++row) {
    if (script_distance(a, b, row, width, contacts) < 2.0 * near_distance) continue;
    const bool first_half =
        distance(a.samples, middle.samples, row) >= distance(middle.samples, b.samples, row);
    Ends& moved = first_half ? b : a;
    std::copy_n(&middle.script[row * width], width, &moved.script[row * width]);
    std::copy_n(&middle.samples.velocity[row * nv], nv, &moved.samples.velocity[row * nv]);
    moved.samples.status[row] = middle.samples.status[row];
  }
}

}  // namespace

MeasuredSlope measure_slope(const ImpactProblem& given, const SamplingOptions& options) {
  constexpr std::size_t pairs = 256;
  constexpr int most_steps = 256;  // memory; trajectories end earlier
  constexpr int halvings = 40;     // more than the farthest sequences need
  constexpr double jump = 1e-3;    // of the speed before the impact, between near sequences
  const ImpactProblem problem = validated(given);
  SamplingOptions single = options;
  single.law = with_solutions(options.law, Solutions::cover);
  single.max_steps = std::min(*options.max_steps, most_steps);
  const ScriptedSampler sampler(problem, single);
  const RowDistance distance(problem, options.norm);

  std::mt19937_64 random(options.seed);
  Ends a;
  Ends b;
  for (Ends* ends : {&a, &b}) {
    ends->script = random_script(pairs * sampler.script_size(), random);
    sampler.sample(ends->script, ends->samples);
  }
  for (int i = 0; i < halvings; ++i) halve(sampler, distance, a, b);

  const Eigen::MatrixXd metric = net_metric(problem, options.norm);
  const Eigen::VectorXd& before = problem.pre_impact_velocity;
  const double speed = metric.size() == 0 ? before.norm() : (metric * before).norm();
  MeasuredSlope slope;
  for (std::size_t row = 0; row < pairs; ++row) {
    const double outcomes = distance(a.samples, b.samples, row);
    const double caps = script_distance(a, b, row, sampler.script_size(),
                                        static_cast<std::size_t>(problem.contacts()));
    if (!std::isfinite(outcomes) || !(caps > 0.0)) continue;
    ++slope.pairs;
    slope.jumps = slope.jumps || outcomes > jump * speed;
    slope.constant = std::max(slope.constant, outcomes / (caps * *options.impulse_step));
  }
  return slope;
}

// In logarithms: Omega is 10^-40 and less. For small Omega, ln(1 - Omega) = -Omega.
double log10_dense_samples(double dimensions, double side, double lipschitz, double epsilon,
                           double delta) {
  const double cells = std::ceil(side * lipschitz * std::sqrt(dimensions) / epsilon);
  if (cells <= 1.0) return 0.0;  // a single sample is within epsilon of all others
  const double log_omega = -dimensions * std::log(cells);
  constexpr double tiny = -36.0;  // exp(tiny) is below the rounding of 1
  const double log_rate =
      log_omega < tiny ? log_omega : std::log(-std::log1p(-std::exp(log_omega)));
  return (std::log(-(std::log(delta) + log_omega)) - log_rate) / std::log(10.0);
}

}  // namespace carom
