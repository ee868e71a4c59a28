#include "carom/questions.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "carom/error.hpp"
#include "host/evidence/joined_ends.hpp"

namespace carom {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// How far a quantity from `low` to `high` reaches in the sense of a question.
double reach(const Question& question, double low, double high) {
  if (question.absolute) return std::max(std::abs(low), std::abs(high));
  return question.greater ? high : low;
}

/// The place of an output among the quantities of a bound; their number if it is none of them.
std::size_t place_of(const Eigen::VectorXd& row, const OuterBound& bound) {
  const auto at = std::ranges::find_if(bound.directions,
                                       [&](const BoundedQuantity& its) { return its.row == row; });
  return static_cast<std::size_t>(at - bound.directions.begin());
}

/// By how much outcomes can be beyond a value for which steps and their end allow: as contact
/// speeds that are off by so much change the quantity, and a little for rounding.
double tolerance_of(const Eigen::VectorXd& row, const ImpactProblem& problem,
                    double termination_tolerance) {
  constexpr double rounding = 1e-9;
  Eigen::MatrixXd jacobian(problem.normal_jacobian.rows() + problem.tangent_jacobian.rows(),
                           problem.velocities());
  jacobian << problem.normal_jacobian, problem.tangent_jacobian;
  const Eigen::LLT<Eigen::MatrixXd> mass(problem.mass_matrix);
  const Eigen::MatrixXd delassus = jacobian * mass.solve(jacobian.transpose());
  const Eigen::VectorXd by_speeds =
      delassus.completeOrthogonalDecomposition().solve(jacobian * mass.solve(row));
  const double off = std::max(bound_allowance(problem), termination_tolerance);
  return off * by_speeds.lpNorm<1>() +
         rounding * row.cwiseAbs().dot(problem.pre_impact_velocity.cwiseAbs());
}

Answer::Verdict verdict_on(const Question& question, const Answer& answer,
                           const OuterBound* bound) {
  const auto beyond = [&](double reached) {
    return (question.greater ? reached - question.value : question.value - reached) >
           answer.tolerance;
  };
  // Outcomes of steps with caps up to h are no paths of the inclusion.
  const bool of_inclusion = bound != nullptr && bound->scope == BoundScope::inclusion;
  if (!of_inclusion && beyond(answer.found)) return Answer::Verdict::yes;
  const bool is_proved = !std::isnan(answer.bound) && bound->verified != Verified::no;
  if (!is_proved || beyond(answer.bound)) return Answer::Verdict::open;
  return bound->closed() ? Answer::Verdict::no : Answer::Verdict::no_within;
}

}  // namespace

std::vector<Answer> answers(const ImpactProblem& problem, const Outputs& outputs,
                            const std::vector<OutputEnds>& ends, const OuterBound* bound,
                            double termination_tolerance) {
  std::vector<Answer> list;
  validate(outputs, problem);
  if (!ends.empty() && ends.size() != outputs.size()) {
    throw InputError(fmt::format("ends has {} entries (must have {}: one per output, or none)",
                                 ends.size(), outputs.size()));
  }
  for (const Question& question : outputs.questions) {
    const Eigen::VectorXd row = outputs.matrix.row(static_cast<Eigen::Index>(question.output));
    Answer answer{.question = question.text,
                  .greater = question.greater,
                  .found = not_known,
                  .bound = not_known};
    answer.tolerance = tolerance_of(row, problem, termination_tolerance);
    if (!ends.empty()) {
      const OutputEnds& its = ends.at(question.output);
      answer.found = reach(question, its.found_low, its.found_high);
    }
    if (bound != nullptr && bound->status != BoundStatus::none) {
      const std::size_t place = place_of(row, *bound);
      if (place < bound->directions.size()) {
        const BoundedQuantity& its = bound->directions[place];
        answer.bound = reach(question, its.low, its.high);
      }
    }
    answer.verdict = verdict_on(question, answer, bound);
    list.push_back(std::move(answer));
  }
  return list;
}

std::vector<OutputEnds> joined_ends(std::vector<OutputEnds> ends,
                                    const std::vector<OutputEnds>& others) {
  if (ends.empty()) return others;
  for (std::size_t i = 0; i < others.size(); ++i) {
    OutputEnds& its = ends.at(i);
    its.found_low = std::min(its.found_low, others[i].found_low);
    its.found_high = std::max(its.found_high, others[i].found_high);
  }
  return ends;
}

std::vector<OutputEnds> output_ends(const Outputs& outputs, const RowMatrixView& velocities) {
  std::vector<OutputEnds> list;
  if (outputs.size() > 0 && velocities.cols() != outputs.matrix.cols()) {
    throw InputError(fmt::format("velocities has {} columns (must have {}, as the outputs)",
                                 velocities.cols(), outputs.matrix.cols()));
  }
  for (std::size_t i = 0; i < outputs.size() && velocities.rows() > 0; ++i) {
    const Eigen::VectorXd row = outputs.matrix.row(static_cast<Eigen::Index>(i));
    const Eigen::VectorXd values = velocities * row;
    list.push_back(
        {outputs.names[i], {row.begin(), row.end()}, values.minCoeff(), values.maxCoeff()});
  }
  return list;
}

std::vector<OutputEnds> output_ends(const Outputs& outputs, const BoundCheck& check) {
  std::vector<OutputEnds> list;
  for (std::size_t i = 0; i < outputs.size() && check.outcomes > 0; ++i) {
    const Eigen::VectorXd row = outputs.matrix.row(static_cast<Eigen::Index>(i));
    const std::size_t place = place_of(row, check.bound);
    if (place == check.bound.directions.size()) return {};  // a bound of other outputs
    list.push_back({outputs.names[i],
                    {row.begin(), row.end()},
                    check.found_low.at(place),
                    check.found_high.at(place)});
  }
  return list;
}

const char* verdict_name(Answer::Verdict verdict) {
  switch (verdict) {
    case Answer::Verdict::yes:
      return "yes";
    case Answer::Verdict::no:
      return "no";
    case Answer::Verdict::no_within:
      return "no_within";
    case Answer::Verdict::open:
      break;
  }
  return "open";
}

}  // namespace carom
