#pragma once

#include <string>
#include <vector>

#include "carom/planar_world.hpp"
#include "kernels/mechanisms/planar_view.hpp"

namespace carom {

/// A planar world as flat arrays. It must not be moved, since its view points into it.
class PlanarArrays {
 public:
  explicit PlanarArrays(const PlanarWorld& world);
  PlanarArrays(const PlanarArrays&) = delete;
  PlanarArrays& operator=(const PlanarArrays&) = delete;

  const PlanarView& view() const { return view_; }
  const std::vector<std::string>& names() const { return names_; }  ///< of the pairs
  const std::vector<double>& position() const { return position_; }
  const std::vector<double>& velocity() const { return velocity_; }

 private:
  void add_links(const PlanarWorld& world);
  void add_pair(const PlanarContactView& contact, std::string name);

  std::vector<double> mass_, extent_, vertices_, position_, velocity_;
  std::vector<PlanarLinkView> links_;
  std::vector<PlanarSurfaceView> surfaces_;
  std::vector<PlanarContactView> contacts_;
  std::vector<std::string> names_;
  PlanarView view_;
};

}  // namespace carom
