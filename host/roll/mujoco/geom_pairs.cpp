#include "host/roll/mujoco/geom_pairs.hpp"

#include <algorithm>
#include <set>

namespace carom::mujoco {
namespace {

/// What MuJoCo's filters say of two bodies.
bool may_touch(const mjModel& model, int one, int other) {
  const int a = model.body_weldid[one];
  const int b = model.body_weldid[other];
  if (a == b) return false;
  for (int i = 0; i < static_cast<int>(model.nexclude); ++i) {
    const int signature = model.exclude_signature[i];
    if (signature == (one << 16) + other || signature == (other << 16) + one) return false;
  }
  const bool parents = (model.opt.disableflags & mjDSBL_FILTERPARENT) == 0 && a != 0 && b != 0;
  const auto parent = [&](int body) { return model.body_weldid[model.body_parentid[body]]; };
  return !parents || (parent(a) != b && parent(b) != a);
}

bool moves(const mjModel& model, int geom) {
  return model.body_weldid[model.geom_bodyid[geom]] != 0;
}

}  // namespace

std::vector<GeomPair> geom_pairs(const ModelView& view, const WantedGeoms& wanted) {
  const mjModel& model = view.model();
  std::set<GeomPair> pairs;
  const auto add = [&](int a, int b) {
    if (selected(a, b, wanted)) pairs.insert({std::min(a, b), std::max(a, b)});
  };
  for (int a = 0; a < static_cast<int>(model.ngeom); ++a) {
    for (int b = a + 1; b < static_cast<int>(model.ngeom); ++b) {
      const bool types = (model.geom_contype[a] & model.geom_conaffinity[b]) != 0 ||
                         (model.geom_contype[b] & model.geom_conaffinity[a]) != 0;
      if (types && may_touch(model, model.geom_bodyid[a], model.geom_bodyid[b])) add(a, b);
    }
  }
  for (int i = 0; i < static_cast<int>(model.npair); ++i) {
    add(model.pair_geom1[i], model.pair_geom2[i]);
  }
  return {pairs.begin(), pairs.end()};
}

std::vector<std::string> pair_names(const ModelView& view, const std::vector<GeomPair>& pairs) {
  const mjModel& model = view.model();
  std::vector<std::string> names;
  for (const auto [a, b] : pairs) {
    // MuJoCo has the geom of the lesser type first, and its normal points to the other.
    const bool ordered = model.geom_type[a] <= model.geom_type[b];
    const int first = ordered ? a : b;
    const int second = ordered ? b : a;
    const bool turned = !moves(model, second);
    names.push_back(geom_pair_name(view, turned ? first : second, turned ? second : first));
  }
  return names;
}

}  // namespace carom::mujoco
