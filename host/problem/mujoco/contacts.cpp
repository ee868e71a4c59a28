#include "host/problem/mujoco/contacts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "host/base/nearest_name.hpp"
#include "host/problem/mujoco/equalities.hpp"
#include "host/problem/mujoco/merge_contacts.hpp"

namespace carom::mujoco {
namespace {

using Motion = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>;

// Coefficients of two directions that differ by more than rounding are anisotropic friction.
constexpr double friction_tolerance = 1e-12;
// A motion along the normal that is a smaller part of all motion is rounding.
constexpr double opening_tolerance = 1e-12;

/// Empty for a geom without a name whose body has no name, or other geoms beside one that collides.
std::string given_name(const ModelView& view, int geom) {
  const mjModel& model = view.model();
  const int body = model.geom_bodyid[geom];
  const int first = model.body_geomadr[body];
  bool is_alone = true;
  for (int other = first; other < first + model.body_geomnum[body]; ++other) {
    const bool collides = (model.geom_contype[other] | model.geom_conaffinity[other]) != 0;
    is_alone = is_alone && collides == (other == geom);
  }
  is_alone = is_alone || model.body_geomnum[body] == 1;  // which may collide by a pair
  return view.own_or_body_name(mjOBJ_GEOM, geom, body, is_alone);
}

int geom_id(const ModelView& model, const std::string& name, std::size_t entry) {
  std::vector<std::string> known;
  for (int geom = 0; geom < model.model().ngeom; ++geom) {
    known.push_back(given_name(model, geom));
    if (known.back() == name && !name.empty()) return geom;
  }
  std::erase(known, "");
  fail(fmt::format("geoms[{}]", entry), fmt::format("geoms names \"{}\" (must be a geom of {}){}",
                                                    name, model.file(), suggestion(name, known)));
}

Motion point_motion(const ModelView& model, const mjContact& contact, int side) {
  const int body = model.model().geom_bodyid[contact.geom[side]];
  Motion motion(3, model.model().nv);
  mjtNum* const rows = motion.data();
  const Library& library = model.functions();
  model.call("mj_jac", [&] {
    library.jacobian(&model.model(), &model.data(), rows, nullptr, contact.pos, body);
  });
  return motion;
}

std::string geom_name(const ModelView& model, int geom) {
  std::string name = given_name(model, geom);
  if (name.empty()) name = fmt::format("geom {}", geom);
  return listable(std::move(name));
}

std::string contact_name(const ModelView& model, const Contact& contact) {
  if (contact.limit) return limit_name(model, *contact.limit);
  return geom_pair_name(model, contact.geom, contact.other);
}

double friction(const ModelView& model, const Contact& named, const mjContact& contact) {
  if (contact.dim == 1) return 0.0;
  const double first = contact.friction[0];
  const double second = contact.friction[1];
  if (std::abs(first - second) > friction_tolerance * std::max(first, second)) {
    fail("model", fmt::format("contact {} has friction {} and {} along its two tangents (must be "
                              "the same)",
                              contact_name(model, named), first, second));
  }
  return first;
}

/// @return false if the bodies cannot move along the normal: both are fixed, or, as of two links
/// whose joint turns about it, their motion is across it
bool read_contact(const ModelView& model, const mjContact& source, Contact& contact) {
  const Motion first = point_motion(model, source, 0);
  const Motion second = point_motion(model, source, 1);
  if (first.isZero(0.0) && second.isZero(0.0)) return false;
  // MuJoCo's normal points from the first geom to the second.
  const bool turned = second.isZero(0.0);
  contact.frame = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(source.frame);
  if (turned) contact.frame.row(0) *= -1.0;
  contact.motion = turned ? first - second : second - first;
  const double largest = contact.motion.cwiseAbs().maxCoeff();
  const double along = (contact.frame.row(0) * contact.motion).cwiseAbs().maxCoeff();
  if (along <= opening_tolerance * largest) return false;
  contact.geom = source.geom[turned ? 0 : 1];
  contact.other = source.geom[turned ? 1 : 0];
  contact.friction = friction(model, contact, source);
  contact.margin = source.includemargin;
  contact.gap = source.dist - source.includemargin;
  contact.place = Eigen::Map<const Eigen::Vector3d>(source.pos);
  return true;
}

void append_limits(const ModelView& model, double distance, std::vector<Contact>& contacts) {
  for (const ReachedLimit& limit : limits_within(model, distance)) {
    const Eigen::RowVectorXd row = limit_row(model, limit);
    if (row.isZero(0.0)) continue;  // nothing moves it, as of a ball's angle at 0
    Contact contact;
    contact.limit = limit;
    contact.frame.setIdentity();
    contact.motion.setZero(3, row.size());
    contact.motion.row(0) = row;
    contact.margin = limit.margin;
    contact.gap = limit.gap;
    contact.place.setZero();
    contacts.push_back(std::move(contact));
  }
}

}  // namespace

bool selected(int a, int b, const WantedGeoms& wanted) {
  return wanted.empty() || std::any_of(wanted.begin(), wanted.end(), [&](const auto& pair) {
           const auto [one, other] = pair;
           return (one == a && (other == -1 || other == b)) ||
                  (one == b && (other == -1 || other == a));
         });
}

std::string geom_pair_name(const ModelView& model, int geom, int other) {
  return geom_name(model, geom) + "/" + geom_name(model, other);
}

void check_selection(const MujocoOptions& options) {
  if (!(options.distance >= 0.0) || !std::isfinite(options.distance)) {
    fail("distance", fmt::format("distance is {} (must be >= 0 and finite)", options.distance));
  }
  const int merge = options.merge;
  if (merge == 0 || merge == 1 || merge >= 3) return;
  fail("merge", fmt::format("merge is {} (must be true, false, or how many corners of a flat patch "
                            "are contacts at most, 3 or more)",
                            merge));
}

WantedGeoms wanted_geoms(const ModelView& model, const MujocoOptions& options) {
  WantedGeoms wanted;
  for (const MujocoGeoms& geoms : options.geoms) {
    const std::size_t entry = wanted.size();
    wanted.push_back({geom_id(model, geoms.geom, entry),
                      geoms.other.empty() ? -1 : geom_id(model, geoms.other, entry)});
  }
  return wanted;
}

std::vector<int> moved_trees(const ModelView& model, const std::vector<Contact>& contacts) {
  const mjModel& its = model.model();
  const auto tree = [&](int body) {
    const int found = its.body_treeid[body];
    return found >= 0 && has_equalities(model) ? 0 : found;
  };
  std::vector<int> moved, others;
  for (const Contact& contact : contacts) {
    std::set<int> trees;
    if (contact.limit) {
      for (Eigen::Index j = 0; j < contact.motion.cols(); ++j) {
        if (contact.motion(0, j) != 0.0) trees.insert(tree(its.dof_bodyid[j]));
      }
    } else {
      for (const int geom : {contact.geom, contact.other}) {
        trees.insert(tree(its.geom_bodyid[geom]));
      }
    }
    const std::vector<int> list(trees.begin(), trees.end());
    moved.insert(moved.end(), {list.front(), list.back()});
    for (std::size_t i = 1; i + 1 < list.size(); ++i) {
      others.insert(others.end(), {list[i - 1], list[i]});
    }
  }
  moved.insert(moved.end(), others.begin(), others.end());
  return moved;
}

std::string contact_counts(const ModelView& model, const std::vector<Contact>& contacts) {
  std::map<std::string, int> counts;
  for (const Contact& contact : contacts) ++counts[contact_name(model, contact)];
  std::vector<std::pair<std::string, int>> pairs(counts.begin(), counts.end());
  std::ranges::stable_sort(pairs, std::greater{}, &std::pair<std::string, int>::second);
  constexpr std::size_t most_shown = 6;
  std::string text;
  for (std::size_t i = 0; i < pairs.size() && i < most_shown; ++i) {
    const auto& [name, points] = pairs[i];
    text += (i == 0 ? "" : ", ") + (points > 1 ? fmt::format("{} of ", points) : "") + name;
  }
  return text + (pairs.size() > most_shown ? ", ..." : "");
}

std::vector<std::string> contact_names(const ModelView& model,
                                       const std::vector<Contact>& contacts) {
  std::multiset<int> others;
  for (const Contact& contact : contacts) {
    if (!contact.limit) others.insert(contact.other);
  }
  const bool have_one_other = others.size() > 1 && *others.begin() == *others.rbegin();
  std::vector<std::string> names;
  std::map<std::string, int> points;
  for (const Contact& contact : contacts) {
    names.push_back(have_one_other && !contact.limit ? geom_name(model, contact.geom)
                                                     : contact_name(model, contact));
    ++points[names.back()];
  }
  std::set<std::string> taken(names.begin(), names.end());  // a geom may be called "foot 1"
  std::map<std::string, int> next;
  for (std::string& name : names) {
    if (points[name] == 1) continue;
    int& number = next[name];
    std::string numbered;
    do {
      numbered = fmt::format("{} {}", name, ++number);
    } while (!taken.insert(numbered).second);
    name = std::move(numbered);
  }
  return names;
}

std::vector<std::string> speed_units(const ModelView& model, const std::vector<Contact>& contacts) {
  std::vector<std::string> units;
  for (const Contact& its : contacts) {
    units.emplace_back(its.limit && is_of_angle(model.model(), *its.limit) ? "rad/s" : "m/s");
  }
  if (std::ranges::count(units, "m/s") == std::ssize(units)) return {};
  return units;
}

int append_contacts(const ModelView& model, const WantedGeoms& wanted, const MujocoOptions& options,
                    std::vector<Contact>& contacts) {
  const std::size_t first = contacts.size();
  for (int i = 0; i < model.data().ncon; ++i) {
    const mjContact& source = model.data().contact[i];
    if (source.dist - source.includemargin > options.distance) continue;
    if (source.geom[0] < 0 || source.geom[1] < 0) {
      if (!wanted.empty()) continue;
      fail("geoms", "a flex takes part in a contact (must be geoms only: select them by name)");
    }
    if (!selected(source.geom[0], source.geom[1], wanted)) continue;
    Contact contact;
    contact.id = i;
    if (read_contact(model, source, contact)) contacts.push_back(std::move(contact));
  }
  const int merged = merge_contacts(model, options.merge, first, contacts);
  if (options.limits) append_limits(model, options.distance, contacts);
  return merged;
}

void fail_without_contact(const ModelView& model, const MujocoOptions& options,
                          const std::string& addition) {
  const int disabled = mjDSBL_CONTACT | mjDSBL_CONSTRAINT;
  const bool off = (model.model().opt.disableflags & disabled) != 0;
  fail("model",
       fmt::format("{} has no contact at this state: {}{} (must have one at least)", model.file(),
                   off ? "its flags disable contacts"
                       : fmt::format("no {}geoms come as close as distance = {} m",
                                     options.geoms.empty() ? "" : "selected ", options.distance),
                   addition));
}

int select_contacts(const ModelView& model, const MujocoOptions& options,
                    std::vector<Contact>& contacts) {
  const WantedGeoms wanted = wanted_geoms(model, options);
  const int merged = append_contacts(model, wanted, options, contacts);
  const bool has_limits = options.limits && !limits_of(model.model()).empty();
  if (contacts.empty()) {
    fail_without_contact(model, options, has_limits ? " and no limit is as near" : "");
  }
  return merged;
}

}  // namespace carom::mujoco
