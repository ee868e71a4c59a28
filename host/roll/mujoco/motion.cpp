#include "host/roll/mujoco/motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "host/base/field_error.hpp"
#include "host/problem/mujoco/doubts.hpp"
#include "host/problem/mujoco/equalities.hpp"
#include "host/problem/mujoco/impact_problem.hpp"
#include "host/roll/first_impact_notes.hpp"
#include "kernels/rollout/contact_groups.hpp"

namespace carom::mujoco {

Motion::Motion(const Model& prototype, const MotionPlan& plan)
    : model_(prototype.functions(), prototype.model(), nullptr, prototype.file()), plan_(plan) {
  // A state that diverged is a failure, and no new start.
  model_.own_model().opt.disableflags |= mjDSBL_AUTORESET;
}

void Motion::operator()(std::uint64_t rollout, const State& start, const RolloutView& out) {
  constexpr double tolerance = 1e-9;  // of a step, by which the last one may be longer
  rollout_ = rollout;
  out_ = out;
  begin(start);
  double from = 0.0;
  for (std::size_t k = 0; k < plan_.times.size(); ++k) {
    begin_interval(k);
    const double until = plan_.times[k];
    const double count = std::ceil((until - from) / plan_.step - tolerance);
    model_.own_model().opt.timestep = count > 0.0 ? (until - from) / count : plan_.step;
    for (double i = 1.0; i <= count && is_open(); ++i) {
      take_step(i == count ? until : from + (until - from) * (i / count));
      note_extremes(k);
    }
    write_state(k);
    from = until;
  }
  write_end();
}

void Motion::begin(const State& start) {
  status_ = RolloutStatus::moving;
  state_ = start;
  time_ = end_time_ = 0.0;
  impacts_ = 0;
  MujocoOptions options = plan_.model;
  options.qpos = start.position;
  options.qvel = start.velocity;
  model_.set_state(options);
  find_contacts();
  for (const Contact& contact : contacts_) {
    if (contact.limit) continue;
    const double depth = -contact.gap - contact.margin;  // MuJoCo pushes geoms out of their margin
    if (depth <= plan_.model.distance) continue;
    throw FieldError(
        "start",
        fmt::format("rollout {} starts with \"{}\" {:.3g} m deep (must be at most distance, {} m)",
                    rollout_, geom_pair_name(model_, contact.geom, contact.other), depth,
                    plan_.model.distance));
  }
  *out_.first_time = plan_.times.back();
  for (int e = 0; e < plan_.shape.events; ++e) {
    out_.event_time[e] = -1.0;
    out_.event_energy[e] = 0.0;
    out_.event_contacts[e] = out_.event_modes[e] = 0;
  }
}

void Motion::find_contacts() {
  contacts_.clear();
  merged_ = append_contacts(model_, plan_.wanted, plan_.model, contacts_);
  speeds_.resize(static_cast<Eigen::Index>(contacts_.size()));
  const Eigen::Map<const Eigen::VectorXd> velocity(model_.data().qvel, plan_.shape.velocities);
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    speeds_(static_cast<Eigen::Index>(i)) =
        contacts_[i].frame.row(0) * (contacts_[i].motion * velocity);
  }
}

/// What flies has not come to rest, whatever limits its joints are at.
void Motion::note_speed() {
  const bool flies =
      std::ranges::all_of(contacts_, [](const Contact& its) { return its.limit.has_value(); });
  if (flies || speeds_.cwiseAbs().maxCoeff() > plan_.rest_speed) end_time_ = time_;
}

RolloutStatus Motion::trouble() const {
  const auto raised = [&](mjtWarning warning) { return model_.data().warning[warning].number > 0; };
  if (raised(mjWARN_CONTACTFULL) || raised(mjWARN_CNSTRFULL)) return RolloutStatus::too_many;
  const bool bad = raised(mjWARN_BADQPOS) || raised(mjWARN_BADQVEL) || raised(mjWARN_BADQACC) ||
                   raised(mjWARN_INERTIA);
  const mjData& data = model_.data();
  const bool finite =
      Eigen::Map<const Eigen::VectorXd>(data.qpos, plan_.shape.coordinates).allFinite() &&
      Eigen::Map<const Eigen::VectorXd>(data.qvel, plan_.shape.velocities).allFinite();
  return bad || !finite ? RolloutStatus::out_of_scale : RolloutStatus::moving;
}

void Motion::take_step(double end) {
  const Library& library = model_.functions();
  mjModel* const model = &model_.own_model();
  mjData* const data = &model_.own_data();
  model_.call_in_time("mj_collision", [&] {
    library.kinematics(model, data);
    library.centre_of_mass(model, data);
    if (plan_.needs_tendons()) library.tendon(model, data);
    library.collision(model, data);
  });
  find_contacts();
  note_speed();
  if (speeds_.size() > 0 && speeds_.minCoeff() < -plan_.impact_speed) take_impacts();
  if (!is_open()) return;
  model_.call_in_time("mj_step", [&] { library.step(model, data); });
  status_ = trouble();
  if (!is_open()) return;
  std::copy_n(data->qpos, plan_.shape.coordinates, state_.position.data());
  std::copy_n(data->qvel, plan_.shape.velocities, state_.velocity.data());
  time_ = end;
}

/// The impacts of contacts that move the same kinematic trees, group by group; equality constraints
/// can hold trees together, so all are one group then.
void Motion::take_impacts() {
  const Library& library = model_.functions();
  mjModel* const model = &model_.own_model();
  mjData* const data = &model_.own_data();
  model_.call_in_time("mj_fwdPosition", [&] { library.forward_position(model, data); });
  const auto count = static_cast<int>(contacts_.size());
  const std::vector<int> moved = moved_trees(model_, contacts_);
  std::vector<int> first(moved.size() / 2);  // of limits' further entries, too
  find_groups(static_cast<int>(first.size()), moved.data(), first.data());
  for (int a = 0; a < count; ++a) {
    std::vector<Contact> group, others;  // others: that collide, too
    std::vector<int> place;
    bool fast = false;
    for (int b = a; b < count; ++b) {
      const Contact& contact = contacts_[static_cast<std::size_t>(b)];
      const bool collides = speeds_(b) < -plan_.impact_speed;
      if (first[static_cast<std::size_t>(b)] != a) {
        if (collides && plan_.tells_doubts) others.push_back(contact);
        continue;
      }
      group.push_back(contact);
      place.push_back(b);
      fast = fast || collides;
    }
    if (!fast) continue;
    if (!take_impact(group, others)) return;
    const Eigen::Map<const Eigen::VectorXd> velocity(data->qvel, plan_.shape.velocities);
    for (std::size_t i = 0; i < group.size(); ++i) {
      speeds_(place[i]) = group[i].frame.row(0) * (group[i].motion * velocity);
    }
    note_speed();
  }
}

/// False if there is no outcome.
bool Motion::take_impact(std::vector<Contact>& contacts, const std::vector<Contact>& others) {
  ImpactProblem problem = problem_of(model_, contacts);
  problem.merged_contacts = merged_;
  if (plan_.tells_doubts) {
    problem.doubts = doubts_about(model_, plan_.model, contacts);
    if (!others.empty()) {
      problem.doubts.push_back(note_on_other_impacts(contact_names(model_, others)));
    }
  }
  if (problem.tangent_dimension() == 2 && plan_.friction_directions) {
    problem.friction_directions = *plan_.friction_directions;
  }
  if (problem.contacts() > most_contacts(problem.friction_directions)) {
    status_ = RolloutStatus::too_many;
    return false;
  }
  const RolloutImpact its{
      rollout_, impacts_, problem.contacts(), nullptr, {}, nullptr, nullptr, nullptr,
      nullptr,  nullptr};
  if (impacts_ == 0) *out_.first_time = time_;
  status_ = plan_.impact(problem, contacts, trajectory_of(its), state_.velocity.data());
  if (!is_open()) return false;
  std::ranges::copy(state_.velocity, model_.own_data().qvel);
  if (impacts_ == 0) std::ranges::copy(state_.velocity, out_.first_velocity);
  if (impacts_ < static_cast<std::uint32_t>(plan_.shape.events)) {
    note_event(problem, contacts);
  }
  ++impacts_;
  return true;
}

/// Among the names of rolled_system().contacts.
std::size_t Motion::place_of(const Contact& contact) const {
  if (contact.limit) {
    const auto its = std::ranges::find(plan_.limits, *contact.limit);
    return plan_.pairs.size() + static_cast<std::size_t>(its - plan_.limits.begin());
  }
  const auto [least, greatest] = std::minmax(contact.geom, contact.other);
  const auto its = std::ranges::lower_bound(plan_.pairs, GeomPair{least, greatest});
  return static_cast<std::size_t>(its - plan_.pairs.begin());
}

/// Of a pair that touches at several points, the mode is that of the first that does not separate.
void Motion::note_event(const ImpactProblem& problem, const std::vector<Contact>& contacts) {
  constexpr std::size_t most_contacts = 64;
  enum Mode : std::uint64_t { separates, sticks, slips, slips_backwards };
  const Eigen::Index d = problem.tangent_dimension();
  const Eigen::VectorXd speeds = problem.normal_jacobian * state_.velocity;
  const Eigen::VectorXd slip = problem.tangent_jacobian * state_.velocity;
  std::array<std::uint64_t, most_contacts> modes{};
  std::uint64_t touching = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const std::size_t pair = place_of(contacts[i]);
    if (pair >= most_contacts) continue;
    touching |= std::uint64_t{1} << pair;
    const auto row = static_cast<Eigen::Index>(i);
    if (modes[pair] != separates || speeds(row) > plan_.rest_speed) continue;
    const auto along = slip.segment(row * d, d);
    modes[pair] = along.norm() <= plan_.rest_speed ? sticks
                  : d == 1 && along(0) < 0.0       ? slips_backwards
                                                   : slips;
  }
  out_.event_time[impacts_] = time_;
  out_.event_energy[impacts_] = 0.5 * state_.velocity.dot(problem.mass_matrix * state_.velocity);
  out_.event_contacts[impacts_] = touching;
  for (std::size_t pair = 0, bit = 0; pair < most_contacts && bit < most_contacts; ++pair) {
    if ((touching >> pair & 1) == 0) continue;
    out_.event_modes[impacts_] |= modes[pair] << bit;
    bit += 2;
  }
}

void Motion::begin_interval(std::size_t k) {
  const std::size_t at = k * static_cast<std::size_t>(plan_.shape.coordinates);
  std::ranges::copy(state_.position, out_.least + at);
  std::ranges::copy(state_.position, out_.greatest + at);
}

void Motion::note_extremes(std::size_t k) {
  const auto nq = static_cast<std::size_t>(plan_.shape.coordinates);
  for (std::size_t i = 0; i < nq; ++i) {
    const double value = state_.position(static_cast<Eigen::Index>(i));
    out_.least[k * nq + i] = std::min(out_.least[k * nq + i], value);
    out_.greatest[k * nq + i] = std::max(out_.greatest[k * nq + i], value);
  }
}

void Motion::write_state(std::size_t k) {
  std::ranges::copy(state_.position,
                    out_.position + k * static_cast<std::size_t>(plan_.shape.coordinates));
  std::ranges::copy(state_.velocity,
                    out_.velocity + k * static_cast<std::size_t>(plan_.shape.velocities));
}

void Motion::write_end() {
  if (impacts_ == 0) std::ranges::copy(state_.velocity, out_.first_velocity);
  const Library& library = model_.functions();
  mjModel* const model = &model_.own_model();
  mjData* const data = &model_.own_data();
  std::ranges::copy(state_.position, data->qpos);
  std::ranges::copy(state_.velocity, data->qvel);
  model_.call_in_time("mj_fwdPosition", [&] { library.forward_position(model, data); });
  if (is_open()) {
    find_contacts();
    note_speed();
  }
  *out_.end_energy = 0.5 * state_.velocity.dot(mass_matrix(model_) * state_.velocity);
  *out_.end_time = end_time_;
  *out_.status = status_;
  *out_.impacts = impacts_;
  *out_.lcps = 0;
}

}  // namespace carom::mujoco
