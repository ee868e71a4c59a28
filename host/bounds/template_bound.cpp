#include "host/bounds/template_bound.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "host/bounds/velocity_cells.hpp"

namespace carom {
namespace {

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
        const double longest = space_.limits().radius;
        if (offset >= longest) return true;
        const double most =
            std::min(program.maximum(bound_.rows[i]) + space_.step_error(), longest);
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

TemplateBound template_bound(const StepSpace& space, int most_steps, std::uint64_t most_programs,
                             ProofWork& work) {
  TemplateBound bound;
  bound.rows = Template(space).take();
  bound.offsets.resize(static_cast<Eigen::Index>(bound.rows.size()));
  for (std::size_t i = 0; i < bound.rows.size(); ++i) {
    bound.offsets(static_cast<Eigen::Index>(i)) =
        bound.rows[i].dot(space.start()) + space.limits().data_error;
  }
  // Beyond, the errors of steps could add more energy than the radius allows for.
  const auto covered = [&] {
    return (bound.steps + 1) * space.step_error() <= space.limits().radius - 1.0;
  };
  while (bound.steps < most_steps && covered() && Sweep(space, bound, most_programs, work).run()) {
    ++bound.steps;
  }
  return bound;
}

}  // namespace carom
