#include "carom/derivative.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "carom/error.hpp"
#include "host/coupling/flow.hpp"
#include "host/laws/propagative/reflections.hpp"

namespace carom {
namespace {

constexpr int most_at_once = 6;  // contacts
constexpr std::size_t most_orders = 1'000;
constexpr int most_impacts = 1'000;   // of a motion: bounces without end
constexpr int most_in_order = 1'000;  // at one instant
constexpr double same_state = 1e-9;
constexpr double same_derivative = 1e-7;  // central differences and their quotients

/// Impacts at one instant, one after the other.
class Word {
 public:
  Word(const Mechanics& mechanics, const FlowState& at) : mechanics_(mechanics), now_(at) {
    now_.derivative.setIdentity(at.state.size(), at.state.size());
  }

  Contacts closing() const { return carom::closing(mechanics_, now_); }

  void take(int contact) {
    if (order_.size() == most_in_order) {
      throw InputError(fmt::format("at {:.6g} s contacts bounce without end", now_.time));
    }
    const Mechanics::Impact impact = mechanics_.impact(now_.closed, contact, now_.state);
    now_.derivative =
        mechanics_.saltation(now_.closed, contact, now_.state, impact) * now_.derivative;
    now_.state = impact.state;
    now_.closed = impact.closed;
    order_.push_back(contact);
  }

  const FlowState& state() const { return now_; }
  ImpactOrder result() const {
    return {order_, now_.state.tail(mechanics_.coordinates()), now_.closed, now_.derivative};
  }

 private:
  const Mechanics& mechanics_;
  FlowState now_;
  std::vector<int> order_;
};

/// Appends the impacts that follow a word, in each order: any contact that approaches can be next,
/// those among them that an impact has driven to approach.
/// @return false if there are more orders than are followed
bool follow_orders(const Word& word, std::vector<ImpactOrder>& orders) {
  const Contacts closing = word.closing();
  if (closing.empty()) {
    orders.push_back(word.result());
    return true;
  }
  for (const int contact : closing) {
    if (orders.size() == most_orders) return false;
    Word next = word;
    next.take(contact);
    if (!follow_orders(next, orders)) return false;
  }
  return true;
}

ImpactInMotion examine(const Mechanics& mechanics, const FlowState& at, const Contacts& contacts) {
  if (contacts.size() > most_at_once) {
    throw InputError(fmt::format("{} contacts close at once at {:.6g} s (must be at most {})",
                                 contacts.size(), at.time, most_at_once));
  }
  mechanics.require_smooth(contacts, at.state, at.state, at.time);
  ImpactInMotion found{.time = at.time, .contacts = contacts};
  found.slowest = mechanics.speeds(at.state)(contacts).cwiseAbs().minCoeff();
  found.all_orders = follow_orders(Word(mechanics, at), found.orders);
  found.differentiable = found.all_orders;
  const double scale = std::max(1.0, at.state.cwiseAbs().maxCoeff());
  const ImpactOrder& first = found.orders.front();
  const double size = std::max(1.0, first.saltation.cwiseAbs().maxCoeff());
  for (const ImpactOrder& other : found.orders) {
    if ((first.velocity - other.velocity).cwiseAbs().maxCoeff() > same_state * scale ||
        first.closed != other.closed) {
      found.continuous = found.differentiable = false;
    }
    if ((first.saltation - other.saltation).cwiseAbs().maxCoeff() > same_derivative * size) {
      found.differentiable = false;
    }
  }
  return found;
}

/// The impacts in the order in which a small disturbance brings them.
Word disturbed(const Mechanics& mechanics, const Motion& motion, const FlowState& at,
               const Eigen::VectorXd& disturbance) {
  Word word(mechanics, at);
  for (Contacts left = word.closing(); !left.empty(); left = word.closing()) {
    const Eigen::VectorXd moved = word.state().derivative * disturbance;
    const Eigen::VectorXd change = motion.gap_jacobian(at.state.head(mechanics.coordinates())) *
                                   moved.head(mechanics.coordinates());
    const Eigen::VectorXd speeds = mechanics.speeds(word.state().state);
    std::vector<std::pair<double, int>> times;
    for (const int i : left) times.emplace_back(-change(i) / speeds(i), i);
    std::ranges::sort(times);
    const double scale = moved.cwiseAbs().maxCoeff() / speeds.cwiseAbs().maxCoeff();
    if (times.size() > 1 && times[1].first - times[0].first <= 1e-9 * scale) {
      throw InputError(fmt::format(
          "direction brings contacts {} and {} at once at {:.6g} s (must tell which is first: the "
          "outcome depends on it)",
          mechanics.name(times[0].second), mechanics.name(times[1].second), at.time));
    }
    word.take(times.front().second);
  }
  return word;
}

/// @throws InputError if a contact is inside without having closed: then its rate is not that of
/// its gap
void require_gaps(const Mechanics& mechanics, const FlowState& now) {
  constexpr double rounding = 1e-6;
  const Eigen::VectorXd gaps = mechanics.gaps(now.state);
  const double size = std::max(1.0, now.state.head(mechanics.coordinates()).cwiseAbs().maxCoeff());
  for (int i = 0; i < mechanics.contacts(); ++i) {
    if (gaps(i) >= -rounding * size || std::ranges::binary_search(now.closed, i)) continue;
    throw InputError(fmt::format(
        "contact {} has the gap {:.3g} m at {:.6g} s without having closed (gap_jacobian must be "
        "the derivative of gaps)",
        mechanics.name(i), gaps(i), now.time));
  }
}

struct Side {
  SidedOutcome outcome;
  Eigen::MatrixXd derivative;
  bool continuous = true, differentiable = true;
};

Side follow(const Mechanics& mechanics, const Motion& motion, FlowState now, double end,
            const Eigen::VectorXd& direction) {
  Side side;
  while (const auto contacts = flow(mechanics, now, end)) {
    require_gaps(mechanics, now);
    if (side.outcome.impacts.size() == most_impacts) {
      throw InputError(
          fmt::format("more than {} impacts before {:.6g} s: contacts bounce without end",
                      most_impacts, now.time));
    }
    const ImpactInMotion found = examine(mechanics, now, *contacts);
    const ImpactOrder taken =
        found.differentiable
            ? found.orders.front()
            : disturbed(mechanics, motion, now, now.derivative * direction).result();
    side.continuous = side.continuous && found.continuous;
    side.differentiable = side.differentiable && found.differentiable;
    side.outcome.impacts.push_back(found);
    now.state.tail(mechanics.coordinates()) = taken.velocity;
    now.closed = taken.closed;
    now.derivative = taken.saltation * now.derivative;
  }
  require_gaps(mechanics, now);
  side.outcome.state = now.state;
  side.outcome.slope = now.derivative * direction;
  side.derivative = now.derivative;
  return side;
}

/// Contacts that are closed at the start.
Contacts resting(const Mechanics& mechanics, const Eigen::VectorXd& start) {
  constexpr double noise = 1e-12;
  const Eigen::VectorXd gaps = mechanics.gaps(start), speeds = mechanics.speeds(start);
  const Eigen::VectorXd possible = mechanics.possible_speeds(start);
  Contacts closed;
  for (int i = 0; i < mechanics.contacts(); ++i) {
    if (std::abs(gaps(i)) <= noise && std::abs(speeds(i)) <= noise * possible(i))
      closed.push_back(i);
    if (gaps(i) < -noise) {
      throw InputError(fmt::format("contact {} has the gap {:.3g} m at the start (must be >= 0)",
                                   mechanics.name(i), gaps(i)));
    }
  }
  return closed;
}

/// Those of the contacts whose gaps, or rates of gaps, a direction changes.
Contacts not_kept(const Motion& motion, const Contacts& closed, const Eigen::VectorXd& start,
                  const Eigen::VectorXd& direction) {
  constexpr double rounding = 1e-6;  // of a difference quotient, too
  constexpr double shift = 1e-5;     // m or rad
  const Eigen::Index n = start.size() / 2;
  const Eigen::VectorXd position = start.head(n), velocity = start.tail(n);
  const Eigen::VectorXd moved = direction.head(n), sped = direction.tail(n);
  const Eigen::MatrixXd rows = motion.gap_jacobian(position);
  const double length = moved.cwiseAbs().maxCoeff();
  const Eigen::VectorXd step = length > 0.0 ? Eigen::VectorXd(shift / length * moved) : moved;
  const Eigen::MatrixXd turned =
      motion.gap_jacobian(position + step) - motion.gap_jacobian(position - step);
  const Eigen::VectorXd opens = rows * moved;
  const Eigen::VectorXd opens_later = rows * sped + length / (2.0 * shift) * (turned * velocity);
  const Eigen::MatrixXd sizes = rows.cwiseAbs();
  const Eigen::VectorXd size = sizes * moved.cwiseAbs();
  const Eigen::VectorXd size_later = sizes * (sped.cwiseAbs() + length * velocity.cwiseAbs());
  Contacts changed;
  std::ranges::copy_if(closed, std::back_inserter(changed), [&](int i) {
    return std::abs(opens(i)) > rounding * size(i) ||
           std::abs(opens_later(i)) > rounding * size_later(i);
  });
  return changed;
}

FlowState state_at_start(const Mechanics& mechanics, const Eigen::VectorXd& start) {
  const Contacts closed = resting(mechanics, start);
  for (const int i : closed) {
    if (mechanics.restitution(i) == 0.0) continue;
    throw InputError(fmt::format(
        "contact {} rests and has restitution {} (must be 0: only plastic contacts stay closed)",
        mechanics.name(i), mechanics.restitution(i)));
  }
  if (!closed.empty()) mechanics.push_of(closed, start.head(mechanics.coordinates()));
  return {0.0, closed, start, Eigen::MatrixXd::Identity(start.size(), start.size())};
}

}  // namespace

OutcomeDerivative derivative(const Motion& motion, const Eigen::VectorXd& start, double end,
                             const Eigen::VectorXd& direction) {
  const Mechanics mechanics(motion, start);
  if (!(end > 0.0) || !std::isfinite(end)) {
    throw InputError(fmt::format("end is {} (must be positive, s)", end));
  }
  if (direction.size() != start.size()) {
    throw InputError(fmt::format("direction has {} numbers (must have {}, as the start)",
                                 direction.size(), start.size()));
  }
  if (!direction.allFinite() || direction.isZero(0.0)) {
    throw InputError(fmt::format("direction is {} (must not be)",
                                 direction.isZero(0.0) ? "all 0" : "not finite"));
  }
  const FlowState first = state_at_start(mechanics, start);
  Side right = follow(mechanics, motion, first, end, direction);
  OutcomeDerivative found;
  found.not_kept = not_kept(motion, first.closed, start, direction);
  found.continuous = right.continuous;
  found.differentiable = right.differentiable;
  found.left = right.outcome;
  if (right.differentiable) {
    found.derivative = std::move(right.derivative);
  } else {
    const Side left = follow(mechanics, motion, first, end, -direction);
    found.continuous = found.continuous && left.continuous;
    found.left = left.outcome;
    found.left.slope = -left.outcome.slope;
  }
  found.right = std::move(right.outcome);
  return found;
}

ImpactInMotion derivative(const ImpactProblem& given) {
  const ImpactProblem problem = validated(given);
  require_no_friction(problem, "a derivative");
  const Eigen::Index n = problem.velocities();
  Motion motion{
      .mass = [&](const Eigen::VectorXd&) { return problem.mass_matrix; },
      .gaps =
          [&](const Eigen::VectorXd& q) { return Eigen::VectorXd(problem.normal_jacobian * q); },
      .gap_jacobian = [&](const Eigen::VectorXd&) { return problem.normal_jacobian; },
      .force = [n](const Eigen::VectorXd&,
                   const Eigen::VectorXd&) { return Eigen::VectorXd(Eigen::VectorXd::Zero(n)); },
      .restitution = problem.restitution,
      .contact_names = problem.contact_names};
  Eigen::VectorXd start(2 * n);
  start << Eigen::VectorXd::Zero(n), problem.pre_impact_velocity;
  const Mechanics mechanics(motion, start);
  const FlowState now = state_at_start(mechanics, start);
  const Contacts contacts = closing(mechanics, now);
  if (contacts.empty()) {
    throw InputError("no contact approaches (must be one, for an impact to differentiate)");
  }
  return examine(mechanics, now, contacts);
}

}  // namespace carom
