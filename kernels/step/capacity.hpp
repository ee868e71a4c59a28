#pragma once

#include "kernels/step/step_lcp_view.hpp"

namespace carom {

/// One compiled size of the trajectory program: its arrays hold any problem up to these sizes.
template <int MaxLcpSize, int MaxVelocities, int MaxBoundedSize = MaxLcpSize - 1>
struct Capacity {
  static constexpr int lcp_size = MaxLcpSize;          ///< n = (3 + k) m
  static constexpr int bounded_size = MaxBoundedSize;  ///< (2 + k) m: 4 n / 5 with k = 2
  static constexpr int velocities = MaxVelocities;     ///< nv
  static constexpr int contacts = MaxLcpSize / 5;      ///< m, since k >= 2
  /// m (1 + d): planar 2 m with m <= n / 5, spatial 3 m with m <= n / 7
  static constexpr int impulses = 2 * contacts > 3 * (lcp_size / 7) ? 2 * contacts
                                                                    : 3 * (lcp_size / 7);

  /// Inputs of a step whose maps Lemke's method updates. Only the small size does so: there, it is
  /// the faster way to a solution's map, and it makes pivot paths reusable.
  static constexpr int carried_inputs = lcp_size <= 10 ? contacts + impulses : 0;

  using General = Capacity;  ///< the size, for any shape
  static constexpr bool is_fixed = false;
  /// The view with the parts of its shape that are known at compile time: see FixedShape.
  CAROM_VIEW_FUNCTION static constexpr StepLcpView narrow(const StepLcpView& view) { return view; }

  static constexpr bool fits(int size, int its_bounded_size, int velocity_count) {
    return size <= lcp_size && its_bounded_size <= bounded_size && velocity_count <= velocities;
  }
};

/// The size whose steps carry inputs, see Capacity.
using SmallestCapacity = Capacity<10, 16, 8>;

/// Planar problems of two contacts, the most frequent ones: loops over contacts have lengths that
/// the compiler knows.
template <class Capacity, int Contacts, int TangentDimension, int FrictionDirections>
struct FixedShape : Capacity {
  using General = Capacity;
  static constexpr bool is_fixed = true;
  static_assert(Capacity::bounded_size == (2 + FrictionDirections) * Contacts);
  static constexpr bool is_shape_of(const ProblemShape& shape) {
    return shape.contacts == Contacts && shape.tangent_dimension == TangentDimension &&
           shape.friction_directions == FrictionDirections &&
           Capacity::fits(shape.lcp_size(), shape.bounded_size(), shape.velocities);
  }
  CAROM_VIEW_FUNCTION static constexpr StepLcpView narrow(const StepLcpView& view) {
    return {{Contacts, view.shape.velocities, TangentDimension, FrictionDirections}, view.data};
  }
};

using TwoPlanarContacts = FixedShape<SmallestCapacity, 2, 1, 2>;

/// Size of a program that solves no LCP: its problems have normals only (d = 0, k = 0).
template <int MaxContacts, int MaxVelocities>
struct NormalCapacity {
  static constexpr int contacts = MaxContacts;
  static constexpr int impulses = MaxContacts;
  static constexpr int lcp_size = 3 * MaxContacts;
  static constexpr int bounded_size = 2 * MaxContacts;
  static constexpr int velocities = MaxVelocities;
  CAROM_VIEW_FUNCTION static constexpr StepLcpView narrow(const StepLcpView& view) { return view; }

  static constexpr bool fits(int size, int its_bounded_size, int velocity_count) {
    return size <= lcp_size && its_bounded_size <= bounded_size && velocity_count <= velocities;
  }
};

template <class... Sizes>
struct CapacityList {};

/// To sample larger problems, take a size such as Capacity<240, 96> and build again.
using LargestCapacity = Capacity<120, 96>;
/// The largest size on a device, whose threads have little memory.
using LargestDeviceCapacity = Capacity<60, 48>;

/// The only list of compiled sizes, smallest first.
using Capacities =
    CapacityList<SmallestCapacity, Capacity<25, 24, 20>, LargestDeviceCapacity, LargestCapacity>;

using LargestNormalCapacity = NormalCapacity<64, 96>;

/// Sizes of programs for normals only, smallest first.
using NormalCapacities = CapacityList<NormalCapacity<8, 24>, NormalCapacity<16, 48>,
                                      NormalCapacity<32, 64>, LargestNormalCapacity>;

/// Size in which problems are assembled that are too large for an LCP: laws without friction take
/// them. The contacts that approach are the 64 bits of a word.
using LargestAssembly = Capacity<5 * 64, 96>;

namespace detail {

template <class Visitor, class First, class... Rest>
CAROM_HOST_DEVICE bool with_capacity(const ProblemShape& shape, CapacityList<First, Rest...>,
                                     Visitor&& visitor) {
  if (First::fits(shape.lcp_size(), shape.bounded_size(), shape.velocities)) {
    visitor(First{});
    return true;
  }
  if constexpr (sizeof...(Rest) > 0) {
    return with_capacity(shape, CapacityList<Rest...>{}, visitor);
  }
  return false;
}

template <class... Sizes>
constexpr int largest_lcp_size(CapacityList<Sizes...>) {
  int largest = 0;
  ((largest = Sizes::lcp_size > largest ? Sizes::lcp_size : largest), ...);
  return largest;
}

template <class... Sizes>
constexpr int largest_velocities(CapacityList<Sizes...>) {
  int largest = 0;
  ((largest = Sizes::velocities > largest ? Sizes::velocities : largest), ...);
  return largest;
}

template <class... Sizes>
constexpr int largest_impulses(CapacityList<Sizes...>) {
  int largest = 0;
  ((largest = Sizes::impulses > largest ? Sizes::impulses : largest), ...);
  return largest;
}

}  // namespace detail

inline constexpr int max_lcp_size = detail::largest_lcp_size(Capacities{});
inline constexpr int max_velocities = detail::largest_velocities(Capacities{});
inline constexpr int max_impulses = detail::largest_impulses(Capacities{});

/// Calls `visitor(Capacity<...>{})` with the smallest capacity that holds a problem; false if none.
template <class Visitor>
CAROM_HOST_DEVICE bool with_capacity(const ProblemShape& shape, Visitor&& visitor) {
  return detail::with_capacity(shape, Capacities{}, visitor);
}

/// The same for a problem with normals only.
template <class Visitor>
bool with_normal_capacity(const ProblemShape& shape, Visitor&& visitor) {
  return detail::with_capacity(shape, NormalCapacities{}, visitor);
}

/// As with_capacity, with sizes up to `Largest` alone; false if none of them holds the problem.
/// @tparam fixed_shapes whether the shape may have its own program
template <class Largest, bool fixed_shapes, class Visitor>
CAROM_HOST_DEVICE bool with_size_up_to(const ProblemShape& shape, Visitor&& visitor) {
  if constexpr (fixed_shapes) {
    if (TwoPlanarContacts::is_shape_of(shape)) {
      visitor(TwoPlanarContacts{});
      return true;
    }
  }
  bool fits = false;
  with_capacity(shape, [&]<class Size>(Size) {
    if constexpr (Size::lcp_size <= Largest::lcp_size) {
      fits = true;
      visitor(Size{});
    }
  });
  return fits;
}

/// With any size, and with the shape if the shape has its own program.
template <class Visitor>
bool with_size(const ProblemShape& shape, Visitor&& visitor) {
  return with_size_up_to<LargestCapacity, true>(shape, visitor);
}

/// Whether problems of a shape can be sampled.
constexpr bool fits_capacity(const ProblemShape& shape) {
  // Sizes are bounded one by one first, so that their product cannot overflow.
  return shape.contacts <= max_lcp_size && shape.friction_directions <= max_lcp_size &&
         shape.lcp_size() <= max_lcp_size && shape.velocities <= max_velocities;
}

/// Whether a device can sample problems of a shape.
constexpr bool fits_device(const ProblemShape& shape) {
  return LargestDeviceCapacity::fits(shape.lcp_size(), shape.bounded_size(), shape.velocities);
}

/// Whether problems of a shape become flat: those with LCPs, and further ones for laws without.
constexpr bool fits_assembly(const ProblemShape& shape) {
  return fits_capacity(shape) ||
         (shape.contacts <= LargestAssembly::contacts &&
          shape.friction_directions <= LargestAssembly::lcp_size &&
          LargestAssembly::fits(shape.lcp_size(), shape.bounded_size(), shape.velocities));
}

}  // namespace carom
