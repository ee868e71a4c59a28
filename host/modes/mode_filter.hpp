#pragma once

#include <cstdint>
#include <vector>

#include "carom/impact_problem.hpp"
#include "kernels/modes/mode_table_view.hpp"

namespace carom {

/// The single-precision conditions with which ModeEnumeration rules modes out
/// (ModeTableView::filter).
class ModeFilter {
 public:
  /// @param jacobian m (1 + d) x nv, contact by contact
  /// @param delassus m (1 + d) square, in the units of the table
  /// @param capped whether normal impulses have caps; `problem` must outlive this object
  /// @param sorted whether the conditions that rule out most come first, which saves time only
  ModeFilter(const ImpactProblem& problem, const Eigen::MatrixXd& jacobian,
             const Eigen::MatrixXd& delassus, bool capped, bool sorted);

  /// Adds the next mode: its states (m) and its map from inputs to impulses.
  void add(const std::vector<ContactState>& states, const Eigen::MatrixXd& map);

  /// Stores the rows side by side; modes of a block with fewer rows get rows of zeros.
  void write(std::vector<float>& filter, std::vector<std::int32_t>& stage_start) const;

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// The mode's conditions as rows of x, each divided by its sum of sizes.
  RowMajor condition_rows(const std::vector<ContactState>& states,
                          const Eigen::MatrixXd& map) const;
  /// Typical inputs of steps, to find the conditions that rule out most modes: perturbations of the
  /// pre-impact velocity. They affect the speed only.
  void draw_inputs(const Eigen::MatrixXd& jacobian);
  /// Sorts the conditions: first the condition that most often rules the mode out, then the
  /// condition that does so for most of the remaining inputs, and so on.
  RowMajor most_selective_first(const RowMajor& rows) const;

  const ImpactProblem& problem_;
  bool capped_;
  bool sorted_;
  int m_;
  int d_;
  int inputs_;
  Eigen::MatrixXd directions_;
  Eigen::MatrixXd delassus_;
  Eigen::MatrixXd typical_;  // inputs x some
  std::vector<RowMajor> conditions_;
};

}  // namespace carom
