#include "carom/solutions.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>

#include "host/modes/solution_finder.hpp"
#include "host/problem/step_check.hpp"
#include "host/problem/step_lcp.hpp"
#include "kernels/modes/mode_enumeration.hpp"
#include "kernels/step/capacity.hpp"
#include "kernels/step/contact_step.hpp"

namespace carom {
namespace {

/// Collects the answers of one step.
class Collector {
 public:
  Collector(const ImpactProblem& problem, const Eigen::VectorXd& velocity, const ModeTable& table,
            const StepLcpView& view, double merge_distance)
      : problem_(problem), velocity_(velocity), table_(table), view_(view) {
    answers_.merge_tolerance = merge_distance;
  }

  void add_solution(int mode, const double* impulse, const double* speed, double residual) {
    const Eigen::Map<const Eigen::VectorXd> its_speed(speed, view_.shape.impulses());
    const std::string digits = table_.digits(table_.view().mode_number[mode]);
    for (std::size_t i = 0; i < speeds_.size(); ++i) {
      if ((speeds_[i] - its_speed).cwiseAbs().maxCoeff() > answers_.merge_tolerance) continue;
      answers_.answers[i].modes.push_back(digits);
      return;
    }
    speeds_.emplace_back(its_speed);
    answers_.answers.push_back(answer(impulse, residual));
    answers_.answers.back().modes.push_back(digits);
  }

  void add_segment(const double* impulse, const double* direction, double low, double high) {
    const Eigen::Index size = view_.shape.impulses();
    const Eigen::Map<const Eigen::VectorXd> base(impulse, size);
    const Eigen::Map<const Eigen::VectorXd> along(direction, size);
    const Eigen::VectorXd one = base + low * along;
    const Eigen::VectorXd other = base + high * along;
    Segment segment{answer(one.data(), 0.0).velocity, answer(other.data(), 0.0).velocity};
    const auto same = [&](const Segment& known) {
      return (near(known.first, segment.first) && near(known.second, segment.second)) ||
             (near(known.first, segment.second) && near(known.second, segment.first));
    };
    if (std::none_of(answers_.segments.begin(), answers_.segments.end(), same)) {
      answers_.segments.push_back(std::move(segment));
    }
  }

  StepAnswers take() {
    for (StepAnswer& answer : answers_.answers) {
      for (const Segment& segment : answers_.segments) {
        answer.on_continuum |= near(answer.velocity, segment.first);
        answer.on_continuum |= near(answer.velocity, segment.second);
      }
    }
    return std::move(answers_);
  }

 private:
  using Segment = std::pair<Eigen::VectorXd, Eigen::VectorXd>;

  bool near(const Eigen::VectorXd& one, const Eigen::VectorXd& other) const {
    const Eigen::VectorXd difference = one - other;
    const double normal = (problem_.normal_jacobian * difference).cwiseAbs().maxCoeff();
    const double tangential = (problem_.tangent_jacobian * difference).cwiseAbs().maxCoeff();
    return std::max(normal, tangential) <= answers_.merge_tolerance;
  }

  StepAnswer answer(const double* impulse, double residual) const {
    const ProblemShape& shape = view_.shape;
    const int d = shape.tangent_dimension;
    const Eigen::VectorXd step =
        Eigen::Map<const Eigen::VectorXd>(impulse, shape.impulses()) / view_.impulse_unit();
    StepAnswer answer;
    answer.velocity = velocity_;
    answer.normal_impulse.resize(shape.contacts);
    answer.tangential_impulse.resize(shape.tangents());
    for (int i = 0; i < shape.contacts; ++i) {
      answer.normal_impulse(i) = step(i * (1 + d));
      answer.tangential_impulse.segment(i * d, d) = step.segment(i * (1 + d) + 1, d);
    }
    apply_impulse(view_, impulse, answer.velocity.data());
    answer.energy = kinetic_energy(problem_, answer.velocity);
    answer.residual = residual;
    return answer;
  }

  const ImpactProblem& problem_;
  const Eigen::VectorXd& velocity_;
  const ModeTable& table_;
  StepLcpView view_;
  std::vector<Eigen::VectorXd> speeds_;
  StepAnswers answers_;
};

}  // namespace

SolutionFinder::SolutionFinder(const ImpactProblem& problem, bool capped)
    : problem_(problem),
      capped_(capped),
      table_(problem, capped),
      data_(flatten(problem, 1.0, 1.0)),
      normal_admittance_((problem.normal_jacobian *
                          problem.mass_matrix.llt().solve(problem.normal_jacobian.transpose()))
                             .diagonal()) {}

StepAnswers SolutionFinder::find(const Eigen::VectorXd& velocity,
                                 const Eigen::VectorXd& given_cap) const {
  check_velocity(problem_, velocity);
  Eigen::VectorXd cap = given_cap;
  if (!capped_) {
    // A cap that no solution reaches; with it, the step's residual check also works here.
    constexpr double beyond = 1e6;  // times the stopping impulse; enough for friction 1e5
    const double speed =
        std::sqrt(2.0 * kinetic_energy(problem_, velocity) * normal_admittance_.maxCoeff());
    cap = Eigen::VectorXd::Constant(problem_.contacts(),
                                    beyond * speed / normal_admittance_.minCoeff());
  }
  check_step(problem_, velocity, cap);
  const StepLcpView view{shape_of(problem_), data_.data()};
  StepAnswers answers;
  with_capacity(view.shape, [&]<class Size>(Size) {
    std::array<double, Size::impulses> before;
    std::array<double, Size::contacts> cap_speed;
    contact_speeds(view, velocity.data(), before.data());
    for (int i = 0; i < view.shape.contacts; ++i) {
      cap_speed[static_cast<std::size_t>(i)] = cap(i) * view.impulse_unit();
    }
    const ContactStep<Size> step(view, before.data(), cap_speed.data());
    const ModeEnumeration<Size> enumeration(view, table_.view(), step);
    Collector collector(problem_, velocity, table_, view, enumeration.merge_distance());
    enumeration.for_each_solution(
        [&](int mode, const double* impulse, const double* speed, double residual) {
          collector.add_solution(mode, impulse, speed, residual);
        });
    enumeration.for_each_segment(
        [&](int, const double* impulse, const double* direction, double low, double high) {
          collector.add_segment(impulse, direction, low, high);
        });
    answers = collector.take();
  });
  return answers;
}

StepAnswers all_step_solutions(const ImpactProblem& given, const Eigen::VectorXd& velocity,
                               const Eigen::VectorXd& normal_impulse_cap) {
  const ImpactProblem problem = validated(given);
  constexpr bool capped = true;
  return SolutionFinder(problem, capped).find(velocity, normal_impulse_cap);
}

StepAnswers simultaneous_solutions(const ImpactProblem& given, const Eigen::VectorXd& velocity) {
  const ImpactProblem problem = validated(given);
  constexpr bool capped = false;
  return SolutionFinder(problem, capped).find(velocity);
}

}  // namespace carom
