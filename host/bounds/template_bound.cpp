#include "host/bounds/template_bound.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "host/bounds/velocity_cells.hpp"
#include "host/problem/decompositions.hpp"
#include "kernels/step/step_outcome.hpp"

namespace carom {
namespace {

// Coordinates, edges and rows are computed in doubles: their entries, at most 1, are wrong by less.
constexpr double data_error = 1e-13;
// So much of a velocity, or of a row, is what impulses can change: with less, errors are larger.
constexpr double usual = 1e-2;
constexpr double operation_error = 1e-15;  // of a few operations
// How long y may become by rounding and by the accepted residuals of all steps.
constexpr double radius = 1.0 + 1e-5;
// More rows than this take minutes for each step.
constexpr std::size_t most_template_rows = 700;

/// Rows that point the same way within this are one.
constexpr double same_direction = 1e-9;

class Template {
 public:
  explicit Template(const StepSpace& space) : space_(space) {
    add_both(space.start());
    std::vector<StepSpace::Speed> speeds;
    for (int i = 0; i < space.contacts(); ++i) {
      speeds.push_back(space.normal(i));
      for (int t = 0; t < (space.directions() > 2 ? 2 : 1); ++t) {
        speeds.push_back(space.tangential(i, t));
      }
    }
    for (const auto& speed : speeds) {
      if (speed.length > 0.0) speeds_.push_back(speed.normal);
    }
    for (const bool single_edges : {true, false}) {
      const std::vector<Eigen::VectorXd> before = rows_;
      full_ = false;
      project(0, Eigen::MatrixXd(space.start().size(), 0), single_edges);
      if (!full_) return;
      rows_ = before;
    }
    for (const Eigen::VectorXd& speed : speeds_) add_both(speed);
  }

  std::vector<Eigen::VectorXd> take() { return std::move(rows_); }

 private:
  /// What impulses of a choice of edges leave unchanged of the contact speeds: a step's invariants.
  void project(int contact, const Eigen::MatrixXd& span, bool single_edges) {
    if (full_) return;
    if (contact == space_.contacts()) {
      for (const Eigen::VectorXd& speed : speeds_) {
        Eigen::VectorXd rest = speed - span * (span.transpose() * speed);
        rest -= span * (span.transpose() * rest);
        if (rest.norm() > 1e-6) add_both(rest);  // else nothing but rounding is left
      }
      full_ = rows_.size() > most_template_rows;
      return;
    }
    const int k = space_.directions();
    const int edges = space_.frictionless(contact) ? 1 : k;
    project(contact + 1, span, single_edges);
    Eigen::MatrixXd all = span;
    for (int j = 0; j < edges; ++j) {
      const Eigen::VectorXd edge = space_.limits().edges.col(contact * k + j);
      all = extended(all, edge);
      if (single_edges) project(contact + 1, extended(span, edge), single_edges);
    }
    if (edges > 1 || !single_edges) project(contact + 1, all, single_edges);
  }

  static Eigen::MatrixXd extended(const Eigen::MatrixXd& span, const Eigen::VectorXd& edge) {
    Eigen::VectorXd rest = edge - span * (span.transpose() * edge);
    rest -= span * (span.transpose() * rest);
    if (rest.norm() < same_direction) return span;
    Eigen::MatrixXd more(span.rows(), span.cols() + 1);
    more << span, rest.normalized();
    return more;
  }

  void add_both(const Eigen::VectorXd& row) {
    const Eigen::VectorXd unit = row.normalized();
    for (const Eigen::VectorXd& other : rows_) {
      if ((other - unit).norm() < same_direction || (other + unit).norm() < same_direction) return;
    }
    rows_.push_back(unit);
    rows_.emplace_back(-unit);
  }

  const StepSpace& space_;
  std::vector<Eigen::VectorXd> speeds_;
  std::vector<Eigen::VectorXd> rows_;
  bool full_ = false;
};

/// One step from {rows . y <= source} to all cells.
class Sweep {
 public:
  Sweep(const StepSpace& space, TemplateBound& bound, std::uint64_t most_programs, ProofWork& work)
      : space_(space), bound_(bound), most_programs_(most_programs), work_(work) {}

  /// False if the budget ended.
  bool run() {
    grown_ = bound_.offsets;
    // The velocity before the impact is no outcome of a step.
    if (bound_.steps == 0) grown_.setConstant(-std::numeric_limits<double>::infinity());
    std::vector<ProgramRow> rows;
    for (std::size_t i = 0; i < bound_.rows.size(); ++i) {
      rows.push_back({bound_.rows[i], bound_.offsets(static_cast<Eigen::Index>(i)), false});
    }
    const StepProgram root(space_.limits(), std::move(rows), bound_.counts);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < bound_.rows.size(); ++i) open.push_back(i);
    visit(root, 0, false, open);
    if (bound_.counts.solved > most_programs_) return false;
    bound_.offsets = grown_;
    return true;
  }

 private:
  // A node's cell is not yet decided for the contacts from `contact` on: what it reaches bounds
  // what its leaves reach, and rows that it can not push need no program at the leaves.
  void visit(const StepProgram& node, int contact, bool impulse, std::vector<std::size_t> open) {
    if (bound_.counts.solved > most_programs_) return;
    work_.spend(0);
    const bool leaf = contact == space_.contacts();
    if (leaf && !impulse) return;  // nothing moves
    if (contact > 0) {
      StepProgram program = node;
      if (program.proved_empty()) return;
      std::erase_if(open, [&](std::size_t i) {
        double& offset = grown_(static_cast<Eigen::Index>(i));
        if (offset >= radius) return true;
        const double most = std::min(program.maximum(bound_.rows[i]) + space_.step_error(), radius);
        if (leaf) offset = std::max(offset, most);
        return most <= offset;
      });
      if (leaf || open.empty()) return;
      return branch(program, contact, impulse, open);
    }
    branch(node, contact, impulse, open);
  }

  void branch(const StepProgram& node, int contact, bool impulse,
              const std::vector<std::size_t>& open) {
    for (const char code : cell_codes(space_.frictionless(contact), space_.directions())) {
      StepProgram child = node;
      decide(child, contact, code);
      visit(child, contact + 1, impulse || code != '0', open);
    }
  }

  void decide(StepProgram& program, int contact, char code) const {
    const int k = space_.directions();
    const double slack = space_.step_error() + 1e-9;
    std::vector<ProgramRow> rows;
    std::vector<char> allowed(static_cast<std::size_t>(k), code == 's' ? 1 : 0);
    StepSpace::keep(rows, space_.normal(contact), code == '0' ? 1 : -1, slack);
    if (code == 's') {
      for (int j = 0; j < k / 2; ++j) {
        StepSpace::keep(rows, space_.slip(contact, j), 1, slack);
        StepSpace::keep(rows, space_.slip(contact, j), -1, slack);
      }
    } else if (code == '1') {
      allowed.front() = 1;
    } else if (code != '0') {
      const bool two = code < 'a';
      const int first = code - (two ? 'A' : 'a');
      const int last = two ? (first + 1) % k : first;
      allowed[static_cast<std::size_t>(first)] = allowed[static_cast<std::size_t>(last)] = 1;
      if (two) {
        StepSpace::keep(rows, space_.slip(contact, last, first), 1, slack);
        StepSpace::keep(rows, space_.slip(contact, last, first), -1, slack);
      }
      for (const int other : {(first + k - 1) % k, (last + 1) % k}) {
        StepSpace::keep(rows, space_.slip(contact, other, first), 1, slack);
      }
    }
    for (ProgramRow& row : rows) program.add(std::move(row));
    for (int j = 0; j < k; ++j) {
      if (allowed[static_cast<std::size_t>(j)] == 0) {
        program.forbid(static_cast<std::size_t>(contact * k + j));
      }
    }
  }

  const StepSpace& space_;
  TemplateBound& bound_;
  std::uint64_t most_programs_;
  ProofWork& work_;
  Eigen::VectorXd grown_;
};

}  // namespace

StepSpace::StepSpace(const ImpactProblem& problem, std::size_t dimension)
    : contacts_(problem.contacts()),
      directions_(problem.friction_directions),
      velocity_(problem.pre_impact_velocity),
      normals_(problem.normal_jacobian),
      tangents_(problem.tangent_jacobian),
      friction_directions_(friction_direction_matrix(problem)) {
  const Cholesky cholesky(problem.mass_matrix);
  const Eigen::Index d = problem.tangent_dimension();
  Eigen::MatrixXd edges(problem.velocities(), contacts_ * directions_);
  for (Eigen::Index i = 0; i < contacts_; ++i) {
    frictionless_.push_back(problem.friction(i) == 0.0);
    for (Eigen::Index j = 0; j < directions_; ++j) {
      edges.col(i * directions_ + j) =
          normals_.row(i).transpose() + problem.friction(i) *
                                            tangents_.middleRows(i * d, d).transpose() *
                                            friction_directions_.row(j).transpose();
    }
  }
  const Eigen::MatrixXd weighted = cholesky.solve_lower(edges);
  const Eigen::MatrixXd q =
      OrthogonalFactors(weighted).left().leftCols(static_cast<Eigen::Index>(dimension));
  const Eigen::VectorXd weighted_velocity = cholesky.upper_times(velocity_);
  start_ = q.transpose() * weighted_velocity;
  const double scale = start_.norm();
  start_ /= scale;
  spread_ = scale * cholesky.solve_upper(q);
  coordinates_ = cholesky.lower() * q / scale;
  limits_.edges = (q.transpose() * weighted).colwise().normalized();
  limits_.radius = radius;
  // Errors of Cholesky's method grow with the condition of the matrix whose diagonal is made one.
  const Eigen::VectorXd scales = problem.mass_matrix.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::VectorXd masses =
      eigenvalues(scales.asDiagonal() * problem.mass_matrix * scales.asDiagonal());
  const double condition = masses(0) > 0.0 ? masses(masses.size() - 1) / masses(0)
                                           : std::numeric_limits<double>::infinity();
  limits_.data_error = std::max(data_error, operation_error * condition) *
                       std::max(1.0, usual * weighted_velocity.norm() / scale);
  // y' - y = E lambda is at most 2 long, and support . E lambda >= least |lambda|_1.
  support_ = spread_.transpose() * friction_cone_support(problem).value();
  const double least = (limits_.edges.transpose() * support_).minCoeff();
  limits_.most_impulse = 2.0 * radius * support_.norm() / least * (1.0 + 1e-9);
  step_error_ = residual_tolerance * std::max(1.0, limits_.most_impulse);
}

StepSpace::Speed StepSpace::speed(const Eigen::VectorXd& row) const {
  const Eigen::VectorXd normal = spread_.transpose() * row;
  const double length = normal.norm();
  const double size = row.norm() * spread_.norm();
  if (length <= 1e-12 * size) return {{}, 0.0, 0.0, 0.0};
  return {normal / length, (row.dot(velocity_) - normal.dot(start_)) / length, length,
          limits_.data_error * std::max(1.0, usual * size / length) +
              operation_error * row.norm() * velocity_.norm() / length};
}

StepSpace::Speed StepSpace::tangential(int contact, int axis) const {
  return speed(tangents_.row(contact * friction_directions_.cols() + axis));
}

StepSpace::Speed StepSpace::slip(int contact, int j, int i) const {
  Eigen::RowVectorXd direction = friction_directions_.row(j);
  if (i >= 0) direction -= friction_directions_.row(i);
  const Eigen::Index d = direction.size();
  return speed((direction * tangents_.middleRows(contact * d, d)).transpose());
}

void StepSpace::keep(std::vector<ProgramRow>& rows, const Speed& speed, int sign, double slack) {
  if (speed.length == 0.0) return;
  rows.push_back({-sign * speed.normal, sign * speed.constant + slack, true});
}

TemplateBound template_bound(const StepSpace& space, int most_steps, std::uint64_t most_programs,
                             ProofWork& work) {
  TemplateBound bound;
  bound.rows = Template(space).take();
  bound.offsets.resize(static_cast<Eigen::Index>(bound.rows.size()));
  for (std::size_t i = 0; i < bound.rows.size(); ++i) {
    bound.offsets(static_cast<Eigen::Index>(i)) = bound.rows[i].dot(space.start()) + data_error;
  }
  // Beyond, the errors of steps could add more energy than `radius` allows for.
  const auto covered = [&] { return (bound.steps + 1) * space.step_error() <= radius - 1.0; };
  while (bound.steps < most_steps && covered() && Sweep(space, bound, most_programs, work).run()) {
    ++bound.steps;
  }
  return bound;
}

}  // namespace carom
