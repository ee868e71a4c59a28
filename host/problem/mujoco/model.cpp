#include "host/problem/mujoco/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <list>
#include <span>

#include "carom/error.hpp"
#include "carom/mujoco_states.hpp"
#include "host/base/nearest_name.hpp"
#include "host/problem/mujoco/contacts.hpp"

namespace carom::mujoco {
namespace {

namespace fs = std::filesystem;

constexpr int error_size = 1024;
constexpr std::size_t kept_models = 8;

/// On one line.
std::string tidy(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::size_t at = 0;
  while ((at = text.find('\n')) != std::string::npos) text.replace(at, 1, ", ");
  return text;
}

void require_numbers(const char* option, const char* count_name, const Eigen::VectorXd& values,
                     int count) {
  if (values.size() != count) {
    fail(option, fmt::format("{} has {} numbers (must have {}, the model's {})", option,
                             values.size(), count, count_name));
  }
  for (Eigen::Index i = 0; i < count; ++i) {
    if (std::isfinite(values(i))) continue;
    fail(fmt::format("{}[{}]", option, i),
         fmt::format("{} has {} at index {} (must be finite)", option, values(i), i));
  }
}

std::vector<mjtNum> copy(const mjtNum* values, std::ptrdiff_t count) {
  return {values, values + count};
}

template <class Count>
void increase(mjtNum* values, Count count, double by) {
  for (Count i = 0; i < count; ++i) values[i] += by;
}

}  // namespace

Model::Model(const Library& library, const std::string& file)
    : ModelView(library, file, nullptr, nullptr),
      model_(nullptr, library.delete_model),
      data_(nullptr, library.delete_data) {
  char error[error_size] = "";
  mjModel* model = nullptr;
  const char* const name = file.c_str();
  const CallReport report =
      protected_call(library, [&] { model = library.load_xml(name, nullptr, error, error_size); });
  model_.reset(model);
  if (model == nullptr) {
    const std::string reason = tidy(report.failed ? report.error : error);
    fail("model", fmt::format("{} is no model that MuJoCo {} can read: {}", file,
                              library.version_string(), reason));
  }
  make_data();
}

Model::Model(const Library& library, const mjModel& source, const mjData* state, std::string file)
    : ModelView(library, std::move(file), &source, state),
      has_state_(state != nullptr),
      model_(nullptr, library.delete_model),
      data_(nullptr, library.delete_data) {
  mjModel* model = nullptr;
  call("mj_copyModel", [&] { model = library.copy_model(nullptr, &source); });
  model_.reset(model);
  if (model == nullptr) throw RunError("MuJoCo has no memory for a copy of the model");
  make_data();
  if (state == nullptr) return;
  mjData* const data = data_.get();
  call("mj_copyData", [&] { library.copy_data(data, model, state); });
}

void Model::make_data() {
  const Library& library = functions();
  mjModel* const model = model_.get();
#if mjVERSION_HEADER >= 4000000
  // Sleeping bodies would not be evaluated; speculative contacts do not touch yet.
  model_->opt.enableflags &= ~(mjENBL_SLEEP | mjENBL_SPECULATIVE);
#endif
  mjData* data = nullptr;
  call("mj_makeData", [&] { data = library.make_data(model); });
  data_.reset(data);
  if (data == nullptr) throw RunError(fmt::format("{}: MuJoCo has no memory for its data", file()));
  see(model, data);
  geom_gap_ = copy(model_->geom_gap, model_->ngeom);
  pair_gap_ = copy(model_->pair_gap, model_->npair);
  geom_margin_ = copy(model_->geom_margin, model_->ngeom);
  pair_margin_ = copy(model_->pair_margin, model_->npair);
  body_margin_ = copy(model_->body_margin, model_->nbody);
  override_margin_ = model_->opt.o_margin;
}

std::string ModelView::given_name(mjtObj object, int id) const {
  const char* const found = library_.name_of(seen_model_, object, id);
  return found == nullptr ? "" : found;
}

std::string ModelView::own_or_body_name(mjtObj object, int id, int body, bool is_alone) const {
  std::string own = given_name(object, id);
  if (!own.empty() || !is_alone) return own;
  std::string its = given_name(mjOBJ_BODY, body);
  const bool is_taken = library_.id_of(seen_model_, object, its.c_str()) >= 0;
  return is_taken ? own : its;
}

std::string ModelView::name(mjtObj object, const char* type, int id) const {
  const std::string given = given_name(object, id);
  return given.empty() ? fmt::format("{} {}", type, id) : given;
}

std::string ModelView::joint_name(int joint) const {
  const int body = seen_model_->jnt_bodyid[joint];
  const bool is_alone = seen_model_->body_jntnum[body] == 1;
  const std::string its = own_or_body_name(mjOBJ_JOINT, joint, body, is_alone);
  return its.empty() ? fmt::format("joint {}", joint) : its;
}

std::string listable(std::string name) {
  std::ranges::replace(name, ',', ';');
  std::ranges::replace_if(
      name, [](unsigned char letter) { return std::iscntrl(letter) != 0; }, '?');
  return name;
}

std::vector<std::string> ModelView::names(mjtObj object, int count) const {
  std::vector<std::string> list;
  for (int id = 0; id < count; ++id) {
    std::string its = given_name(object, id);
    if (!its.empty()) list.push_back(std::move(its));
  }
  return list;
}

int Model::keyframe(const std::string& text) const {
  const int named = functions().id_of(model_.get(), mjOBJ_KEY, text.c_str());
  int index = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  const auto count = static_cast<int>(model_->nkey);
  const bool is_index =
      error == std::errc() && end == text.data() + text.size() && index >= 0 && index < count;
  if (named >= 0 && is_index && named != index) {
    fail("keyframe", fmt::format("keyframe is \"{}\", the index of one keyframe and the name of "
                                 "another (must be of one: rename the latter)",
                                 text));
  }
  if (named >= 0) return named;
  if (is_index) return index;
  if (count == 0) fail("keyframe", fmt::format("keyframe is \"{}\", but the model has none", text));
  const std::vector<std::string> known = names(mjOBJ_KEY, count);
  fail("keyframe", fmt::format("keyframe is \"{}\" (must be {}{}an index from 0 to {}){}", text,
                               fmt::join(known, " or "), known.empty() ? "" : " or ", count - 1,
                               suggestion(text, known)));
}

void Model::set_detection_distance(double distance) {
  std::ranges::copy(geom_gap_, model_->geom_gap);
  std::ranges::copy(pair_gap_, model_->pair_gap);
  std::ranges::copy(geom_margin_, model_->geom_margin);
  std::ranges::copy(pair_margin_, model_->pair_margin);
  std::ranges::copy(body_margin_, model_->body_margin);
  model_->opt.o_margin = override_margin_;
  mujoco_find_within(*model_, distance);
}

void Model::reset(const MujocoOptions& options) {
  const int key = options.keyframe.empty() ? -1 : keyframe(options.keyframe);
  const Library& library = functions();
  mjModel* const model = model_.get();
  mjData* const data = data_.get();
  call("mj_resetData", [&] {
    if (key < 0) {
      library.reset_data(model, data);
    } else {
      library.reset_data_keyframe(model, data, key);
    }
  });
}

void Model::set_state(const MujocoOptions& options) {
  check_selection(options);
  const auto nq = static_cast<int>(model_->nq);
  const auto nv = static_cast<int>(model_->nv);
  if (nv == 0) fail("model", fmt::format("{} has no joints (must have one at least)", file()));
  if (!has_state_) reset(options);
  mjModel* const model = model_.get();
  mjData* const data = data_.get();
  if (options.qpos.size() > 0) {
    require_numbers("qpos", "nq", options.qpos, nq);
    std::copy(options.qpos.begin(), options.qpos.end(), data->qpos);
  }
  if (options.qvel.size() > 0) {
    require_numbers("qvel", "nv", options.qvel, nv);
    std::copy(options.qvel.begin(), options.qvel.end(), data->qvel);
  }
  require_numbers("qpos", "nq", Eigen::Map<const Eigen::VectorXd>(data->qpos, nq), nq);
  require_numbers("qvel", "nv", Eigen::Map<const Eigen::VectorXd>(data->qvel, nv), nv);
  for (int joint = 0; joint < static_cast<int>(model->njnt); ++joint) {
    const int type = model->jnt_type[joint];
    if (type != mjJNT_FREE && type != mjJNT_BALL) continue;
    const int start = model->jnt_qposadr[joint] + (type == mjJNT_FREE ? 3 : 0);
    const Eigen::Map<const Eigen::Vector4d> quaternion(data->qpos + start);
    // MuJoCo normalises the quaternion; a zero quaternion becomes the identity.
    if (quaternion.norm() > mjMINVAL) continue;
    fail(fmt::format("qpos[{}]", start),
         fmt::format("qpos has a zero quaternion at index {} (must have a direction)", start));
  }
  set_detection_distance(options.distance);
  const Library& library = functions();
  call("mj_fwdPosition", [&] { library.forward_position(model, data); });
}

void ModelView::check(const char* what, const CallReport& report) const {
  if (report.failed) {
    throw RunError(fmt::format("{}: {} of MuJoCo {} failed: {}", file_, what,
                               library_.version_string(), tidy(report.error)));
  }
  if (!report.warning.empty()) {
    fail("model", fmt::format("{}: MuJoCo warns: {}", file_, tidy(report.warning)));
  }
}

namespace {

struct Entry {
  fs::path file;  ///< canonical
  fs::file_time_type time;
  std::uintmax_t size;
  std::unique_ptr<Model> model;
};

}  // namespace

std::mutex& turn() {
  static std::mutex mutex;
  return mutex;
}

void with_model(const std::string& file, const std::function<void(Model&)>& use) {
  static std::list<Entry> entries;  // most recently used first
  if (file.empty()) fail("model", "model is missing (must be the name of an MJCF file)");
  std::error_code error;
  const fs::path place = fs::canonical(file, error);
  if (error) fail("model", fmt::format("{} does not exist", file));
  if (!fs::is_regular_file(place, error)) {
    fail("model", fmt::format("{} is no regular file (must be an MJCF file)", file));
  }
  const fs::file_time_type time = fs::last_write_time(place, error);
  const std::uintmax_t size = fs::file_size(place, error);

  const Library& loaded = library();
  const std::lock_guard lock(turn());
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& entry) { return entry.file == place; });
  if (found != entries.end() && found->time == time && found->size == size) {
    entries.splice(entries.begin(), entries, found);
  } else {
    if (found != entries.end()) entries.erase(found);
    entries.push_front({place, time, size, std::make_unique<Model>(loaded, file)});
    if (entries.size() > kept_models) entries.pop_back();
  }
  try {
    use(*entries.front().model);
  } catch (const RunError&) {
    entries.pop_front();  // the model's data may be half written
    throw;
  }
}

}  // namespace carom::mujoco

namespace carom {

void mujoco_find_within(mjModel& model, double distance) {
  using mujoco::increase;
  increase(model.geom_gap, model.ngeom, distance);
  increase(model.pair_gap, model.npair, distance);
  increase(model.body_margin, model.nbody, distance);
#if mjVERSION_HEADER < 4000000
  // There, contacts are found within the margin, and forces act from margin - gap on.
  increase(model.geom_margin, model.ngeom, distance);
  increase(model.pair_margin, model.npair, distance);
  model.opt.o_margin += distance;
#endif
}

}  // namespace carom
