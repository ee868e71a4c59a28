#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "kernels/base/double_double.hpp"
#include "kernels/base/qualifiers.hpp"

#if defined(__AVX2__) && defined(__FMA__) && !defined(__CUDACC__)
#define CAROM_HAS_VECTORS 1
#include <immintrin.h>
#endif

namespace carom::inline CAROM_ISA {

/// The place of a thread whose numbers are its alone.
struct OwnPlace {
  CAROM_HOST_DEVICE static int lane() { return 0; }
  /// One bit per lane: whether the condition holds there.
  CAROM_HOST_DEVICE static std::uint32_t bits(bool condition) { return condition ? 1u : 0u; }
};

/// `count` numbers side by side. Every lane has the bits of a computation with a single number,
/// since all operations follow IEEE 754. This type holds a single number: for a GPU thread, for
/// processors without fused products, and for the lane of a warp at its Place.
template <class T, int count, class Place = OwnPlace>
struct Lanes {
  static_assert(count == 1);
  using Mask = bool;
  T value;

  CAROM_HOST_DEVICE static Lanes load(const T* from) { return {from[Place::lane()]}; }
  CAROM_HOST_DEVICE static Lanes all(T x) { return {x}; }
  template <class Number>
  CAROM_HOST_DEVICE static Lanes each(const Number& number) {
    return {number(Place::lane())};
  }
  CAROM_HOST_DEVICE void store(T* to) const { to[Place::lane()] = value; }
  CAROM_HOST_DEVICE T first() const { return value; }

  CAROM_HOST_DEVICE friend Lanes operator+(Lanes a, Lanes b) { return {a.value + b.value}; }
  CAROM_HOST_DEVICE friend Lanes operator-(Lanes a, Lanes b) { return {a.value - b.value}; }
  CAROM_HOST_DEVICE friend Lanes operator*(Lanes a, Lanes b) { return {a.value * b.value}; }
  CAROM_HOST_DEVICE friend Lanes operator/(Lanes a, Lanes b) { return {a.value / b.value}; }
  CAROM_HOST_DEVICE friend Lanes operator-(Lanes a) { return {-a.value}; }
  CAROM_HOST_DEVICE friend Lanes magnitude(Lanes a) { return {absolute(a.value)}; }
  /// a b + c, rounded once.
  CAROM_HOST_DEVICE friend Lanes fused(Lanes a, Lanes b, Lanes c) {
    return {multiply_add(a.value, b.value, c.value)};
  }
  CAROM_HOST_DEVICE friend Mask operator<(Lanes a, Lanes b) { return a.value < b.value; }
  CAROM_HOST_DEVICE friend Mask operator<=(Lanes a, Lanes b) { return a.value <= b.value; }
  CAROM_HOST_DEVICE static Lanes select(Mask mask, Lanes yes, Lanes no) { return mask ? yes : no; }
  CAROM_HOST_DEVICE friend Lanes larger(Lanes a, Lanes b) { return b.value < a.value ? a : b; }
  CAROM_HOST_DEVICE friend Lanes smaller(Lanes a, Lanes b) { return a.value < b.value ? a : b; }
  /// One bit per lane: whether a <= b.
  CAROM_HOST_DEVICE static std::uint32_t at_most(Lanes a, Lanes b) {
    return Place::bits(a.value <= b.value);
  }
  /// One bit per lane: whether a < b.
  CAROM_HOST_DEVICE static std::uint32_t below(Lanes a, Lanes b) {
    return Place::bits(a.value < b.value);
  }
  /// The mask with lane `lane` alone; empty if there is no such lane.
  CAROM_HOST_DEVICE static Mask is_lane(int lane) { return lane == Place::lane(); }
};

#if defined(CAROM_HAS_VECTORS)

namespace vectors {
inline __m256d fused(__m256d a, __m256d b, __m256d c) { return _mm256_fmadd_pd(a, b, c); }
inline __m256 fused(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
inline __m256d least(__m256d a, __m256d b) { return _mm256_min_pd(a, b); }
inline __m256 least(__m256 a, __m256 b) { return _mm256_min_ps(a, b); }
inline __m256d greatest(__m256d a, __m256d b) { return _mm256_max_pd(a, b); }
inline __m256 greatest(__m256 a, __m256 b) { return _mm256_max_ps(a, b); }
#if defined(__AVX512F__) && defined(__AVX512VL__)
// With AVX-512, a mask of one bit per lane is cheaper than lanes of bits.
#define CAROM_MASKS_ARE_BITS 1
inline std::uint32_t bits(std::uint32_t mask) { return mask; }
inline std::uint32_t below(__m256d a, __m256d b) { return _mm256_cmp_pd_mask(a, b, _CMP_LT_OQ); }
inline std::uint32_t below(__m256 a, __m256 b) { return _mm256_cmp_ps_mask(a, b, _CMP_LT_OQ); }
inline std::uint32_t below(__m512d a, __m512d b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
inline std::uint32_t below(__m512 a, __m512 b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
inline std::uint32_t not_above(__m256d a, __m256d b) {
  return _mm256_cmp_pd_mask(a, b, _CMP_LE_OQ);
}
inline std::uint32_t not_above(__m256 a, __m256 b) { return _mm256_cmp_ps_mask(a, b, _CMP_LE_OQ); }
inline std::uint32_t not_above(__m512d a, __m512d b) {
  return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ);
}
inline std::uint32_t not_above(__m512 a, __m512 b) { return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ); }
inline __m256d select(std::uint32_t mask, __m256d yes, __m256d no) {
  return _mm256_mask_blend_pd(static_cast<__mmask8>(mask), no, yes);
}
inline __m256 select(std::uint32_t mask, __m256 yes, __m256 no) {
  return _mm256_mask_blend_ps(static_cast<__mmask8>(mask), no, yes);
}
inline __m512d select(std::uint32_t mask, __m512d yes, __m512d no) {
  return _mm512_mask_blend_pd(static_cast<__mmask8>(mask), no, yes);
}
inline __m512 select(std::uint32_t mask, __m512 yes, __m512 no) {
  return _mm512_mask_blend_ps(static_cast<__mmask16>(mask), no, yes);
}
#else
// Masks are integers, all of whose bits are the condition's: GCC does not see that of the results
// of _mm256_cmp_pd(), and tests their signs before each _mm256_blendv_pd().
template <class Vector>
inline auto below(Vector a, Vector b) {
  return a < b;
}
template <class Vector>
inline auto not_above(Vector a, Vector b) {
  return a <= b;
}
template <class Mask, class Vector>
inline Vector select(Mask mask, Vector yes, Vector no) {
  return mask ? yes : no;
}
template <class Mask>
inline std::uint32_t bits(Mask mask) {
  if constexpr (sizeof(mask[0]) == 8) {
    return static_cast<std::uint32_t>(_mm256_movemask_pd(reinterpret_cast<__m256d>(mask)));
  } else {
    return static_cast<std::uint32_t>(_mm256_movemask_ps(reinterpret_cast<__m256>(mask)));
  }
}
#endif
#if defined(__AVX512F__)
inline __m512d fused(__m512d a, __m512d b, __m512d c) { return _mm512_fmadd_pd(a, b, c); }
inline __m512 fused(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
// Masked forms, because GCC 12 warns about its own plain forms.
inline __m512d least(__m512d a, __m512d b) { return _mm512_mask_min_pd(a, 0xFF, a, b); }
inline __m512d greatest(__m512d a, __m512d b) { return _mm512_mask_max_pd(a, 0xFF, a, b); }
#endif
}  // namespace vectors

/// Whole vectors of the processor, with the vector operators of GCC and Clang.
template <class T, int count>
requires(count > 1) struct Lanes<T, count, OwnPlace> {
  using Vector [[gnu::vector_size(count * sizeof(T))]] = T;
  using Integer = std::conditional_t<sizeof(T) == 8, long long, int>;
  using Integers [[gnu::vector_size(count * sizeof(T))]] = Integer;
#if defined(CAROM_MASKS_ARE_BITS)
  using Mask = std::uint32_t;
#else
  using Mask = decltype(Vector{} < Vector{});
#endif
  Vector value;

  static Lanes load(const T* from) {
    Lanes result;
    std::memcpy(&result.value, from, sizeof(Vector));
    return result;
  }
  static Lanes all(T x) { return {x - Vector{}}; }
  /// Of each lane number(0), number(1), ...
  template <class Number>
  static Lanes each(const Number& number) {
    return [&]<int... lane>(std::integer_sequence<int, lane...>) {
      return Lanes{Vector{number(lane)...}};
    }
    (std::make_integer_sequence<int, count>());
  }
  void store(T* to) const { std::memcpy(to, &value, sizeof(Vector)); }
  T first() const { return value[0]; }

  friend Lanes operator+(Lanes a, Lanes b) { return {a.value + b.value}; }
  friend Lanes operator-(Lanes a, Lanes b) { return {a.value - b.value}; }
  friend Lanes operator*(Lanes a, Lanes b) { return {a.value * b.value}; }
  friend Lanes operator/(Lanes a, Lanes b) { return {a.value / b.value}; }
  friend Lanes operator-(Lanes a) { return {-a.value}; }
  friend Lanes magnitude(Lanes a) {
    const Integers sign = reinterpret_cast<Integers>(-Vector{});
    return {reinterpret_cast<Vector>(reinterpret_cast<Integers>(a.value) & ~sign)};
  }
  friend Lanes fused(Lanes a, Lanes b, Lanes c) {
    return {vectors::fused(a.value, b.value, c.value)};
  }
  friend Mask operator<(Lanes a, Lanes b) { return vectors::below(a.value, b.value); }
  friend Mask operator<=(Lanes a, Lanes b) { return vectors::not_above(a.value, b.value); }
  static Lanes select(Mask mask, Lanes yes, Lanes no) {
    return {vectors::select(mask, yes.value, no.value)};
  }
  static std::uint32_t at_most(Lanes a, Lanes b) {
    return vectors::bits(vectors::not_above(a.value, b.value));
  }
  static std::uint32_t below(Lanes a, Lanes b) {
    return vectors::bits(vectors::below(a.value, b.value));
  }
  static Mask is_lane(int lane) {
#if defined(CAROM_MASKS_ARE_BITS)
    return static_cast<unsigned>(lane) < count ? std::uint32_t{1} << lane : 0u;
#else
    Integers number;
    for (int i = 0; i < count; ++i) number[i] = i;
    return reinterpret_cast<Mask>(number == static_cast<Integer>(lane));
#endif
  }
};

#endif

// The same functions for a single number, so that one formula serves both.
CAROM_HOST_DEVICE inline double magnitude(double a) { return std::fabs(a); }

/// `value` in every lane.
template <class Value>
CAROM_HOST_DEVICE inline Value everywhere(double value) {
  if constexpr (std::is_same_v<Value, double>) {
    return value;
  } else {
    return Value::all(value);
  }
}
/// Computed lane by lane without branches.
template <class Mask, class Value>
CAROM_HOST_DEVICE inline Value choose(Mask mask, Value yes, Value no) {
  if constexpr (std::is_same_v<Value, double>) {
    return mask ? yes : no;
  } else {
    return Value::select(mask, yes, no);
  }
}

/// The larger and the smaller of two numbers, as for single numbers.
#if defined(CAROM_HAS_VECTORS)
template <class T, int count>
requires(count > 1) inline Lanes<T, count> larger(Lanes<T, count> a, Lanes<T, count> b) {
  return {vectors::greatest(a.value, b.value)};
}
template <class T, int count>
requires(count > 1) inline Lanes<T, count> smaller(Lanes<T, count> a, Lanes<T, count> b) {
  return {vectors::least(a.value, b.value)};
}
#endif

/// The least lane, in every lane.
template <class T, int count>
CAROM_HOST_DEVICE inline Lanes<T, count> least_of_all(Lanes<T, count> a) {
#if defined(CAROM_HAS_VECTORS)
  if constexpr (count == 8) {
    a = smaller(a, {__builtin_shufflevector(a.value, a.value, 4, 5, 6, 7, 0, 1, 2, 3)});
    a = smaller(a, {__builtin_shufflevector(a.value, a.value, 2, 3, 0, 1, 6, 7, 4, 5)});
    a = smaller(a, {__builtin_shufflevector(a.value, a.value, 1, 0, 3, 2, 5, 4, 7, 6)});
  } else if constexpr (count == 4) {
    a = smaller(a, {__builtin_shufflevector(a.value, a.value, 2, 3, 0, 1)});
    a = smaller(a, {__builtin_shufflevector(a.value, a.value, 1, 0, 3, 2)});
  }
#endif
  return a;
}

/// Lanes for the rows of a small matrix: 256 bits, or 512 bits if there are enough rows.
template <class T, int rows>
inline constexpr int row_lanes =
#if defined(CAROM_HAS_VECTORS) && defined(__AVX512F__)
    std::is_floating_point_v<T>
        ? (sizeof(T) == 8 && rows >= 8 ? 8 : static_cast<int>(32 / sizeof(T)))
        : 1;
#elif defined(CAROM_HAS_VECTORS)
    std::is_floating_point_v<T> ? static_cast<int>(32 / sizeof(T)) : 1;
#else
    1;
#endif

}  // namespace carom::inline CAROM_ISA
