#include "host/coupling/flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#include <cmath>
#include <utility>

#include "carom/error.hpp"
#include "host/coupling/differences.hpp"

namespace carom {
namespace {

constexpr double same_instant = 1e-9;  // s: nearer impacts are at once
constexpr double step_error = 1e-12;   // of a step, of the state's entries or 1
constexpr double graze = 1e-6;         // of the speed that all kinetic energy would give
constexpr double shortest = 1e-12;     // s, of a step

using Numbers = std::vector<double>;
using Method = boost::numeric::odeint::runge_kutta_fehlberg78<Numbers>;

Numbers numbers_of(const FlowState& now) {
  Numbers all(now.state.begin(), now.state.end());
  all.insert(all.end(), now.derivative.data(), now.derivative.data() + now.derivative.size());
  return all;
}

/// The largest error of an entry, relative to its size or 1.
double relative_error(const Eigen::VectorXd& errors, const Eigen::VectorXd& values) {
  return (errors.array().abs() / values.array().abs().max(1.0)).maxCoeff();
}

/// How much longer the next step may be: the error is of eighth order.
double next_factor(double error, double tolerance = step_error) {
  if (!std::isfinite(error)) return 0.1;
  return std::clamp(0.9 * std::pow(tolerance / std::max(error, 1e-300), 0.125), 0.1, 4.0);
}

/// One step of the state, or of state and derivative, in a mode.
class Stepper {
 public:
  Stepper(const Mechanics& mechanics, const FlowState& from) : mechanics_(mechanics), from_(from) {}

  Eigen::VectorXd state_after(double step, double* error = nullptr) const {
    Numbers state(from_.state.begin(), from_.state.end());
    Numbers errors(state.size());
    const auto field = [&](const Numbers& x, Numbers& slope, double) {
      const Eigen::VectorXd found = mechanics_.field(from_.closed, vector_of(x));
      std::ranges::copy(found, slope.begin());
    };
    Method().do_step(field, state, 0.0, step, errors);
    const Eigen::VectorXd after = vector_of(state);
    if (error != nullptr) *error = relative_error(vector_of(errors), after);
    return after;
  }

  FlowState after(double step) const {
    const Eigen::Index n = from_.state.size();
    Numbers all = numbers_of(from_);
    const auto field = [&](const Numbers& x, Numbers& slope, double) {
      const Eigen::VectorXd state = Eigen::Map<const Eigen::VectorXd>(x.data(), n);
      const auto own = [&](const Eigen::VectorXd& at) {
        return mechanics_.field(from_.closed, at);
      };
      Eigen::Map<Eigen::VectorXd>(slope.data(), n) = own(state);
      Eigen::Map<Eigen::MatrixXd>(slope.data() + n, n, n) =
          jacobian_of(own, state, mechanics_.scales(from_.closed, state)) *
          Eigen::Map<const Eigen::MatrixXd>(x.data() + n, n, n);
    };
    // Differences of differences over short lengths leave rounding that no shorter step takes away.
    const double finest = mechanics_.scales(from_.closed, from_.state).minCoeff();
    const double tolerance = step_error / std::min(1.0, finest * finest);
    // The derivative has its own steps: in free fall it swings where the state does not.
    double done = 0.0, next = step;
    while (done < step) {
      next = std::min(next, step - done);
      Numbers tried = all, errors(all.size());
      Method().do_step(field, tried, 0.0, next, errors);
      const double error = relative_error(vector_of(errors), vector_of(tried));
      if (error <= tolerance || next <= shortest) {
        done = next < step - done ? done + next : step;
        all = std::move(tried);
      }
      const double factor = next_factor(error, tolerance);
      next *= error <= tolerance ? factor : std::min(factor, 0.9);
    }
    return {from_.time + step, from_.closed, Eigen::Map<Eigen::VectorXd>(all.data(), n),
            Eigen::Map<Eigen::MatrixXd>(all.data() + n, n, n)};
  }

 private:
  static Eigen::VectorXd vector_of(const Numbers& x) {
    return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
  }
  const Mechanics& mechanics_;
  const FlowState& from_;
};

/// A root of a function that falls or rises from `low` to `high` through 0.
template <class Function>
double root_of(const Function& function, double low, double high) {
  const double at_low = function(low), at_high = function(high);
  if (!(at_low * at_high < 0.0)) return std::abs(at_low) < std::abs(at_high) ? low : high;
  std::uintmax_t most = 200;
  const auto [a, b] = boost::math::tools::toms748_solve(
      function, low, high, at_low, at_high, boost::math::tools::eps_tolerance<double>(52), most);
  return std::abs(function(a)) < std::abs(function(b)) ? a : b;
}

[[noreturn]] void refuse_graze(const Mechanics& mechanics, int contact, double time, double speed) {
  throw InputError(fmt::format(
      "contact {} grazes at {:.6g} s: it approaches at {:.3g} m/s (must be faster: there is no "
      "derivative at a graze)",
      mechanics.name(contact), time, std::abs(speed)));
}

[[noreturn]] void refuse_end(double end) {
  throw InputError(fmt::format(
      "the end, {:.17g} s, is an impact (must be before or after it: there is no derivative)",
      end));
}

/// Gaps and speeds of all contacts at a time of a step.
struct Sample {
  double time;
  Eigen::VectorXd gaps, speeds;
};

/// When in this part of a step a contact touches, if it does. A hop up and down is one, too.
std::optional<double> touchdown(const Mechanics& mechanics, const Stepper& stepper,
                                const FlowState& now, int contact, const Sample& low,
                                const Sample& high) {
  const auto gap = [&](double t) { return mechanics.gaps(stepper.state_after(t))(contact); };
  const auto speed = [&](double t) { return mechanics.speeds(stepper.state_after(t))(contact); };
  constexpr double touching = 1e-9;  // m
  double start = low.time, before = low.speeds(contact), gap_before = low.gaps(contact);
  if (gap_before <= touching &&
      std::abs(before) <= graze * mechanics.possible_speeds(now.state)(contact)) {
    // The speed of a contact that has just been let go is rounding, which does not tell its way.
    constexpr double soon = 1e-3;
    start += soon * (high.time - low.time);
    before = speed(start);
    gap_before = gap(start);
  }
  const double after = high.speeds(contact);
  double from = start;
  if (before > 0.0 && after < 0.0) from = root_of(speed, start, high.time);  // the top of a hop
  if (high.gaps(contact) < 0.0) {
    if (from > start || gap_before > 0.0) return root_of(gap, from, high.time);
    return before < 0.0 ? std::optional(start) : std::nullopt;
  }
  if (before < 0.0 && after > 0.0) {  // down and up: does it touch?
    const double lowest = root_of(speed, start, high.time);
    const double depth = gap(lowest);
    if (depth < -touching) return root_of(gap, start, lowest);
    if (depth <= touching) refuse_graze(mechanics, contact, now.time + lowest, 0.0);
  }
  return std::nullopt;
}

constexpr double of_scale = 0.125;     // over so much of its scale, a gap turns once at most
constexpr double most_parts = 1000.0;  // of a step

/// A time in which a gap turns once at most, s.
double turning_time(const Mechanics& mechanics, const Eigen::VectorXd& state) {
  return of_scale * mechanics.bending_time(mechanics.all(), state);
}

/// The same from a standstill on, too, where the acceleration tells how fast the motion becomes.
double starting_time(const Mechanics& mechanics, const FlowState& now) {
  const Eigen::VectorXd slope = mechanics.field(now.closed, now.state);
  const Eigen::Index n = mechanics.coordinates();
  const Eigen::ArrayXd scale = mechanics.scales(mechanics.all(), now.state).head(n).array();
  const Eigen::ArrayXd speed =
      slope.head(n).array().abs() + (scale * slope.tail(n).array().abs()).sqrt();
  return of_scale * (scale / speed).minCoeff();
}

/// What ends a step.
enum class Event { none, touch, pull };

/// The first event of a step of this length, and when.
std::pair<Event, double> first_event(const Mechanics& mechanics, const Stepper& stepper,
                                     const FlowState& now, double step) {
  const auto sample = [&](double time) {
    const Eigen::VectorXd state = stepper.state_after(time);
    return Sample{time, mechanics.gaps(state), mechanics.speeds(state)};
  };
  const auto least = [&](double time) {
    return mechanics.forces(now.closed, stepper.state_after(time)).minCoeff();
  };
  const double turning = std::min(turning_time(mechanics, now.state),
                                  turning_time(mechanics, stepper.state_after(step)));
  const double parts = std::ceil(std::clamp(step / turning, 1.0, most_parts));
  Sample low = sample(0.0);
  for (double k = 1.0; k <= parts; ++k) {
    Sample high = sample(k == parts ? step : step * (k / parts));
    std::pair<Event, double> found = {Event::none, high.time};
    for (int i = 0; i < mechanics.contacts(); ++i) {
      if (std::ranges::binary_search(now.closed, i)) continue;
      const auto time = touchdown(mechanics, stepper, now, i, low, high);
      if (time && *time <= found.second) found = {Event::touch, *time};
    }
    if (!now.closed.empty() && least(found.second) < 0.0) {
      found = {Event::pull, root_of(least, low.time, found.second)};
    }
    if (found.first != Event::none) return found;
    low = std::move(high);
  }
  return {Event::none, step};
}

}  // namespace

Contacts closing(const Mechanics& mechanics, const FlowState& now) {
  const Eigen::VectorXd gaps = mechanics.gaps(now.state), speeds = mechanics.speeds(now.state);
  const Eigen::VectorXd possible = mechanics.possible_speeds(now.state);
  Contacts found;
  for (int i = 0; i < mechanics.contacts(); ++i) {
    if (std::ranges::binary_search(now.closed, i)) continue;
    const double floor = graze * possible(i);
    if (gaps(i) > same_instant * std::max(std::abs(speeds(i)), floor)) continue;
    if (speeds(i) >= floor) continue;
    if (speeds(i) > -floor) {
      // Contacts that have just come to rest without being closed are pressed by none.
      if (speeds(i) >= -1e-12 * possible(i)) continue;
      refuse_graze(mechanics, i, now.time, speeds(i));
    }
    found.push_back(i);
  }
  return found;
}

std::optional<Contacts> flow(const Mechanics& mechanics, FlowState& now, double end) {
  mechanics.release(now.closed, now.state);
  // Steps far from the end do not depend on it, as what comes before it does not.
  constexpr double usual_parts = 64.0;
  double next_step = starting_time(mechanics, now);
  while (now.time < end) {
    next_step = std::min(next_step, usual_parts * turning_time(mechanics, now.state));
    const double step = std::min(next_step, end - now.time);
    const Stepper stepper(mechanics, now);
    double error = 0.0;
    const Eigen::VectorXd tried = stepper.state_after(step, &error);
    if (!(error <= step_error)) {
      if (!(step > shortest)) {
        throw InputError(fmt::format(
            "the motion cannot be followed beyond {:.6g} s: its forces are not smooth", now.time));
      }
      next_step = step * std::min(next_factor(error), 0.9);
      continue;
    }
    const auto [event, time] = first_event(mechanics, stepper, now, step);
    FlowState next = stepper.after(time);
    mechanics.require_smooth(next.closed, now.state, next.state, next.time);
    now = std::move(next);
    if (event == Event::pull) {
      Eigen::Index which = 0;
      mechanics.forces(now.closed, now.state).minCoeff(&which);
      now.closed.erase(now.closed.begin() + which);
      mechanics.release(now.closed, now.state);
      continue;
    }
    if (event == Event::touch) {
      Contacts contacts = closing(mechanics, now);
      if (std::abs(end - now.time) <= same_instant) refuse_end(end);
      if (!contacts.empty()) return contacts;
    }
    next_step *= next_factor(error);
  }
  if (!closing(mechanics, now).empty()) refuse_end(end);
  return std::nullopt;
}

}  // namespace carom
