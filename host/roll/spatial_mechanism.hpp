#pragma once

#include <string>
#include <vector>

#include "carom/spatial_world.hpp"
#include "kernels/mechanisms/spatial_view.hpp"

namespace carom {

/// A spatial world as flat arrays. It must not be moved, since its view points into it.
class SpatialArrays {
 public:
  explicit SpatialArrays(const SpatialWorld& world);
  SpatialArrays(const SpatialArrays&) = delete;
  SpatialArrays& operator=(const SpatialArrays&) = delete;

  const SpatialView& view() const { return view_; }
  const std::vector<std::string>& names() const { return names_; }  ///< of the pairs
  const std::vector<double>& position() const { return position_; }
  const std::vector<double>& velocity() const { return velocity_; }

 private:
  void add_body(const SpatialBody& body);
  void add_surface(const SpatialFloor& floor);

  std::vector<double> position_, velocity_;
  std::vector<SpatialBodyView> bodies_;
  std::vector<SpatialSurfaceView> surfaces_;
  std::vector<SpatialContactView> contacts_;
  std::vector<std::string> names_;
  SpatialView view_;
};

}  // namespace carom
