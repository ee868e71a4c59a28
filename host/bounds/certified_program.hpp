#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace carom {

/// normal . y <= most, for y after a step (`after`) or before it.
struct ProgramRow {
  Eigen::VectorXd normal;
  double most = 0.0;
  bool after = true;
};

/// What every solution of a step obeys besides the rows: |y| <= radius before and after it, and
/// the sum of the impulses lambda >= 0 in y_after = y_before + edges lambda is at most
/// `most_impulse`.
struct StepLimits {
  Eigen::MatrixXd edges;  ///< r x edges, unit columns
  double radius = 1.0;
  double most_impulse = 0.0;
  double data_error = 0.0;  ///< of edges and rows, per unit of multiplier and impulse
};

/// A row's part in a proof.
struct Multiplier {
  std::size_t row;
  double weight;
};

/// No y_after of the step has goal . y_after above this, whatever the multipliers are: good ones
/// only make it tight (Neumaier & Shcherbina 2004). Negative weights count as none. Rounding is
/// added, not ignored.
/// @param allowed of each edge, whether it may have an impulse
double certified_maximum(const StepLimits& limits, const std::vector<ProgramRow>& rows,
                         const std::vector<char>& allowed, const Eigen::VectorXd& goal,
                         const std::vector<Multiplier>& multipliers);

/// The linear programs over one step, by a dense dictionary that goes on from where the last one
/// ended. Copies are how a search branches.
class StepProgram {
 public:
  struct Counts {
    std::uint64_t solved = 0;
    std::uint64_t loose = 0;  ///< certified values far above the simplex method's
  };

  /// @param rows that span the space of y
  StepProgram(const StepLimits& limits, std::vector<ProgramRow> rows, Counts& counts);

  void add(ProgramRow row);
  void forbid(std::size_t edge);
  /// True only if a certificate proves that no step fulfils the rows.
  bool proved_empty();
  /// A proved upper bound of goal . y_after; `goal` has at most unit length.
  double maximum(const Eigen::VectorXd& goal);

 private:
  static constexpr int frozen = -1;

  double& at(std::size_t row, std::size_t column) { return table_[row * width_ + column]; }
  double value(std::size_t row) { return at(row, width_ - 1); }
  struct Maximum {
    double proved;
    bool loose;
  };

  void reset();
  void append(const ProgramRow& row, std::size_t index);
  /// Nothing where the program has no limit.
  std::optional<Maximum> maximise(const Eigen::VectorXd& goal);
  std::size_t leaving_row(std::size_t entering, bool greedy);
  void pivot(std::size_t row, std::size_t column);
  std::vector<double> objective(const Eigen::VectorXd& goal);
  std::vector<Multiplier> multipliers(const std::vector<double>& costs) const;

  const StepLimits* limits_;
  Counts* counts_;
  std::vector<ProgramRow> rows_;
  std::vector<char> allowed_;
  std::size_t dimension_;
  std::size_t width_;          // columns and the constant
  std::vector<double> table_;  // basic = constant + row . nonbasic
  std::vector<int> basic_;     // y first, then edges, then slacks
  std::vector<int> nonbasic_;  // or `frozen` at zero
  bool feasible_ = false;
};

}  // namespace carom
