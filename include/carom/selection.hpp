#pragma once

#include <cstdint>

namespace carom {

/// Which solution a step takes where its LCP has several.
enum class Solutions {
  first,  ///< Lemke's with one covering vector
  cover,  ///< Lemke's with a random positive covering vector per step: not certainly each of all
  all,    ///< one of all distinct velocities after the step, drawn uniformly
  table,  ///< the solution of the contact mode that was most frequent in a pilot run, among the
          ///< modes that hold; Lemke's where none of them holds. The fastest
};

/// Name of a selection in scenarios, files and reports.
constexpr const char* solutions_name(Solutions solutions) {
  constexpr const char* names[] = {"first", "cover", "all", "table"};
  return names[static_cast<int>(solutions)];
}

/// How Solutions::all finds the solutions of a step.
enum class SolutionMethod : std::uint8_t {
  unique,  ///< each step is proved to have a single velocity after it: Lemke's method
  modes,   ///< a table of all contact modes
  signs,   ///< a search over the signs of the contact speeds after the step
  lines,   ///< paths of solutions along random lines; some solutions may be missed
};

/// Name of a method in reports and JSON.
constexpr const char* solution_method_name(SolutionMethod method) {
  constexpr const char* names[] = {"unique", "modes", "signs", "lines"};
  return names[static_cast<int>(method)];
}

/// Most coordinates of a step that SolutionMethod::signs searches: m (1 + k / 2) in space, 2 m in
/// the plane.
inline constexpr int most_searched_coordinates = 16;

/// How the caps on a step's normal impulses are drawn. The caps depend only on the trajectory's
/// index and the step; their arithmetic needs no exp, log and pow. u is uniform on (0, 1]^m.
enum class CapsKind : std::uint8_t {
  uniform,   ///< h u (Halm & Posa, Algorithm 1)
  simplex,   ///< h s, s uniform on the simplex (sums to one): rates of the continuous model
  corners,   ///< h u^power / sum: near the corners of the simplex, hence nearly sequential orders
  weighted,  ///< h scale_i u_i, scale_i <= 1: known ratios of stiffness
  sobol,  ///< h times an Owen-scrambled Sobol' point: trajectory i has point i, each step uses m of
          ///< its coordinates; uniform beyond 1024 coordinates and 2^32 points
  early_corners,  ///< `corners` in the first steps, then `uniform`: before each step, a trajectory
                  ///< leaves the corners for good with the probability 1/(2m)
};

/// Greatest number of components of a mixture.
inline constexpr int max_caps_components = 8;

/// Entries of SampleSet::solution_count per row: [0] steps with a continuum of solutions, [i] steps
/// with i distinct post-step velocities, i = 1 ... 8 (8: or more), [9] steps whose solutions were
/// not all found: one of those found, or Lemke's, was used.
inline constexpr int solution_bins = 10;

}  // namespace carom
