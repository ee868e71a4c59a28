#include "host/problem/mujoco/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <mutex>
#include <optional>
#include <vector>

#include "carom/error.hpp"
#include "carom/mujoco.hpp"

namespace carom {
namespace mujoco {
namespace {

constexpr const char* variable = "CAROM_MUJOCO_LIBRARY";

/// Versions were 330 for 3.3.0 before they became 4000000 for 4.0.0.
std::string version_text(int version) {
  const int part = version >= 1000000 ? 1000 : 10;
  return fmt::format("{}.{}.{}", version / (part * part), version / part % part, version % part);
}

template <class Function>
void find_symbol(void* handle, const std::string& file, const char* name, Function& function) {
  void* const address = dlsym(handle, name);
  if (address == nullptr) {
    throw RunError(fmt::format("{} has no function {} (must be a MuJoCo library)", file, name));
  }
  function = reinterpret_cast<Function>(address);
}

Library symbols(void* handle, const std::string& file) {
  Library found;
  found.file = file;
  const auto get = [&](const char* name, auto& function) {
    find_symbol(handle, file, name, function);
  };
  get("mj_version", found.version);
  if (found.version() != mjVERSION_HEADER) {
    throw RunError(
        fmt::format("{} is MuJoCo {} (must be {}, as the headers that this Carom was built with)",
                    file, version_text(found.version()), header_version()));
  }
  get("mj_versionString", found.version_string);
  get("mj_loadXML", found.load_xml);
  get("mj_deleteModel", found.delete_model);
  get("mj_copyModel", found.copy_model);
  get("mj_makeData", found.make_data);
  get("mj_copyData", found.copy_data);
  get("mj_deleteData", found.delete_data);
  get("mj_resetData", found.reset_data);
  get("mj_resetDataKeyframe", found.reset_data_keyframe);
  get("mj_fwdPosition", found.forward_position);
  get("mj_kinematics", found.kinematics);
  get("mj_comPos", found.centre_of_mass);
  get("mj_tendon", found.tendon);
  get("mj_collision", found.collision);
  get("mj_step", found.step);
  get("mj_fullM", found.full_mass_matrix);
  get("mj_jac", found.jacobian);
  get("mj_geomDistance", found.geom_distance);
  get("mj_isSparse", found.is_sparse);
  get("mj_id2name", found.name_of);
  get("mj_name2id", found.id_of);
  get("mju_user_error", found.error_handler);
  get("mju_user_warning", found.warning_handler);
  return found;
}

std::vector<std::string> places() {
  const char* const wanted = std::getenv(variable);
  if (wanted != nullptr && *wanted != '\0') return {wanted};
  std::vector<std::string> files;
  if (*CAROM_MUJOCO_LIBRARY != '\0') files.emplace_back(CAROM_MUJOCO_LIBRARY);
  files.push_back("libmujoco.so." + header_version());
  files.emplace_back("libmujoco.so");
  return files;
}

Library load() {
  std::string tried;
  for (const std::string& file : places()) {
    // Never closed: the library's functions are used until the program ends.
    if (void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      return symbols(handle, file);
    }
    const char* const reason = dlerror();
    tried += fmt::format("\n  {}", reason != nullptr ? reason : file);
  }
  throw RunError(
      fmt::format("MuJoCo {} cannot be loaded (pip install mujoco=={}, or set {} to its "
                  "library):{}",
                  header_version(), header_version(), variable, tried));
}

}  // namespace

std::string header_version() { return version_text(mjVERSION_HEADER); }

const Library& library() {
  static std::mutex mutex;
  static std::optional<Library> loaded;
  const std::lock_guard lock(mutex);
  if (!loaded) loaded = load();
  return *loaded;
}

}  // namespace mujoco

MujocoSupport mujoco_support() {
  MujocoSupport support;
  support.built = true;
  support.header_version = mujoco::header_version();
  try {
    const mujoco::Library& library = mujoco::library();
    support.loaded_file = library.file;
    support.loaded_version = library.version_string();
  } catch (const RunError& error) {
    support.problem = error.what();
  }
  return support;
}

}  // namespace carom
