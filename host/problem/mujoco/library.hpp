#pragma once

#include <mujoco/mujoco.h>

#include <string>

namespace carom::mujoco {

/// MuJoCo's functions and handlers that Carom uses, from the library loaded at run time.
struct Library {
  std::string file;  ///< the loaded library

  decltype(&::mj_version) version;
  decltype(&::mj_versionString) version_string;
  decltype(&::mj_loadXML) load_xml;
  decltype(&::mj_deleteModel) delete_model;
  decltype(&::mj_copyModel) copy_model;
  decltype(&::mj_makeData) make_data;
  decltype(&::mj_copyData) copy_data;
  decltype(&::mj_deleteData) delete_data;
  decltype(&::mj_resetData) reset_data;
  decltype(&::mj_resetDataKeyframe) reset_data_keyframe;
  decltype(&::mj_fwdPosition) forward_position;
  decltype(&::mj_kinematics) kinematics;
  decltype(&::mj_comPos) centre_of_mass;
  decltype(&::mj_tendon) tendon;
  decltype(&::mj_collision) collision;
  decltype(&::mj_step) step;
  decltype(&::mj_fullM) full_mass_matrix;
  decltype(&::mj_jac) jacobian;
  decltype(&::mj_geomDistance) geom_distance;
  decltype(&::mj_isSparse) is_sparse;
  decltype(&::mj_id2name) name_of;
  decltype(&::mj_name2id) id_of;
  decltype(&::mju_user_error) error_handler;
  decltype(&::mju_user_warning) warning_handler;
};

/// The library, loaded by the first call: $CAROM_MUJOCO_LIBRARY, else the library that the build
/// found, else the library that the dynamic linker finds.
/// @throws RunError if no library can be loaded, or its version is not that of the headers: the
/// layout of MuJoCo's structs differs between versions
const Library& library();

/// The headers' version as text: "4.0.0".
std::string header_version();

}  // namespace carom::mujoco
