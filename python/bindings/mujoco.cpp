#include "carom/mujoco.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <limits>

#include "carom/error.hpp"
#include "carom/mujoco_states.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/options.hpp"

namespace carom::python {
namespace {

/// A name, or a pair of names.
MujocoGeoms read_names(nb::handle entry) {
  MujocoGeoms names;
  if (nb::isinstance<nb::str>(entry)) return {nb::cast<std::string>(entry)};
  if (nb::isinstance<nb::sequence>(entry) && nb::len(entry) == 2 &&
      nb::try_cast(entry[nb::int_(0)], names.geom) &&
      nb::try_cast(entry[nb::int_(1)], names.other) && !names.other.empty()) {
    return names;
  }
  throw InputError(std::string("geoms holds ") + nb::repr(entry).c_str() +
                   " (must hold names, or pairs of names)");
}

std::vector<MujocoGeoms> read_geoms(nb::handle geoms) {
  std::vector<MujocoGeoms> list;
  if (geoms.is_none()) return list;
  if (nb::isinstance<nb::str>(geoms)) return {read_names(geoms)};
  if (!nb::isinstance<nb::iterable>(geoms)) {
    throw InputError(std::string("geoms is ") + nb::repr(geoms).c_str() +
                     " (must be a name, or a list of names and pairs of names)");
  }
  for (nb::handle entry : geoms) list.push_back(read_names(entry));
  if (list.empty()) {
    throw InputError("geoms is empty (must name one at least; None selects all contacts)");
  }
  return list;
}

int read_merge(nb::handle merge) {
  if (nb::isinstance<nb::bool_>(merge)) return nb::cast<bool>(merge) ? 1 : 0;
  std::int64_t corners = 0;
  if (!nb::isinstance<nb::int_>(merge) || !nb::try_cast(merge, corners) || corners < 0 ||
      corners > std::numeric_limits<int>::max()) {
    throw InputError(std::string("merge is ") + nb::repr(merge).c_str() +
                     " (must be True, False, or how many corners of a flat patch are contacts at "
                     "most, 3 or more)");
  }
  return static_cast<int>(corners);
}

bool read_truth(const char* name, nb::handle value) {
  if (nb::isinstance<nb::bool_>(value)) return nb::cast<bool>(value);
  throw InputError(std::string(name) + " is " + nb::repr(value).c_str() +
                   " (must be True or False)");
}

/// Which contacts count.
MujocoOptions read_selection(nb::handle geoms, nb::handle distance, nb::handle merge,
                             nb::handle limits) {
  MujocoOptions options;
  options.geoms = read_geoms(geoms);
  options.distance = read_real("distance", distance);
  options.merge = read_merge(merge);
  options.limits = read_truth("limits", limits);
  return options;
}

Eigen::VectorXd read_state(const char* name, nb::handle numbers) {
  if (numbers.is_none()) return {};
  Eigen::VectorXd its = read_vector(name, numbers);
  if (its.size() == 0) throw InputError(std::string(name) + " is empty (must hold a number at least)");
  return its;
}

/// What MuJoCo's own Python objects hold at this address.
template <class Held>
const Held* held_at(std::uintptr_t address) {
  return reinterpret_cast<const Held*>(address);
}

std::vector<const mjData_*> states_at(const std::vector<std::uintptr_t>& addresses) {
  std::vector<const mjData_*> states;
  for (const std::uintptr_t address : addresses) states.push_back(held_at<mjData_>(address));
  return states;
}

/// @param model path, or address of an mjModel
/// @param data address of an mjData, or None
ImpactProblem from_mujoco(nb::object model, nb::object data, nb::object qpos, nb::object qvel,
                          nb::object keyframe, nb::object geoms, nb::object distance,
                          nb::object merge, nb::object limits,
                          std::optional<int> friction_directions) {
  MujocoOptions options = read_selection(geoms, distance, merge, limits);
  options.qpos = read_state("qpos", qpos);
  options.qvel = read_state("qvel", qvel);
  if (!keyframe.is_none()) options.keyframe = nb::cast<std::string>(nb::str(keyframe));
  const bool is_file = !nb::isinstance<nb::int_>(model);
  if (is_file) options.model = path_of("model", model);
  const auto* const held = is_file ? nullptr : held_at<mjModel_>(nb::cast<std::uintptr_t>(model));
  const auto* const state =
      data.is_none() ? nullptr : held_at<mjData_>(nb::cast<std::uintptr_t>(data));
  const nb::gil_scoped_release unlocked;
  ImpactProblem problem = is_file ? impact_problem_from_mujoco(options)
                                  : impact_problem_from_mujoco(*held, state, options);
  if (!friction_directions) return problem;
  problem.friction_directions = *friction_directions;
  return validated(std::move(problem));
}

/// @param datas addresses of mjData
nb::dict contacts(std::uintptr_t model, const std::vector<std::uintptr_t>& datas, nb::object geoms,
                  nb::object distance, nb::object merge, nb::object limits, bool ids) {
  const MujocoOptions options = read_selection(geoms, distance, merge, limits);
  const std::vector<const mjData_*> states = states_at(datas);
  MujocoContacts found;
  {
    const nb::gil_scoped_release unlocked;
    found = mujoco_contacts(*held_at<mjModel_>(model), states, options);
  }
  const std::size_t size = found.size;
  const auto nv = static_cast<std::size_t>(found.velocities);
  const auto m = static_cast<std::size_t>(found.contacts);
  const auto d = static_cast<std::size_t>(found.tangent_dimension);
  nb::dict arrays;
  arrays["mass_matrix"] = own(std::move(found.mass_matrix), {size, nv, nv});
  arrays["normal_jacobian"] = own(std::move(found.normal_jacobian), {size, m, nv});
  arrays["tangent_jacobian"] = own(std::move(found.tangent_jacobian), {size, m * d, nv});
  arrays["friction"] = own(std::move(found.friction), {size, m});
  arrays["pre_impact_velocity"] = own(std::move(found.pre_impact_velocity), {size, nv});
  arrays["active"] = own(std::move(found.active), {size, m}).cast().attr("view")("bool");
  if (ids) arrays["contact_id"] = own(std::move(found.id), {size, m});
  return arrays;
}

nb::object approach(std::uintptr_t model, const std::vector<std::uintptr_t>& datas,
                    double distance, bool limits, double threshold) {
  MujocoOptions options;
  options.distance = distance;
  options.limits = limits;
  std::vector<std::uint8_t> found =
      mujoco_approach(*held_at<mjModel_>(model), states_at(datas), options, threshold);
  const std::size_t size = found.size();
  return own(std::move(found), {size}).cast().attr("view")("bool");
}

}  // namespace

void bind_mujoco(nb::module_& module) {
  using namespace nb::literals;
  module.def("from_mujoco", from_mujoco, "model"_a, "data"_a.none(), "qpos"_a.none(),
             "qvel"_a.none(), "keyframe"_a.none(), "geoms"_a.none(), "distance"_a.none(),
             "merge"_a.none(), "limits"_a.none(), "friction_directions"_a.none());
  module.def("mujoco_contacts", contacts, "model"_a, "datas"_a, "geoms"_a.none(),
             "distance"_a.none(), "merge"_a.none(), "limits"_a.none(), "ids"_a);
  module.def(
      "mujoco_find_within",
      [](std::uintptr_t model, double distance) {
        mujoco_find_within(*reinterpret_cast<mjModel_*>(model), distance);
      },
      "model"_a, "distance"_a);
  module.def("mujoco_approach", approach, "model"_a, "datas"_a, "distance"_a,
             "limits"_a, "threshold"_a);
  module.def("mujoco_version", [] { return mujoco_support().header_version; });
}

}  // namespace carom::python
