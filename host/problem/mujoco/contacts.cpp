#include "host/problem/mujoco/contacts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "host/base/field_error.hpp"
#include "host/base/nearest_name.hpp"

namespace carom::mujoco {
namespace {

using Motion = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>;

// Coefficients of two directions that differ by more than rounding are anisotropic friction.
constexpr double friction_tolerance = 1e-12;

[[noreturn]] void fail(const std::string& option, const std::string& message) {
  throw FieldError("mujoco." + option, message);
}

int geom_id(const Model& model, const std::string& name, std::size_t entry) {
  const int id = model.functions().id_of(&model.model(), mjOBJ_GEOM, name.c_str());
  if (id >= 0) return id;
  const auto known = model.names(mjOBJ_GEOM, static_cast<int>(model.model().ngeom));
  fail(fmt::format("geoms[{}]", entry), fmt::format("geoms names \"{}\" (must be a geom of {}){}",
                                                    name, model.file(), suggestion(name, known)));
}

/// Two geom ids, or one and -1, per entry of options.geoms.
std::vector<std::array<int, 2>> wanted_geoms(const Model& model, const MujocoOptions& options) {
  std::vector<std::array<int, 2>> wanted;
  for (const MujocoGeoms& geoms : options.geoms) {
    const std::size_t entry = wanted.size();
    wanted.push_back({geom_id(model, geoms.geom, entry),
                      geoms.other.empty() ? -1 : geom_id(model, geoms.other, entry)});
  }
  return wanted;
}

bool selected(const mjContact& contact, const std::vector<std::array<int, 2>>& wanted) {
  const int a = contact.geom[0];
  const int b = contact.geom[1];
  return wanted.empty() || std::any_of(wanted.begin(), wanted.end(), [&](const auto& pair) {
           const auto [one, other] = pair;
           return (one == a && (other == -1 || other == b)) ||
                  (one == b && (other == -1 || other == a));
         });
}

Motion point_motion(const Model& model, const mjContact& contact, int side) {
  const int body = model.model().geom_bodyid[contact.geom[side]];
  Motion motion(3, model.model().nv);
  mjtNum* const rows = motion.data();
  const Library& library = model.functions();
  model.call("mj_jac", [&] {
    library.jacobian(&model.model(), &model.data(), rows, nullptr, contact.pos, body);
  });
  return motion;
}

double friction(const std::string& name, const mjContact& contact) {
  if (contact.dim == 1) return 0.0;
  const double first = contact.friction[0];
  const double second = contact.friction[1];
  if (std::abs(first - second) > friction_tolerance * std::max(first, second)) {
    fail("model", fmt::format("contact {} has friction {} and {} along its two tangents (must be "
                              "the same)",
                              name, first, second));
  }
  return first;
}

/// @return false if neither body can move
bool read_contact(const Model& model, const mjContact& source, Contact& contact) {
  const Motion first = point_motion(model, source, 0);
  const Motion second = point_motion(model, source, 1);
  if (first.isZero(0.0) && second.isZero(0.0)) return false;
  // MuJoCo's normal points from the first geom to the second.
  const bool turned = second.isZero(0.0);
  contact.frame = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(source.frame);
  if (turned) contact.frame.row(0) *= -1.0;
  contact.motion = turned ? first - second : second - first;
  contact.name = model.name(mjOBJ_GEOM, "geom", source.geom[turned ? 0 : 1]) + "/" +
                 model.name(mjOBJ_GEOM, "geom", source.geom[turned ? 1 : 0]);
  std::replace(contact.name.begin(), contact.name.end(), ',',
               ';');  // lists of contacts have commas
  contact.friction = friction(contact.name, source);
  return true;
}

void number_names(std::vector<Contact>& contacts) {
  std::map<std::string, int> points;
  for (const Contact& contact : contacts) ++points[contact.name];
  std::map<std::string, int> next;
  for (Contact& contact : contacts) {
    if (points[contact.name] > 1) {
      const int number = ++next[contact.name];
      contact.name += fmt::format(" {}", number);
    }
  }
}

}  // namespace

std::vector<Contact> select_contacts(const Model& model, const MujocoOptions& options) {
  const auto wanted = wanted_geoms(model, options);
  std::vector<Contact> contacts;
  for (int i = 0; i < model.data().ncon; ++i) {
    const mjContact& source = model.data().contact[i];
    if (source.dist > options.distance) continue;
    if (source.geom[0] < 0 || source.geom[1] < 0) {
      if (!wanted.empty()) continue;
      fail("geoms", "a flex takes part in a contact (must be geoms only: select them by name)");
    }
    if (!selected(source, wanted)) continue;
    Contact contact;
    if (read_contact(model, source, contact)) contacts.push_back(std::move(contact));
  }
  if (contacts.empty()) {
    const int disabled = mjDSBL_CONTACT | mjDSBL_CONSTRAINT;
    const bool off = (model.model().opt.disableflags & disabled) != 0;
    fail("model",
         fmt::format("{} has no contact at this state: {} (must have one at least)", model.file(),
                     off ? "its flags disable contacts"
                         : fmt::format("no {}geoms come as close as distance = {} m",
                                       wanted.empty() ? "" : "selected ", options.distance)));
  }
  number_names(contacts);
  return contacts;
}

}  // namespace carom::mujoco
