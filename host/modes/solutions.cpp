#include "carom/solutions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>

#include "host/modes/searched_pieces.hpp"
#include "host/modes/solution_finder.hpp"
#include "host/problem/decompositions.hpp"
#include "host/problem/step_check.hpp"
#include "host/problem/step_lcp.hpp"
#include "kernels/modes/mode_enumeration.hpp"
#include "kernels/signs/solution_pieces.hpp"
#include "kernels/step/capacity.hpp"
#include "kernels/step/contact_step.hpp"

namespace carom {
namespace {

/// Collects the answers of one step.
class Collector {
 public:
  Collector(const ImpactProblem& problem, const Eigen::VectorXd& velocity, const StepLcpView& view,
            double merge_distance)
      : problem_(problem), velocity_(velocity), view_(view) {
    answers_.merge_tolerance = merge_distance;
  }

  void add_solution(const std::string& digits, const double* impulse, const double* speed,
                    double residual) {
    const Eigen::Map<const Eigen::VectorXd> its_speed(speed, view_.shape.impulses());
    for (std::size_t i = 0; i < speeds_.size(); ++i) {
      if ((speeds_[i] - its_speed).cwiseAbs().maxCoeff() > answers_.merge_tolerance) continue;
      std::vector<std::string>& modes = answers_.answers[i].modes;
      if (std::find(modes.begin(), modes.end(), digits) == modes.end()) modes.push_back(digits);
      // As in SolutionComponents, which the sampler has.
      StepAnswer& known = answers_.answers[i];
      if (known.residual > refinement_threshold && residual < known.residual) {
        StepAnswer better = answer(impulse, residual);
        better.modes = std::move(modes);
        std::swap(better.modes.front(), *std::ranges::find(better.modes, digits));
        known = std::move(better);
        speeds_[i] = its_speed;
      }
      return;
    }
    speeds_.emplace_back(its_speed);
    answers_.answers.push_back(answer(impulse, residual));
    answers_.answers.back().modes.push_back(digits);
  }

  /// @param one, other impulses of the ends, as speeds
  void add_segment(const double* one, const double* other) {
    Segment segment{answer(one, 0.0).velocity, answer(other, 0.0).velocity};
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

  /// The number of components, if segments touch each other and answers only with their ends.
  std::size_t count_components(const StepAnswers& answers) const {
    std::vector<Segment> pieces = answers.segments;
    for (const StepAnswer& answer : answers.answers) {
      pieces.emplace_back(answer.velocity, answer.velocity);
    }
    std::vector<std::size_t> component(pieces.size());
    std::iota(component.begin(), component.end(), std::size_t{0});
    std::size_t components = pieces.size();
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (component[i] == component[j] || !touch(pieces[i], pieces[j])) continue;
        std::replace(component.begin(), component.end(), std::size_t{component[i]},
                     std::size_t{component[j]});
        --components;
      }
    }
    return components;
  }

 private:
  using Segment = std::pair<Eigen::VectorXd, Eigen::VectorXd>;

  bool near(const Eigen::VectorXd& one, const Eigen::VectorXd& other) const {
    const Eigen::VectorXd difference = one - other;
    const double normal = (problem_.normal_jacobian * difference).cwiseAbs().maxCoeff();
    const double tangential = (problem_.tangent_jacobian * difference).cwiseAbs().maxCoeff();
    return std::max(normal, tangential) <= answers_.merge_tolerance;
  }

  bool touch(const Segment& one, const Segment& other) const {
    return near(one.first, other.first) || near(one.first, other.second) ||
           near(one.second, other.first) || near(one.second, other.second);
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
  StepLcpView view_;
  std::vector<Eigen::VectorXd> speeds_;
  StepAnswers answers_;
};

/// The state of a contact in a piece.
template <class Box, class Piece>
ContactState contact_state(const StepLcpView& view, const Box& box, const Piece& piece, int place) {
  const int normal = box.first[place];
  const int frictions = box.first[place + 1] - normal - 1;
  ContactState state;
  if (piece.sign[normal] == plus) return state;
  state.normal = piece.sign[normal] == zero ? ContactState::below_cap : ContactState::at_cap;
  if (frictions == 0) return state;
  // The friction of the sliding parts, and how many parts stick.
  std::vector<double> x(static_cast<std::size_t>(box.coordinates()), 0.0);
  std::vector<double> impulse(static_cast<std::size_t>(view.shape.impulses()));
  int sticking = 0;
  for (int c = normal + 1; c < box.first[place + 1]; ++c) {
    sticking += piece.sign[c] == zero ? 1 : 0;
    const double side = piece.sign[c] == plus ? -1.0 : (piece.sign[c] == minus ? 1.0 : 0.0);
    x[static_cast<std::size_t>(c)] = side * box.friction[c];
  }
  box.impulses_of(x.data(), impulse.data());
  if (sticking > 1 || sticking == frictions) {
    state.friction = ContactState::stick;
    return state;
  }
  state.friction = sticking == 0 ? ContactState::vertex : ContactState::edge;
  const int d = view.shape.tangent_dimension;
  const int k = view.shape.friction_directions;
  const double* its = &impulse[static_cast<std::size_t>(box.owner[place] * (1 + d) + 1)];
  double most = 0.0;
  for (int j = 0; j < k; ++j) {
    double along = 0.0;
    for (int a = 0; a < d; ++a) {
      along += view.directions()[j * d + a] * its[a];
      if (sticking == 1) along += view.directions()[(j + 1) % k * d + a] * its[a];
    }
    if (!(along > most)) continue;
    most = along;
    state.direction = static_cast<std::int16_t>(j);
  }
  return state;
}

/// The contact mode of a piece, as StepAnswer::modes.
template <class Box, class Piece>
std::string mode_of(const ImpactProblem& problem, const StepLcpView& view, const Box& box,
                    const Piece& piece) {
  std::vector<int> places(static_cast<std::size_t>(problem.contacts()), StatePlaces::none);
  for (int i = 0; i < box.contacts; ++i) {
    places[static_cast<std::size_t>(box.owner[i])] =
        place_of(problem, box.owner[i], contact_state(view, box, piece, i));
  }
  std::string digits;
  for (const int place : places) digits += place_digit(place);
  return digits;
}

/// Nodes of some ten seconds: up to 16 coordinates, a node takes 10 us; from there on, where
/// children are probed, a rigid body on 7 or 8 feet (21 or 24 coordinates) 0.2 ms.
int usual_nodes(const ProblemShape& shape) {
  constexpr int unprobed = 16;
  constexpr double coordinates = 24.0, nodes = 3e4;
  if (shape.coordinates() <= unprobed) return 1'000'000;
  return static_cast<int>(nodes * std::pow(coordinates / shape.coordinates(), 5));
}

}  // namespace

SolutionFinder::SolutionFinder(const ImpactProblem& problem, bool capped)
    : SolutionFinder(problem, capped, count_modes(problem) <= max_modes) {}

SolutionFinder::SolutionFinder(const ImpactProblem& problem, bool capped, bool by_modes)
    : problem_(problem),
      capped_(capped),
      data_(flatten(problem, 1.0, 1.0)),
      normal_admittance_((problem.normal_jacobian *
                          Cholesky(problem.mass_matrix).solve(problem.normal_jacobian.transpose()))
                             .diagonal()) {
  constexpr std::uint64_t once = 1;  // most often
  if (by_modes) table_.emplace(problem, capped, once);
}

StepAnswers SolutionFinder::enumerate(const StepLcpView& view, const Eigen::VectorXd& velocity,
                                      const ContactStep<LargestCapacity>& step) const {
  const ModeTableView table = table_->view();
  const ModeEnumeration<LargestCapacity> enumeration(view, table, step);
  Collector collector(problem_, velocity, view, step.merge_distance());
  enumeration.for_each_solution(
      [&](int mode, const double* impulse, const double* speed, double residual) {
        collector.add_solution(table_->digits(table.mode_number[mode]), impulse, speed, residual);
      });
  enumeration.for_each_segment(
      [&](int, const double* impulse, const double* direction, double low, double high) {
        const Eigen::Index size = view.shape.impulses();
        const Eigen::Map<const Eigen::VectorXd> base(impulse, size);
        const Eigen::Map<const Eigen::VectorXd> along(direction, size);
        const Eigen::VectorXd one = base + low * along;
        const Eigen::VectorXd other = base + high * along;
        collector.add_segment(one.data(), other.data());
      });
  StepAnswers answers = collector.take();
  answers.components = collector.count_components(answers);
  return answers;
}

StepAnswers SolutionFinder::search(const StepLcpView& view, const Eigen::VectorXd& velocity,
                                   const ContactStep<LargestCapacity>& step, int most_nodes) const {
  constexpr int max_coordinates = LargestCapacity::bounded_size / 2;
  constexpr int most_pieces = 1024;
  using Piece = SolutionPiece<max_coordinates>;
  const SearchedStep searched{.problem = view,
                              .before = step.input() + view.shape.contacts,
                              .cap = step.input(),
                              .summed = summed_speed(view, velocity.data()),
                              .tries_lines = true};
  const BoxForm<max_coordinates> box(view, searched.before, searched.cap, searched.summed);
  // Too large for the stack of a thread.
  const auto pieces =
      std::make_unique<SolutionPieces<LargestCapacity, max_coordinates, most_pieces>>(step, box);
  Collector collector(problem_, velocity, view, step.merge_distance());
  const SearchCounts report = search_pieces(box, searched, most_nodes, [&](const Piece& piece) {
    if (!pieces->add(piece)) return false;
    Eigen::MatrixXd impulse(view.shape.impulses(), piece.ends);
    Eigen::MatrixXd speed(view.shape.impulses(), piece.ends);
    Eigen::VectorXd residual(piece.ends);
    for (int end = 0; end < piece.ends; ++end) {
      box.impulses_of(piece.x[end], impulse.col(end).data());
      residual(end) = step.assess(impulse.col(end).data(), speed.col(end).data());
    }
    const std::string mode = mode_of(problem_, view, box, piece);
    for (int end = 0; end < piece.ends; ++end) {
      collector.add_solution(mode, impulse.col(end).data(), speed.col(end).data(), residual(end));
    }
    if (piece.ends == 2) collector.add_segment(impulse.col(0).data(), impulse.col(1).data());
    return true;
  });
  StepAnswers answers = collector.take();
  answers.components = static_cast<std::size_t>(pieces->join().components());
  answers.complete = report.complete && pieces->has_all();
  return answers;
}

StepAnswers SolutionFinder::find(const Eigen::VectorXd& velocity, const Eigen::VectorXd& given_cap,
                                 std::optional<int> most_nodes) const {
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
  std::array<double, LargestCapacity::impulses> before;
  std::array<double, LargestCapacity::contacts> cap_speed;
  contact_speeds(view, velocity.data(), before.data());
  for (int i = 0; i < view.shape.contacts; ++i) {
    cap_speed[static_cast<std::size_t>(i)] = cap(i) * view.impulse_unit();
  }
  const ContactStep<LargestCapacity> step(view, before.data(), cap_speed.data());
  if (table_) return enumerate(view, velocity, step);
  return search(view, velocity, step, most_nodes.value_or(usual_nodes(view.shape)));
}

StepAnswers all_step_solutions(const ImpactProblem& given, const Eigen::VectorXd& velocity,
                               const Eigen::VectorXd& normal_impulse_cap) {
  const ImpactProblem problem = validated(given);
  require_lcp_capacity(problem, "for the LCP of a step");
  constexpr bool capped = true;
  return SolutionFinder(problem, capped).find(velocity, normal_impulse_cap);
}

StepAnswers simultaneous_solutions(const ImpactProblem& given, const Eigen::VectorXd& velocity) {
  const ImpactProblem problem = validated(given);
  require_lcp_capacity(problem, "for the LCP of a step");
  constexpr bool capped = false;
  return SolutionFinder(problem, capped).find(velocity);
}

}  // namespace carom
