// Carom: its step without any table, as for a problem met once, and its sampler.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <limits>

#include "bench/peers/peer.hpp"
#include "bench/peers/peer_problems.hpp"
#include "host/problem/step_lcp.hpp"
#include "kernels/cpu/run_items.hpp"

namespace carom::peers {

namespace {

const std::vector<PeerProblem>& problems() {
  static const std::vector<PeerProblem> all = peer_problems();
  return all;
}

/// The one that run_round() checks by hand.
ImpactProblem point_mass() {
  ImpactProblem problem;
  problem.mass_matrix = Eigen::Matrix2d::Identity();
  problem.normal_jacobian = Eigen::RowVector2d(0.0, 1.0);
  problem.tangent_jacobian = Eigen::RowVector2d(1.0, 0.0);
  problem.friction = Eigen::VectorXd::Constant(1, 0.5);
  problem.pre_impact_velocity = Eigen::Vector2d(3.0, -1.0);
  return problem;
}

ImpactProblem problem_of(const LcpSet& set) {
  for (const PeerProblem& problem : problems()) {
    if (problem.name == set.name) return problem.problem;
  }
  return point_mass();
}

/// Timed, beyond what the peers do: w from velocity and caps, the residual (with refinement, and
/// with double-double precision where double fails), the velocity after the step.
class CaromStep : public LcpSolver {
 public:
  explicit CaromStep(const LcpSet& set)
      : set_(set),
        problem_(problem_of(set)),
        data_(flatten(problem_, 1.0, 1.0)),
        view_{.shape = shape_of(problem_), .data = data_.data()},
        velocity_(problem_.velocities()),
        impulse_(view_.shape.impulses()),
        z_(set.size()) {}

  bool solve(int lcp) override {
    const int m = set_.contacts;
    double* z = z_.data();
    std::copy_n(set_.velocity_of(lcp), set_.velocities, velocity_.data());
    const StepOutcome outcome = item_runner().step(view_, set_.cap_of(lcp), Effort::thorough,
                                                   {.cap_slack = z,
                                                    .normal_impulse = z + m,
                                                    .direction_impulse = z + 2 * m,
                                                    .slip_speed = z + (2 + set_.directions) * m,
                                                    .impulse = impulse_.data(),
                                                    .velocity = velocity_.data()});
    solved_ = outcome.status == Status::separated;
    return solved_;
  }

  void solution(int, double* z) const override {
    const int m = set_.contacts;
    for (int i = 0; i < set_.size(); ++i) {
      const bool impulse = i >= m && i < (2 + set_.directions) * m;
      const double unit = impulse ? view_.impulse_unit() : 1.0;
      z[i] = solved_ ? z_(i) * unit : std::numeric_limits<double>::quiet_NaN();
    }
  }

 private:
  const LcpSet& set_;
  ImpactProblem problem_;
  std::vector<double> data_;
  StepLcpView view_;
  Eigen::VectorXd velocity_;
  Eigen::VectorXd impulse_;
  Eigen::VectorXd z_;
  bool solved_ = false;
};

/// The whole sampler on one thread, random numbers and updates of the velocity included, per LCP,
/// in the midst of a long run: without what a run does once before, as pilots.
Figures measure_sampler(const PeerProblem& source, const std::string& name,
                        SamplingOptions options) {
  options.trajectories = 1 << 20;
  const Sampler sampler(std::span(&source.problem, 1), options);
  constexpr std::uint64_t per_pass = 4096;
  SampleSet samples;
  std::uint64_t first = 0;
  Figures figures{.system = source.name,
                  .size = shape_of(source.problem).lcp_size(),
                  .solver = name,
                  .wrong = -1,
                  .silent = -1};
  const auto pass = [&] {
    sampler.sample(first, per_pass, samples);
    first += per_pass;  // new trajectories each time
    long long lcps = 0;
    for (std::size_t row = 0; row < samples.size(); ++row) {
      lcps += samples.lcp_count[row] + samples.final_step[row];
      const Status status = samples.status[row];
      figures.reported += status != Status::separated && status != Status::step_limit ? 1 : 0;
    }
    figures.lcps += lcps;
    return lcps;
  };
  pass();
  figures.nanoseconds = time_passes(pass);
  return figures;
}

}  // namespace

}  // namespace carom::peers

int main(int argc, char** argv) {
  using namespace carom::peers;
  const int ending = run_round(
      argc, argv,
      {{"Carom Lemke", [](const LcpSet& set) { return std::make_unique<CaromStep>(set); }}});
  if (ending != 0) return ending;
  try {
    for (const PeerProblem& problem : problems()) {
      carom::SamplingOptions first = problem.sampling;
      first.set_valued().solutions = carom::Solutions::first;
      print(measure_sampler(problem, "Carom sampler", first));
      constexpr int most_contacts = 5;  // of more, there are too many modes for a table
      if (problem.problem.contacts() > most_contacts) continue;
      carom::SamplingOptions table = problem.sampling;
      table.set_valued().solutions = carom::Solutions::table;
      print(measure_sampler(problem, "Carom table", table));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
  return 0;
}
