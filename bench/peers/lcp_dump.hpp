#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace carom::peers {

/// LCPs of one impact problem: find z >= 0 with y = W z + w >= 0 and z'y = 0 for
/// z = [beta; lambda_n; lambda_D; gamma] (Halm & Posa, Eq. 72-75), all as speeds. W is the same for
/// all; Carom and every peer get exactly these numbers.
struct LcpSet {
  std::string name;
  int contacts = 0;    ///< m
  int directions = 0;  ///< k
  int velocities = 0;  ///< nv
  int count = 0;
  std::vector<double> matrix;          ///< W, n x n row-major (not symmetric)
  std::vector<double> constant;        ///< count x n, w
  std::vector<double> velocity;        ///< count x nv, what w was made from, for Carom's own step
  std::vector<double> cap;             ///< count x m, N·s
  std::vector<double> velocity_scale;  ///< count, s_v of docs/residual.md, m/s
  std::vector<double> impulse_scale;   ///< count, s_l as a speed

  /// n
  int size() const { return (3 + directions) * contacts; }
  const double* constant_of(int lcp) const { return row(constant, lcp, size()); }
  const double* velocity_of(int lcp) const { return row(velocity, lcp, velocities); }
  const double* cap_of(int lcp) const { return row(cap, lcp, contacts); }

  /// max over rows of |min(z_i / s_z, y_i / s_y)| with the scales of docs/residual.md, for every
  /// solver alike; infinite where z is not finite.
  double residual(int lcp, const double* z) const;

 private:
  static const double* row(const std::vector<double>& rows, int at, int width) {
    return rows.data() + static_cast<std::size_t>(at) * static_cast<std::size_t>(width);
  }
};

/// A file of the machine that reads it: numbers as they are in memory.
void write_dump(const std::filesystem::path& file, const std::vector<LcpSet>& sets);
/// @throws std::runtime_error if the file is missing, foreign or cut short.
std::vector<LcpSet> read_dump(const std::filesystem::path& file);

}  // namespace carom::peers
