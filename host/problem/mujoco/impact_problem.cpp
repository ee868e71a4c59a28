#include "host/problem/mujoco/impact_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "carom/error.hpp"
#include "carom/mujoco.hpp"
#include "carom/mujoco_states.hpp"
#include "carom/sample_set.hpp"
#include "host/base/field_error.hpp"
#include "host/problem/mujoco/contact_frames.hpp"
#include "host/problem/mujoco/doubts.hpp"
#include "host/problem/mujoco/equalities.hpp"
#include "kernels/step/capacity.hpp"

namespace carom {
namespace {

using mujoco::Contact;
using mujoco::hold_equalities;
using mujoco::Model;
using mujoco::ModelView;

constexpr int planar_friction_directions = 2;
constexpr int spatial_friction_directions = 4;
// A contact that approaches slower is at rest: the sampler's default tolerance.
constexpr double approach_tolerance = 1e-8;

/// @param entries nv x nv
void write_mass_matrix(const ModelView& model, mjtNum* entries) {
  const mujoco::Library& library = model.functions();
  model.call("mj_fullM", [&] {
#if mjVERSION_HEADER >= 4000000
    library.full_mass_matrix(&model.model(), &model.data(), entries);
#else
    library.full_mass_matrix(&model.model(), entries, model.data().qM);
#endif
  });
}

/// @throws InputError if a mass is 0, as of data that MuJoCo reset and has not evaluated since
void require_evaluated(const mjtNum* mass_matrix, std::size_t nv) {
  for (std::size_t j = 0; j < nv; ++j) {
    if (mass_matrix[j * (nv + 1)] != 0.0) continue;
    throw InputError(
        "the data have no mass matrix (must be evaluated: mj_forward or mj_fwdPosition)");
  }
}

bool some_approach(std::span<const Contact> contacts,
                   const Eigen::Ref<const Eigen::VectorXd>& velocity) {
  return std::ranges::any_of(contacts, [&](const Contact& contact) {
    return contact.frame.row(0) * (contact.motion * velocity) < -approach_tolerance;
  });
}

std::ptrdiff_t count_limits(const std::vector<Contact>& contacts) {
  return std::ranges::count_if(contacts, [](const Contact& its) { return its.limit.has_value(); });
}

/// "merge = 4 leaves 16 of them, or ": the largest part that is not too many, with limits if it can
/// be; "" if none is.
std::string fewer_contacts(const Model& model, const MujocoOptions& stated, std::size_t most) {
  const auto text = [](int merge) { return merge == 1 ? "true" : std::to_string(merge); };
  for (const bool limits : {true, false}) {
    if (limits && !stated.limits) continue;
    for (const int merge : {stated.merge, 1, 4, 3}) {
      const bool is_less =
          stated.merge == 0 || (merge > 1 && (stated.merge == 1 || merge < stated.merge));
      if (merge != stated.merge && !is_less) continue;
      MujocoOptions options = stated;
      options.merge = merge;
      options.limits = limits;
      std::vector<Contact> contacts;
      mujoco::append_contacts(model, mujoco::wanted_geoms(model, options), options, contacts);
      if (contacts.empty() || contacts.size() > most) continue;
      std::string changes = merge == stated.merge ? "" : fmt::format("merge = {}", text(merge));
      if (limits != stated.limits)
        changes += changes.empty() ? "limits = false" : " with limits = false";
      return fmt::format("{} leaves {} of them, or ", changes, contacts.size());
    }
  }
  return "";
}

void check_size(const Model& model, const MujocoOptions& options,
                const std::vector<Contact>& contacts, int friction_directions) {
  const auto nv = static_cast<int>(model.model().nv);
  if (nv > max_velocities) {
    throw FieldError("mujoco.model", fmt::format("{} has {} velocities (must have at most {})",
                                                 model.file(), nv, max_velocities));
  }
  const auto most = static_cast<std::size_t>(mujoco::most_contacts(friction_directions));
  if (contacts.size() <= most) return;
  std::string advice = fewer_contacts(model, options, most);
  if (advice.empty() && count_limits(contacts) > 0) advice = "set limits = false, ";
  throw FieldError(
      "mujoco.geoms",
      fmt::format("{} has {} contacts at this state, {} (must have at most {} {}: {}select some "
                  "by geoms, or make distance smaller)",
                  model.file(), contacts.size(), mujoco::contact_counts(model, contacts), most,
                  friction_directions == planar_friction_directions ? "in the plane" : "in space",
                  advice));
}

void check_approach(const Model& model, const MujocoOptions& options,
                    const std::vector<Contact>& contacts, const ImpactProblem& problem) {
  if (colliding(problem, problem.pre_impact_velocity, approach_tolerance)) return;
  if (count_limits(contacts) == problem.contacts()) {
    mujoco::fail_without_contact(model, options, " and no limit is approached");
  }
  Eigen::Index slowest = 0;
  const double least = (problem.normal_jacobian * problem.pre_impact_velocity).minCoeff(&slowest);
  throw FieldError(
      "mujoco.qvel",
      fmt::format("no contact of {} approaches: the least normal velocity is {:.6g} {}, of {} "
                  "(must be < {} for one at least; set it by qvel)",
                  model.file(), least, speed_unit(problem, static_cast<int>(slowest)),
                  problem.contact_names[static_cast<std::size_t>(slowest)], -approach_tolerance));
}

ImpactProblem problem_at(Model& model, const MujocoOptions& options) {
  model.set_state(options);
  std::vector<Contact> contacts;
  const int merged = mujoco::select_contacts(model, options, contacts);
  ImpactProblem problem = mujoco::problem_of(model, contacts);
  problem.merged_contacts = merged;
  problem.doubts = mujoco::doubts_about(model, options, contacts);
  if (auto doubt = mujoco::doubt_about_velocity(model, problem.pre_impact_velocity)) {
    problem.doubts.push_back(*std::move(doubt));
  }
  check_size(model, options, contacts, problem.friction_directions);
  problem.contact_names = mujoco::contact_names(model, contacts);
  problem.speed_units = mujoco::speed_units(model, contacts);
  problem = validated(std::move(problem));
  check_approach(model, options, contacts, problem);
  return problem;
}

}  // namespace

int mujoco::most_contacts(int friction_directions) {
  return max_lcp_size / (3 + friction_directions);
}

Eigen::MatrixXd mujoco::mass_matrix(const ModelView& model) {
  const auto nv = static_cast<Eigen::Index>(model.model().nv);
  Eigen::MatrixXd mass(nv, nv);  // symmetric, so the storage order has no effect
  write_mass_matrix(model, mass.data());
  return mass;
}

ImpactProblem mujoco::problem_of(const ModelView& model, std::vector<Contact>& contacts) {
  const int d = settle_tangents(contacts);
  const auto m = static_cast<int>(contacts.size());
  const auto nv = static_cast<Eigen::Index>(model.model().nv);
  ImpactProblem problem;
  problem.friction_directions = d == 1 ? planar_friction_directions : spatial_friction_directions;
  problem.mass_matrix = mass_matrix(model);
  problem.normal_jacobian.resize(m, nv);
  problem.tangent_jacobian.resize(m * d, nv);
  problem.friction.resize(m);
  for (int i = 0; i < m; ++i) {
    const Contact& contact = contacts[static_cast<std::size_t>(i)];
    const Eigen::MatrixXd rows = contact.frame * contact.motion;
    problem.normal_jacobian.row(i) = rows.row(0);
    problem.tangent_jacobian.middleRows(i * d, d) = rows.middleRows(1, d);
    problem.friction(i) = contact.friction;
  }
  problem.pre_impact_velocity = Eigen::Map<const Eigen::VectorXd>(model.data().qvel, nv);
  hold_equalities(model, contacts, problem.mass_matrix, problem.pre_impact_velocity);
  return problem;
}

ImpactProblem impact_problem_from_mujoco(const MujocoOptions& options) {
  ImpactProblem problem;
  mujoco::with_model(options.model, [&](Model& model) { problem = problem_at(model, options); });
  return problem;
}

ImpactProblem impact_problem_from_mujoco(const mjModel& model, const mjData* data,
                                         const MujocoOptions& options) {
  if (data != nullptr && !options.keyframe.empty()) {
    throw FieldError("mujoco.keyframe", "keyframe must be left out where there are data");
  }
  const mujoco::Library& library = mujoco::library();
  const std::lock_guard lock(mujoco::turn());
  Model copy(library, model, data, mujoco::model_in_memory);
  return problem_at(copy, options);
}

MujocoContacts mujoco_contacts(const mjModel& model, std::span<const mjData* const> data,
                               const MujocoOptions& options) {
  const mujoco::Library& library = mujoco::library();
  const std::lock_guard lock(mujoco::turn());
  const auto nv = static_cast<std::size_t>(model.nv);
  MujocoContacts found;
  found.size = data.size();
  found.velocities = static_cast<int>(nv);
  found.mass_matrix.resize(data.size() * nv * nv);
  found.pre_impact_velocity.resize(data.size() * nv);
  mujoco::check_selection(options);
  const mujoco::WantedGeoms wanted =
      mujoco::wanted_geoms(ModelView(library, mujoco::model_in_memory, &model, nullptr), options);
  std::vector<Contact> contacts;  // of all states
  std::vector<std::size_t> begin{0};
  for (std::size_t i = 0; i < data.size(); ++i) {
    try {
      const ModelView state(library, mujoco::model_in_memory, &model, data[i]);
      mujoco::append_contacts(state, wanted, options, contacts);
      write_mass_matrix(state, &found.mass_matrix[i * nv * nv]);
      require_evaluated(&found.mass_matrix[i * nv * nv], nv);
      const auto size = static_cast<Eigen::Index>(nv);
      const std::span its = std::span(contacts).subspan(begin.back());
      const Eigen::Map<const Eigen::VectorXd> stated(data[i]->qvel, size);
      Eigen::Map<Eigen::VectorXd> velocity(&found.pre_impact_velocity[i * nv], size);
      velocity = stated;
      hold_equalities(state, its,
                      Eigen::Map<Eigen::MatrixXd>(&found.mass_matrix[i * nv * nv], size, size),
                      velocity);
      // Without an impact, what breaks equality constraints is MuJoCo's to mend.
      if (!some_approach(its, stated) && !some_approach(its, velocity)) velocity = stated;
    } catch (const InputError& error) {
      throw InputError(fmt::format("state {}: {}", i, error.what()));
    }
    found.contacts = std::max(found.contacts, static_cast<int>(contacts.size() - begin.back()));
    begin.push_back(contacts.size());
  }
  if (!contacts.empty()) found.tangent_dimension = mujoco::settle_tangents(contacts);
  const auto m = static_cast<std::size_t>(found.contacts);
  const auto d = static_cast<std::size_t>(found.tangent_dimension);
  found.normal_jacobian.resize(data.size() * m * nv);
  found.tangent_jacobian.resize(data.size() * m * d * nv);
  found.friction.resize(data.size() * m);
  found.active.resize(data.size() * m);
  found.id.assign(data.size() * m, -1);
  for (std::size_t i = 0; i < data.size(); ++i) {
    for (std::size_t k = begin[i]; k < begin[i + 1]; ++k) {
      const Contact& contact = contacts[k];
      const RowMatrix rows = contact.frame * contact.motion;
      const std::size_t at = i * m + k - begin[i];
      std::copy_n(rows.data(), nv, &found.normal_jacobian[at * nv]);
      std::copy_n(rows.data() + nv, d * nv, &found.tangent_jacobian[at * d * nv]);
      found.friction[at] = contact.friction;
      found.active[at] = 1;
      found.id[at] = contact.id;
    }
  }
  return found;
}

}  // namespace carom
