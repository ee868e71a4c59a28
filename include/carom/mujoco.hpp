#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "carom/impact_problem.hpp"

namespace carom {

/// Selects the contacts of one geom with any other or, with both names given, of two geoms.
struct MujocoGeoms {
  std::string geom;        ///< name
  std::string other = {};  ///< empty: any
};

/// A state of a MuJoCo model, and which of its contacts take part in the impact.
struct MujocoOptions {
  std::string model = {};     ///< MJCF or URDF file
  std::string keyframe = {};  ///< name, or index from 0; empty: the model's reference state
  Eigen::VectorXd qpos = {};  ///< nq; empty: the keyframe's
  Eigen::VectorXd qvel = {};  ///< nv; empty: the keyframe's, or zero
  std::vector<MujocoGeoms> geoms = {};  ///< empty: all
  /// m, >= 0; geoms touch that are at most this far apart, beyond the margins that they have.
  /// Joints and tendons this close to an end of their range (m or rad) are at their limit.
  double distance = 1e-3;
  /// 1: of contacts of the same two rigid bodies with one normal, one friction coefficient and
  /// points in one plane, the corners of the convex hull alone are contacts. The set becomes
  /// smaller: a point between corners can push while one of them already separates. k >= 3: of
  /// these corners at most k, whose polygon keeps most of the hull's area. 0: all that differ.
  int merge = 0;
  /// A joint or tendon at its limit has a contact without friction there: "knee upper limit".
  bool limits = true;
};

/// The impact problem of a MuJoCo model at a state: mass matrix (with armature), contact points,
/// frames and friction from the engine, velocities as in qvel. Contact names are "geom/other".
/// Planar where no contact can slip in two directions, spatial otherwise; see docs/mujoco.md. A
/// model is read again only when its file changes. Safe to call from many threads.
/// @throws InputError naming the option and the rule; RunError if MuJoCo cannot be loaded or fails.
ImpactProblem impact_problem_from_mujoco(const MujocoOptions& options);

/// MuJoCo support of this build and this machine.
struct MujocoSupport {
  bool built = false;          ///< Carom was built with MuJoCo's headers
  std::string header_version;  ///< "4.0.0"; empty if not built
  std::string loaded_file;     ///< file or name of the library that was loaded; empty if none
  std::string loaded_version;  ///< version of the loaded library
  std::string problem;         ///< why models cannot be read; empty if they can
};

/// Loads the library if it is not loaded yet: $CAROM_MUJOCO_LIBRARY, then the path known from the
/// build, then the dynamic linker's search path.
MujocoSupport mujoco_support();

}  // namespace carom
