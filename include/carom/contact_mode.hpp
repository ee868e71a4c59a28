#pragma once

#include <cstdint>

namespace carom {

/// What a contact does after the impact.
enum class ContactMode : std::uint8_t {
  separates,    ///< normal speed above the tolerance
  sticks,       ///< touches, and no tangential speed above the tolerance
  slides,       ///< touches and slides; in the plane: towards + along its tangent
  slides_back,  ///< touches and slides towards -; planar contacts only
};

}  // namespace carom
