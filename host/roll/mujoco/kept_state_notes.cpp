#include "host/roll/mujoco/kept_state_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "host/base/note_list.hpp"
#include "host/problem/mujoco/doubts.hpp"
#include "host/problem/mujoco/limits.hpp"
#include "host/roll/kept_states.hpp"

namespace carom::mujoco {
namespace {

/// Finds geoms that are deep in one another, at one position after the other.
class DeepGeoms {
 public:
  explicit DeepGeoms(const Model& start)
      : handlers_(start.functions()),
        model_(start.functions(), start.model(), &start.data(), start.file()) {}

  std::string operator()(const KeptState& state) {
    const Library& library = model_.functions();
    mjModel* const model = &model_.own_model();
    mjData* const data = &model_.own_data();
    std::ranges::copy(state.position(), data->qpos);
    model_.call_in_time("mj_collision", [&] {
      library.kinematics(model, data);
      library.centre_of_mass(model, data);
      library.collision(model, data);
    });
    for (int i = 0; i < data->ncon; ++i) {
      const mjContact& contact = data->contact[i];
      const auto [one, other] = contact.geom;
      if (const std::string text = depth_text(model_, one, other, contact.dist); !text.empty()) {
        return text;
      }
    }
    return {};
  }

 private:
  Handlers handlers_;
  Model model_;
};

/// Finds joints that are at a limit.
class LimitedJoints {
 public:
  LimitedJoints(const Model& start, double distance)
      : model_(start.functions(), start.model(), &start.data(), start.file()),
        distance_(distance) {}

  std::string operator()(const KeptState& state) {
    std::ranges::copy(state.position(), model_.own_data().qpos);
    const std::vector<ReachedLimit> limits = limits_within(model_, distance_);
    const bool is_joint = !limits.empty() && limits[0].object == mjOBJ_JOINT;
    return is_joint ? "\"" + limit_name(model_, limits[0]) + "\"" : "";
  }

 private:
  Model model_;
  double distance_;
};

}  // namespace

std::optional<Note> note_on_limits(const Model& start, const MujocoOptions& options, int threads,
                                   const Rollouts& rollouts) {
  if (options.limits) return std::nullopt;
  const bool has_impacts =
      std::ranges::any_of(rollouts.impacts, [](std::uint32_t impacts) { return impacts > 0; });
  const bool is_limited =
      std::any_of(start.model().jnt_limited, start.model().jnt_limited + start.model().njnt,
                  [](mjtByte limited) { return limited != 0; });
  if (!has_impacts || !is_limited) return std::nullopt;
  const auto [count, first] =
      find_in(rollouts, threads, [&] { return LimitedJoints(start, options.distance); });
  if (count == 0) return std::nullopt;
  return make_note("joint_limits",
                   fmt::format("joints are at their limits in {} of {} rollouts, {} first: with "
                               "limits = false, limits do not push back in an impact, which may "
                               "move joints further",
                               count, rollouts.size(), first));
}

std::optional<Note> note_on_penetration(const Model& start, int threads, const Rollouts& rollouts) {
  const auto [count, first] = find_in(rollouts, threads, [&] { return DeepGeoms(start); });
  if (count == 0) return std::nullopt;
  return make_note("penetration",
                   fmt::format("geoms are more than a twentieth of their thickness in one another "
                               "in {} of {} rollouts, {} first: take a smaller step, or stiffer "
                               "contacts (solref)",
                               count, rollouts.size(), first));
}

}  // namespace carom::mujoco
