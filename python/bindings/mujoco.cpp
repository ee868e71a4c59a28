#include "carom/mujoco.hpp"

#include <nanobind/stl/vector.h>

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
      nb::try_cast(entry[nb::int_(1)], names.other)) {
    return names;
  }
  throw InputError(std::string("geoms holds ") + nb::repr(entry).c_str() +
                   " (must hold names, or pairs of names)");
}

std::vector<MujocoGeoms> read_geoms(nb::handle geoms) {
  std::vector<MujocoGeoms> list;
  if (geoms.is_none()) return list;
  if (nb::isinstance<nb::str>(geoms)) return {read_names(geoms)};
  for (nb::handle entry : geoms) list.push_back(read_names(entry));
  return list;
}

/// What MuJoCo's own Python objects hold at this address.
template <class Held>
const Held* held_at(std::uintptr_t address) {
  return reinterpret_cast<const Held*>(address);
}

/// @param model path, or address of an mjModel
/// @param data address of an mjData, or None
ImpactProblem from_mujoco(nb::object model, nb::object data, nb::object qpos, nb::object qvel,
                          nb::object keyframe, nb::object geoms, double distance, int merge) {
  MujocoOptions options;
  if (!qpos.is_none()) options.qpos = read_vector("qpos", qpos);
  if (!qvel.is_none()) options.qvel = read_vector("qvel", qvel);
  if (!keyframe.is_none()) options.keyframe = nb::cast<std::string>(nb::str(keyframe));
  options.geoms = read_geoms(geoms);
  options.distance = distance;
  options.merge = merge;
  if (!nb::isinstance<nb::int_>(model)) {
    options.model = path_of(model);
    const nb::gil_scoped_release unlocked;
    return impact_problem_from_mujoco(options);
  }
  const auto* const held = held_at<mjModel_>(nb::cast<std::uintptr_t>(model));
  const auto* const state =
      data.is_none() ? nullptr : held_at<mjData_>(nb::cast<std::uintptr_t>(data));
  const nb::gil_scoped_release unlocked;
  return impact_problem_from_mujoco(*held, state, options);
}

/// @param datas addresses of mjData
nb::dict contacts(std::uintptr_t model, const std::vector<std::uintptr_t>& datas, nb::object geoms,
                  double distance, int merge) {
  MujocoOptions options;
  options.geoms = read_geoms(geoms);
  options.distance = distance;
  options.merge = merge;
  std::vector<const mjData_*> states;
  for (const std::uintptr_t address : datas) states.push_back(held_at<mjData_>(address));
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
  return arrays;
}

}  // namespace

void bind_mujoco(nb::module_& module) {
  using namespace nb::literals;
  module.def("from_mujoco", from_mujoco, "model"_a, "data"_a.none(), "qpos"_a.none(),
             "qvel"_a.none(), "keyframe"_a.none(), "geoms"_a.none(), "distance"_a, "merge"_a);
  module.def("mujoco_contacts", contacts, "model"_a, "datas"_a, "geoms"_a.none(), "distance"_a, "merge"_a);
  module.def("mujoco_version", [] { return mujoco_support().header_version; });
}

}  // namespace carom::python
