#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "carom/mujoco.hpp"
#include "host/base/field_error.hpp"
#include "host/problem/mujoco/library.hpp"
#include "host/problem/mujoco/protected_call.hpp"

namespace carom::mujoco {

/// @throws FieldError "[mujoco] option: message"
[[noreturn]] inline void fail(const std::string& option, const std::string& message) {
  throw FieldError("mujoco." + option, message);
}

/// A name as lists of names have it: without commas and control characters.
std::string listable(std::string name);

/// A model at a state, both owned by somebody else.
class ModelView {
 public:
  /// @param file its file, or what messages call it
  ModelView(const Library& library, std::string file, const mjModel* model, const mjData* data)
      : library_(library), file_(std::move(file)), seen_model_(model), seen_data_(data) {}

  const Library& functions() const { return library_; }
  const std::string& file() const { return file_; }
  const mjModel& model() const { return *seen_model_; }
  const mjData& data() const { return *seen_data_; }

  /// The name of an object; empty if it has none.
  std::string given_name(mjtObj object, int id) const;
  /// The same; of an object without a name that its body has for itself, the body's name, unless
  /// another object has that name.
  std::string own_or_body_name(mjtObj object, int id, int body, bool is_alone) const;
  /// The name, or `type` and number: "geom 3".
  std::string name(mjtObj object, const char* type, int id) const;
  /// The name of a joint, or of its body if it has no other joint; else "joint 3".
  std::string joint_name(int joint) const;
  /// All names of a type's objects, unnamed ones left out.
  std::vector<std::string> names(mjtObj object, int count) const;

  /// Calls MuJoCo. @throws RunError with its message
  template <class Function>
  void call(const char* what, Function&& function) const {
    check(what, protected_call(library_, function));
  }

  /// The same, but warnings are left to those that the data count.
  template <class Function>
  void call_in_time(const char* what, Function&& function) const {
    CallReport report = protected_call(library_, function);
    report.warning.clear();
    check(what, report);
  }

 protected:
  void see(const mjModel* model, const mjData* data) {
    seen_model_ = model;
    seen_data_ = data;
  }

 private:
  void check(const char* what, const CallReport& report) const;

  const Library& library_;
  std::string file_;
  const mjModel* seen_model_;
  const mjData* seen_data_;
};

/// A model, with the data for evaluating a state.
class Model : public ModelView {
 public:
  /// Reads a file. @throws InputError with MuJoCo's message if the file is no model
  Model(const Library& library, const std::string& file);
  /// Copies a model and, if given, its state, which set_state() then starts from.
  /// @param file its file, or what messages call it
  Model(const Library& library, const mjModel& source, const mjData* state, std::string file);

  /// Evaluates kinematics, mass matrix and the contacts closer than options.distance at the state.
  /// @throws InputError on a bad state, or if MuJoCo warns; RunError on MuJoCo's errors, after
  /// which the model must not be used any more
  void set_state(const MujocoOptions& options);

  mjModel& own_model() { return *model_; }
  mjData& own_data() { return *data_; }

 private:
  int keyframe(const std::string& text) const;
  void reset(const MujocoOptions& options);
  void make_data();
  /// Contacts are found from this far on; their forces act from where they did.
  void set_detection_distance(double distance);

  bool has_state_ = false;
  std::unique_ptr<mjModel, decltype(&::mj_deleteModel)> model_;
  std::unique_ptr<mjData, decltype(&::mj_deleteData)> data_;
  // Values of the file, the reference of set_detection_distance().
  std::vector<mjtNum> geom_gap_, pair_gap_, geom_margin_, pair_margin_, body_margin_;
  mjtNum override_margin_ = 0.0;
};

/// What messages call a model without a file.
inline constexpr const char* model_in_memory = "the model";

/// Held by the one thread that uses the models of files, which are kept.
std::mutex& turn();

/// Calls `use` with the model of a file; only one thread at a time. A model is read again if its
/// file (not a file that it includes) has changed.
void with_model(const std::string& file, const std::function<void(Model&)>& use);

}  // namespace carom::mujoco
