#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "carom/mujoco.hpp"
#include "host/problem/mujoco/library.hpp"
#include "host/problem/mujoco/protected_call.hpp"

namespace carom::mujoco {

/// A model read from a file, with the data for evaluating a state.
class Model {
 public:
  /// @throws InputError with MuJoCo's message if the file is no model
  Model(const Library& library, const std::string& file);

  const Library& functions() const { return library_; }
  const std::string& file() const { return file_; }
  const mjModel& model() const { return *model_; }
  const mjData& data() const { return *data_; }

  /// Evaluates kinematics, mass matrix and the contacts closer than options.distance at the state.
  /// @throws InputError on a bad state, or if MuJoCo warns; RunError on MuJoCo's errors, after
  /// which the model must not be used any more
  void set_state(const MujocoOptions& options);

  /// The name of an object, or `type` and number if it has none: "geom 3".
  std::string name(mjtObj object, const char* type, int id) const;
  /// All names of a type's objects, unnamed ones left out.
  std::vector<std::string> names(mjtObj object, int count) const;

  /// Calls MuJoCo. @throws RunError with its message
  template <class Function>
  void call(const char* what, Function&& function) const {
    check(what, protected_call(library_, function));
  }

 private:
  int keyframe(const std::string& text) const;
  void set_detection_distance(double distance);
  void check_equalities() const;
  void check(const char* what, const CallReport& report) const;

  const Library& library_;
  std::string file_;
  std::unique_ptr<mjModel, decltype(&::mj_deleteModel)> model_;
  std::unique_ptr<mjData, decltype(&::mj_deleteData)> data_;
  // Values of the file, the reference of set_detection_distance().
  std::vector<mjtNum> geom_buffer_, pair_buffer_, body_margin_;
  mjtNum override_margin_ = 0.0;
};

/// Calls `use` with the model of a file; only one thread at a time. A model is read again if its
/// file (not a file that it includes) has changed.
void with_model(const std::string& file, const std::function<void(Model&)>& use);

}  // namespace carom::mujoco
