#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "carom/mujoco.hpp"
#include "host/problem/mujoco/limits.hpp"
#include "host/problem/mujoco/model.hpp"

namespace carom::mujoco {

/// One contact point of two geoms, of which `other` is the one that cannot move, if any. Or a
/// limit: its motion is along the normal alone, and it has neither geoms nor friction nor a place.
struct Contact {
  std::optional<Limit> limit = {};
  int id = -1;  ///< place in the data's contacts
  int geom = -1, other = -1;
  Eigen::Matrix3d frame;   ///< rows: normal from `other` to `geom`, MuJoCo's two tangents; world
  Eigen::MatrixXd motion;  ///< 3 x nv: velocity of `geom` relative to `other` at the point, world
  double friction = 0.0;
  double margin = 0.0;    ///< m, of the geoms' distance: MuJoCo's forces act from there on
  double gap = 0.0;       ///< m (rad of a limit's angle), of the distance less the margin
  Eigen::Vector3d place;  ///< m, of the contact point
};

/// @throws InputError if `distance` or `merge` breaks a rule
void check_selection(const MujocoOptions& options);

/// Two geom ids, or one and -1, per entry of options.geoms; all contacts if there is none.
/// @throws InputError on an unknown geom
using WantedGeoms = std::vector<std::array<int, 2>>;
WantedGeoms wanted_geoms(const ModelView& model, const MujocoOptions& options);

/// Whether contacts of two geoms take part.
bool selected(int a, int b, const WantedGeoms& wanted);

/// Appends the contacts that are selected at the model's state, in MuJoCo's order, then limits.
/// @param options `distance`, `merge` and `limits`
/// @return ImpactProblem::merged_contacts
/// @throws InputError on contacts that Carom does not support
int append_contacts(const ModelView& model, const WantedGeoms& wanted, const MujocoOptions& options,
                    std::vector<Contact>& contacts);

/// @throws InputError: the state has no contact of geoms
[[noreturn]] void fail_without_contact(const ModelView& model, const MujocoOptions& options,
                                       const std::string& addition = "");

/// Appends the contacts that `options` selects at the model's state.
/// @return ImpactProblem::merged_contacts
/// @throws InputError as append_contacts(), and if there are no contacts
int select_contacts(const ModelView& model, const MujocoOptions& options,
                    std::vector<Contact>& contacts);

/// "geom/other"
std::string geom_pair_name(const ModelView& model, int geom, int other);

/// The kinematic trees that contacts move, two per contact, negative: none. A limit of a tendon
/// that moves more than two trees has further entries behind those of all contacts.
std::vector<int> moved_trees(const ModelView& model, const std::vector<Contact>& contacts);

/// "4 of foot/floor, hand/wall": how often two geoms touch, the most often first.
std::string contact_counts(const ModelView& model, const std::vector<Contact>& contacts);

/// "geom/other" each, or "geom" where several contacts have the same other geom; numbered where two
/// geoms touch at several points. A limit's is limit_name().
std::vector<std::string> contact_names(const ModelView& model,
                                       const std::vector<Contact>& contacts);

/// ImpactProblem::speed_units
std::vector<std::string> speed_units(const ModelView& model, const std::vector<Contact>& contacts);

}  // namespace carom::mujoco
