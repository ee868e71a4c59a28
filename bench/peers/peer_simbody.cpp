// Simbody's PLUS solver (the law's first authors wrote it) in the rounds of the paper, beside
// Carom's law plus: time of an impact on one core, and the answers. Both turn a slip by 30 degrees
// at most, which is fixed there.
#include <Eigen/Cholesky>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numbers>

#include "bench/peers/simbody_rounds.hpp"
#include "carom/carom.hpp"
#include "host/sampling/sampling_plan.hpp"
#include "kernels/cpu/run_items.hpp"
#include "tests/support/system_data.hpp"

namespace carom::peers {
namespace {

using nlohmann::json;

struct Impact {
  std::string name;
  ImpactProblem problem;
  law::Plus law{.theta_max = std::numbers::pi / 6.0};

  explicit Impact(const json& data) : name(data.at("name")), problem(test::problem_of(data)) {
    problem.restitution = test::vector_of(data.at("e_min"));
    law.v_capture = data.at("v_capture").get<double>();
    law.v_plastic = data.at("v_plastic").get<double>();
    law.v_transition = data.at("v_transition").get<double>();
    law.mu_viscous = data.at("mu_viscous").get<double>();
    for (const double number : data.at("mu_static")) law.mu_static.emplace_back(number);
  }
};

/// Contact speeds per velocity; in the plane the third of each contact is 0.
Eigen::MatrixXd rows_of(const ImpactProblem& problem) {
  const int d = problem.tangent_dimension();
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(3 * problem.contacts(), problem.velocities());
  for (int i = 0; i < problem.contacts(); ++i) {
    rows.row(3 * i) = problem.normal_jacobian.row(i);
    rows.middleRows(3 * i + 1, d) = problem.tangent_jacobian.middleRows(i * d, d);
  }
  return rows;
}

FlatImpact flat_of(const Impact& impact, const Eigen::MatrixXd& rows) {
  const ImpactProblem& its = impact.problem;
  FlatImpact flat{.delassus = rows * its.mass_matrix.llt().solve(rows.transpose()),
                  .before = rows * its.pre_impact_velocity,
                  .friction = its.friction,
                  .restitution = its.restitution,
                  .capture_speed = impact.law.v_capture.first(),
                  .plastic_speed = impact.law.v_plastic.first(),
                  .transition_speed = impact.law.v_transition.first()};
  for (Eigen::Index i = 0; i < its.contacts(); ++i) {
    const double slip = flat.before.segment<2>(3 * i + 1).norm();
    if (slip < flat.transition_speed) {
      flat.friction(i) = impact.law.mu_static[static_cast<std::size_t>(i)].first();
    }
    flat.friction(i) += impact.law.mu_viscous.first() * slip;
    flat.unit = std::max(flat.unit, -flat.before(3 * i) / flat.delassus(3 * i, 3 * i));
  }
  return flat;
}

SamplingOptions options_of(const Impact& impact) {
  SamplingOptions options;
  options.law = impact.law;
  options.backend = Backend::cpu;
  options.threads = 1;
  return options;
}

/// The intervals of Carom's only trajectory.
std::vector<ImpactStep> intervals_of(const Impact& impact, const FlatImpact& flat,
                                     unsigned intervals) {
  const auto data = make_plan(std::span(&impact.problem, 1), options_of(impact));
  const int m = impact.problem.contacts();
  const int width = 1 + impact.problem.tangent_dimension();
  std::vector<double> numbers((intervals + 1) * static_cast<std::size_t>(2 * m * width));
  const int count = item_runner().steps(data->plan, 0, numbers.data(), nullptr);
  const double unit = StepLcpView{data->plan.shape, data->plan.problems}.impulse_unit();
  std::vector<ImpactStep> steps;
  for (const double* one = numbers.data(); static_cast<int>(steps.size()) < count;) {
    ImpactStep step{steps.empty() ? flat.before : steps.back().after, Eigen::VectorXd::Zero(3 * m),
                    Eigen::VectorXd::Zero(3 * m)};
    for (Eigen::VectorXd* to : {&step.impulse, &step.after}) {
      for (int i = 0; i < m * width; ++i) (*to)(i / width * 3 + i % width) = *one++;
    }
    step.impulse /= unit;
    steps.push_back(std::move(step));
  }
  return steps;
}

/// Slip at the end of a step that friction does not oppose with all it has, of the largest impulse:
/// of steps in which nothing slides at the start, so that all friction is rolling or impending.
double misdirected(const FlatImpact& flat, const std::vector<ImpactStep>& steps) {
  constexpr double stands = 1e-6;  // m/s
  double worst = 0.0;
  for (const ImpactStep& step : steps) {
    const auto pushes = [&](Eigen::Index i) { return step.impulse(3 * i) > 1e-9 * flat.unit; };
    bool slides = false;
    for (Eigen::Index i = 0; i < flat.contacts(); ++i) {
      const double slip = step.before.segment<2>(3 * i + 1).norm();
      slides = slides || (pushes(i) && slip >= flat.transition_speed);
    }
    for (Eigen::Index i = 0; i < flat.contacts() && !slides; ++i) {
      const Eigen::Vector2d slip = step.after.segment<2>(3 * i + 1);
      if (!pushes(i) || slip.norm() <= stands) continue;
      const Eigen::Vector2d wanted = -flat.friction(i) * step.impulse(3 * i) * slip.normalized();
      worst = std::max(worst, (step.impulse.segment<2>(3 * i + 1) - wanted).norm());
    }
  }
  return worst / flat.unit;
}

/// What no outcome of the law may have: friction outside its cone (a convex one, so that sums of
/// impulses stay inside) or a pull, of the largest impulse; an approach, or a speed that is not
/// that of the impulses, of the largest speed.
double residual(const FlatImpact& flat, const Eigen::VectorXd& impulse,
                const Eigen::VectorXd& speed) {
  const double largest = std::max(impulse.cwiseAbs().maxCoeff(), flat.unit);
  const double fastest = flat.before.cwiseAbs().maxCoeff();
  const double unbalanced = (flat.before + flat.delassus * impulse - speed).cwiseAbs().maxCoeff();
  double worst = unbalanced / fastest;
  for (Eigen::Index i = 0; i < flat.friction.size(); ++i) {
    const double push = impulse(3 * i);
    const double outside = impulse.segment<2>(3 * i + 1).norm() - flat.friction(i) * push;
    worst = std::max(
        {worst, outside / largest, -push / largest, (-speed(3 * i) - approaching) / fastest});
  }
  return worst;
}

/// Nanoseconds of a call, the best of some runs of about 20 ms.
template <class Call>
double time_of(const Call& call) {
  using Clock = std::chrono::steady_clock;
  const auto run = [&](long long count) {
    const auto begin = Clock::now();
    for (long long i = 0; i < count; ++i) call();
    return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
  };
  long long count = 1;
  double spent_ns = run(count);
  for (; spent_ns < 1e7; spent_ns = run(count)) count *= 2;
  double best = spent_ns / static_cast<double>(count);
  for (int repeat = 0; repeat < 3; ++repeat) {
    best = std::min(best, run(count) / static_cast<double>(count));
  }
  return best;
}

json compare(const Impact& impact) {
  constexpr std::uint64_t together = 256;
  const Eigen::MatrixXd rows = rows_of(impact.problem);
  const FlatImpact flat = flat_of(impact, rows);
  const Sampler sampler(std::span(&impact.problem, 1), options_of(impact));
  SampleSet samples;
  sampler.sample(0, together, samples);
  json line = {{"problem", impact.name},
               {"contacts", impact.problem.contacts()},
               {"d", impact.problem.tangent_dimension()},
               {"status", status_name(samples.status[0])},
               {"intervals", samples.intervals[0]}};
  if (samples.status[0] != Status::separated) return line;
  const int d = impact.problem.tangent_dimension();
  Eigen::VectorXd impulse = Eigen::VectorXd::Zero(3 * impact.problem.contacts());
  for (int i = 0; i < impact.problem.contacts(); ++i) {
    for (int a = 0; a <= d; ++a) {
      impulse(3 * i + a) = samples.impulse[static_cast<std::size_t>(i * (1 + d) + a)];
    }
  }
  const Eigen::VectorXd speed = rows * samples.velocity_rows().row(0).transpose();
  line["carom_residual"] =
      std::max(residual(flat, impulse, speed),
               misdirected(flat, intervals_of(impact, flat, samples.intervals[0])));
  line["carom_ns"] =
      time_of([&] { sampler.sample(0, together, samples); }) / static_cast<double>(together);
  SimbodyRounds peer(flat);
  bool ended = false;
  std::vector<ImpactStep> rounds;
  try {
    ended = peer.run(&rounds);
  } catch (const std::exception& error) {
    line["simbody_error"] = error.what();
  }
  if (!ended) return line;
  line["simbody_residual"] =
      std::max(residual(flat, peer.impulse(), peer.speed()), misdirected(flat, rounds));
  line["difference"] =
      (peer.speed() - speed).cwiseAbs().maxCoeff() / flat.before.cwiseAbs().maxCoeff();
  line["simbody_ns"] = time_of([&] { peer.run(); });
  return line;
}

}  // namespace
}  // namespace carom::peers

int main() {
  using namespace carom::peers;
  for (const auto& data : carom::test::read_json("plus/problems.json")) {
    const std::string name = data.at("name");
    // Of impacts that differ by theta_max alone, one.
    const bool other_theta = name.find("_theta") != std::string::npos && !name.ends_with("0.5236");
    if (!other_theta) std::printf("%s\n", compare(Impact(data)).dump().c_str());
  }
}
