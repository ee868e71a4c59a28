#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "carom/error.hpp"
#include "carom/roll.hpp"
#include "host/base/field_error.hpp"
#include "host/problem/mujoco/impact_problem.hpp"
#include "host/roll/first_impact_notes.hpp"
#include "host/roll/impact_in_time.hpp"
#include "host/roll/mujoco/kept_state_notes.hpp"
#include "host/roll/mujoco/motion.hpp"
#include "host/roll/roll_plan.hpp"
#include "host/roll/roll_questions.hpp"
#include "kernels/launch/launch.hpp"
#include "kernels/problem/problem_arrays.hpp"

namespace carom {
namespace {

using mujoco::Coordinates;
using mujoco::Model;
using mujoco::Motion;
using mujoco::MotionPlan;

/// A copy of the model, at the start.
std::unique_ptr<Model> model_at_start(const MujocoOptions& options) {
  std::unique_ptr<Model> copy;
  mujoco::with_model(options.model, [&](Model& kept) {
    kept.set_state(options);  // refuses a bad one
    copy = std::make_unique<Model>(kept.functions(), kept.model(), nullptr, kept.file());
  });
  copy->set_state(options);
  return copy;
}

/// The plan of a model's rollouts, but for the law of impacts.
MotionPlan plan_of(const Model& model, const MujocoOptions& state, const RollOptions& options,
                   std::vector<double> times) {
  MotionPlan plan;
  plan.model = state;
  plan.wanted = mujoco::wanted_geoms(model, state);
  plan.pairs = mujoco::geom_pairs(model, plan.wanted);
  if (state.limits) plan.limits = mujoco::limits_of(model.model());
  if (plan.pairs.empty() && plan.limits.empty()) {
    throw FieldError("mujoco.model",
                     fmt::format("{} has no geoms that can touch (must have two{})", model.file(),
                                 state.geoms.empty() ? "" : " among geoms"));
  }
  plan.times = std::move(times);
  plan.shape = {static_cast<int>(plan.times.size()), static_cast<int>(model.model().nq),
                static_cast<int>(model.model().nv), options.events};
  plan.step = options.step;
  plan.impact_speed = options.impact_speed;
  plan.rest_speed = options.rest_speed;
  return plan;
}

RollOptions with_choices(RollOptions options, const Model& model) {
  constexpr double impact_speed = 0.1;  // m/s
  check_rigid(options, "MuJoCo's models");
  refuse_options(options, {"window", "hold"},
                 "of MuJoCo's models: contacts touch within distance of [mujoco]");
  options.step.choose(model.model().opt.timestep);
  options.impact_speed.choose(impact_speed);
  validate(options);
  return options;
}

/// One Motion for each of the threads that move at a time.
class Motions {
 public:
  Motions(const Model& prototype, const MotionPlan& plan) : prototype_(prototype), plan_(plan) {}

  std::unique_ptr<Motion> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<Motion> motion = std::move(idle_.back());
        idle_.pop_back();
        return motion;
      }
    }
    return std::make_unique<Motion>(prototype_, plan_);
  }
  void give_back(std::unique_ptr<Motion> motion) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(motion));
  }

 private:
  const Model& prototype_;
  const MotionPlan& plan_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Motion>> idle_;
};

void check_options(const MujocoMotion& motion, const SamplingOptions& sampling) {
  const int k = motion.friction_directions.value_or(default_friction_directions(2));
  if (!directions_suit(2, k)) {
    throw FieldError("problem.friction_directions",
                     fmt::format("friction_directions is {} (must be even and >= 4 in space)", k));
  }
  if (sampling.backend == Backend::cuda) {
    throw InputError("backend is cuda (must be auto or cpu: MuJoCo's models move on the CPU)");
  }
}

/// The coordinates of a model, without contacts and masses.
RolledSystem system_of(const Model& model, const Coordinates& coordinates) {
  RolledSystem system{.coordinates = coordinates.positions,
                      .units = coordinates.units,
                      .velocities = coordinates.velocities,
                      .contacts = {},
                      .mass_matrix = {}};
  for (const int at : coordinates.quaternions) {
    system.quaternions.push_back(
        {static_cast<std::size_t>(at), Eigen::Map<const Eigen::Vector4d>(model.data().qpos + at)});
  }
  return system;
}

}  // namespace

RollOptions resolved(RollOptions options, const MujocoMotion& motion) {
  return with_choices(std::move(options), *model_at_start(motion.model));
}

Rollouts roll(const MujocoMotion& motion, const SamplingOptions& sampling,
              const RollOptions& stated, const SampleObserver& observer, std::uint64_t first) {
  constexpr std::uint64_t most = 256;  // rollouts between two calls of the observer
  check_options(motion, sampling);
  const ImpactInTime law(sampling, motion.restitution);
  const std::unique_ptr<Model> model = model_at_start(motion.model);
  const RollOptions options = with_choices(stated, *model);
  const Coordinates coordinates = mujoco::coordinates_of(*model);
  check_questions(options, system_of(*model, coordinates));
  const mujoco::Starts starts(*model, coordinates, sampling, options);
  MotionPlan plan = plan_of(*model, motion.model, options, times_of(options));
  plan.friction_directions = motion.friction_directions;
  plan.impact = [&](const ImpactProblem& problem, const auto&, std::uint64_t trajectory,
                    double* velocity) { return law.sample(problem, trajectory, velocity); };
  Rollouts result;
  static_cast<RolloutShape&>(result) = plan.shape;
  result.first = first;
  result.time = plan.times;
  result.resize(options.rollouts);
  const RolloutView out = view_of(result);
  Motions motions(*model, plan);
  const auto move = [&](std::uint64_t done, std::uint64_t count) {
    on_threads(sampling.threads, count, [&](std::uint64_t begin, std::uint64_t some) {
      const mujoco::Handlers handlers(model->functions());
      std::unique_ptr<Motion> mover = motions.take();
      for (std::uint64_t i = done + begin; i < done + begin + some; ++i) {
        (*mover)(first + i, starts.of(first + i), out.from(i, plan.shape));
      }
      motions.give_back(std::move(mover));
    });
  };
  constexpr bool paced = true;
  move_in_parts({most, paced, sampling.threads}, observer, result, move);
  result.notes = notes_on_rollouts(motion, sampling, result);
  return result;
}

std::vector<Note> notes_on_rollouts(const MujocoMotion& motion, const SamplingOptions& sampling,
                                    const Rollouts& rollouts) {
  std::vector<Note> notes = notes_on_rollouts(sampling, rollouts, motion.model);
  const std::unique_ptr<Model> start = model_at_start(motion.model);
  for (auto note : {mujoco::note_on_limits(*start, motion.model, sampling.threads, rollouts),
                    mujoco::note_on_penetration(*start, sampling.threads, rollouts)}) {
    if (note) notes.insert(notes.begin(), std::move(*note));
  }
  return notes;
}

RolledSystem rolled_system(const MujocoMotion& motion) {
  const std::unique_ptr<Model> model = model_at_start(motion.model);
  RolledSystem system = system_of(*model, mujoco::coordinates_of(*model));
  system.contacts = mujoco::pair_names(
      *model, mujoco::geom_pairs(*model, mujoco::wanted_geoms(*model, motion.model)));
  if (motion.model.limits) {
    for (const mujoco::Limit& limit : mujoco::limits_of(model->model())) {
      system.contacts.push_back(mujoco::limit_name(*model, limit));
    }
  }
  system.mass_matrix = mujoco::mass_matrix(*model);
  return system;
}

ImpactProblem first_impact(const MujocoMotion& motion, double duration) {
  const std::unique_ptr<Model> model = model_at_start(motion.model);
  RollOptions options;
  options.duration = duration;
  options.events = 0;
  options = with_choices(options, *model);
  MotionPlan plan = plan_of(*model, motion.model, options, {duration});
  plan.tells_doubts = true;
  std::optional<ImpactProblem> found;
  plan.impact = [&](const ImpactProblem& problem, const std::vector<mujoco::Contact>& contacts,
                    std::uint64_t, double*) {
    found = problem;
    found->contact_names = mujoco::contact_names(*model, contacts);
    found->speed_units = mujoco::speed_units(*model, contacts);
    return RolloutStatus::impact_failed;  // the motion ends here
  };
  const Coordinates coordinates = mujoco::coordinates_of(*model);
  const mujoco::Starts start(*model, coordinates, {}, options);
  Rollouts row;
  static_cast<RolloutShape&>(row) = plan.shape;
  row.resize(1);
  Motion(*model, plan)(0, start.of(0), view_of(row));
  if (row.status[0] == RolloutStatus::too_many) {
    throw FieldError(
        "mujoco.geoms",
        fmt::format("{} has too many contacts at its first impact (must have at most "
                    "{} in the plane, {} in space: {}select some by geoms)",
                    model->file(), mujoco::most_contacts(2),
                    mujoco::most_contacts(
                        motion.friction_directions.value_or(default_friction_directions(2))),
                    (motion.model.merge == 0 ? "merge = true or 4 may leave fewer, or " : "") +
                        std::string(plan.limits.empty() ? "" : "limits = false may, or ")));
  }
  if (!found && !is_whole(row.status[0])) {
    throw FieldError("mujoco.model", fmt::format("the motion of {} ends before an impact, in {}",
                                                 model->file(), failure_text(row.status[0])));
  }
  if (!found) {
    throw NoImpact("mujoco.model",
                   fmt::format("no contact of {} approaches faster than {} m/s within {} s (must "
                               "be an impact)",
                               model->file(), *options.impact_speed, duration));
  }
  found->doubts.push_back(note_on_first_impact(row.first_time[0]));
  if (motion.restitution) {
    found->restitution = Eigen::VectorXd::Constant(found->contacts(), *motion.restitution);
  }
  return validated(std::move(*found));
}

}  // namespace carom
