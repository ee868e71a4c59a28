#include "carom/orientation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <utility>
#include <vector>

#include "carom/error.hpp"
#include "host/modes/unique_solution.hpp"
#include "host/problem/step_lcp.hpp"
#include "kernels/signs/monotone.hpp"
#include "kernels/signs/sign_equations.hpp"
#include "kernels/step/capacity.hpp"

namespace carom {
namespace {

constexpr double most_systems = 1e6;  // tenths of a second

class SignCounter {
 public:
  using Size = LargestCapacity;
  static constexpr int most = Size::bounded_size / 2;  // coordinates: m (1 + k / 2)
  using Box = BoxForm<most>;

  /// @param shift added to the diagonal of the admittance, whose normal entries are about 1
  SignCounter(const StepLcpView& problem, double shift) : box_(box_at_rest<Size>(problem)) {
    const int n = box_.coordinates();
    for (int c = 0; c < n; ++c) box_.matrix[c * n + c] += shift;
  }

  double systems() const {
    double count = 1.0;
    for (int i = 0; i < box_.contacts; ++i) {
      const double frictions = box_.first[i + 1] - box_.first[i] - 1;
      count *= std::pow(3.0, frictions) + std::pow(2.0, frictions);
    }
    return count;
  }

  /// Counts the determinants that are negative and those that are zero.
  void count(std::uint64_t& negative, std::uint64_t& singular) {
    visit([&](int orientation) {
      negative += orientation < 0 ? 1 : 0;
      singular += orientation == 0 ? 1 : 0;
      return true;
    });
  }

  bool all_positive() {
    return visit([](int orientation) { return orientation > 0; });
  }

  bool is_monotone() const { return MonotoneSteps<most>(box_).hold(); }

 private:
  /// Pivots below this part of the largest entry, or entries that have grown by more than its
  /// inverse, may be rounding errors: then SignEquations, which choose among all pivots, decide.
  static constexpr double trusted = 1e-6;

  /// What the contacts before leave of the admittance of the others: a Schur complement. The
  /// determinant of a pattern is the product of its contacts' pivots.
  struct Rest {
    int orientation = 1;  // of the contacts before; 0: not known
    int first = 0;        // coordinate
    std::array<double, most * most> entry;
  };

  /// Calls visit(orientation) for every pattern of signs that has equations of its own, until it
  /// returns false.
  template <class Visit>
  bool visit(const Visit& visit) {
    Rest all;
    const int n = box_.coordinates();
    std::copy_n(box_.matrix, n * n, all.entry.begin());
    largest_ = largest_entry();
    return visit_from(0, all, visit);
  }

  double largest_entry() const {
    const int n = box_.coordinates();
    double largest = 0.0;
    for (int i = 0; i < n * n; ++i) largest = std::max(largest, std::fabs(box_.matrix[i]));
    return largest;
  }

  /// As visit(), for the signs of this contact and those after it. A contact without impulse has no
  /// equations. At its cap, the frictions' signs beyond zero do not change the equations.
  template <class Visit>
  bool visit_from(int contact, const Rest& rest, const Visit& visit) {
    if (contact == box_.contacts) {
      return visit(rest.orientation != 0 ? rest.orientation : orientation_of_signs());
    }
    const auto next = [&] { return visit_from(contact + 1, eliminated(contact, rest), visit); };
    const int normal = box_.first[contact];
    const int end = box_.first[contact + 1];
    sign_[normal] = plus;
    for (int c = normal + 1; c < end; ++c) sign_[c] = no_sign;
    if (!next()) return false;
    sign_[normal] = zero;
    if (!vary(contact, normal + 1, {plus, zero, minus}, next)) return false;
    sign_[normal] = minus;
    return vary(contact, normal + 1, {plus, zero}, [&] {
      bool equations = false;
      for (int c = normal + 1; c < end; ++c) equations = equations || sign_[c] == zero;
      return !equations || next();
    });
  }

  /// Calls visit() for every combination of these signs of the contact's frictions from `c` on,
  /// until it returns false.
  template <class Visit>
  bool vary(int contact, int c, std::initializer_list<Sign> signs, const Visit& visit) {
    if (c == box_.first[contact + 1]) return visit();
    for (const Sign sign : signs) {
      sign_[c] = sign;
      if (!vary(contact, c + 1, signs, visit)) return false;
    }
    return true;
  }

  int orientation_of_signs() {
    SignEquations<most> equations(box_, sign_.data());
    std::array<double, most> x{};
    equations.solve(x.data());
    return equations.orientation();
  }

  /// What is left of `rest` when the speeds of this contact whose sign is zero are.
  Rest eliminated(int contact, const Rest& rest) const {
    Rest left;
    left.first = box_.first[contact + 1];
    left.orientation = rest.orientation;
    if (rest.orientation == 0) return left;
    const int columns = box_.coordinates() - rest.first;
    const int its = left.first - rest.first;
    std::array<int, most> row;  // of `rest`: those of the speeds that are zero, then the others
    int zeros = 0;
    for (int c = 0; c < its; ++c) {
      if (sign_[rest.first + c] == zero) row[zeros++] = c;
    }
    int size = zeros;
    for (int c = its; c < columns; ++c) row[size++] = c;

    std::array<double, most * most> entry;
    for (int r = 0; r < size; ++r) {
      const double* from = rest.entry.data() + row[r] * columns;
      double* to = entry.data() + r * size;
      for (int c = 0; c < size; ++c) to[c] = from[row[c]];
      if (zeros > 0 && row[0] == 0) to[0] = along_normal(contact, from);
    }
    for (int p = 0; p < zeros; ++p) {
      left.orientation *= bring_pivot(entry.data(), size, p, zeros);
      if (left.orientation == 0) return left;
      const double* pivots = entry.data() + p * size;
      for (int r = p + 1; r < size; ++r) {
        double* its_row = entry.data() + r * size;
        const double factor = -its_row[p] / pivots[p];
        for (int c = p + 1; c < size; ++c) its_row[c] = std::fma(factor, pivots[c], its_row[c]);
      }
    }
    double grown = 0.0;
    const int after = size - zeros;
    for (int r = 0; r < after; ++r) {
      for (int c = 0; c < after; ++c) {
        const double its_entry = entry[(zeros + r) * size + zeros + c];
        left.entry[r * after + c] = its_entry;
        grown = std::max(grown, std::fabs(its_entry));
      }
    }
    if (grown * trusted > largest_) left.orientation = 0;
    return left;
  }

  /// Entry of a row for the contact's normal coordinate, with the frictions that slide with it.
  double along_normal(int contact, const double* row) const {
    const int normal = box_.first[contact];
    double sum = row[0];
    for (int c = normal + 1; c < box_.first[contact + 1]; ++c) {
      if (sign_[c] == plus) sum -= box_.friction[c] * row[c - normal];
      if (sign_[c] == minus) sum += box_.friction[c] * row[c - normal];
    }
    return sum / box_.reach[normal];
  }

  /// Exchanges rows and columns from p on so that the pivot is the largest of the contact's own.
  /// @return its sign, changed by every exchange; 0 if it cannot be trusted
  int bring_pivot(double* entry, int size, int p, int zeros) const {
    int row = p;
    int column = p;
    for (int r = p; r < zeros; ++r) {
      for (int c = p; c < zeros; ++c) {
        if (std::fabs(entry[r * size + c]) > std::fabs(entry[row * size + column])) {
          row = r;
          column = c;
        }
      }
    }
    int sign = entry[row * size + column] > 0.0 ? 1 : -1;
    if (!(std::fabs(entry[row * size + column]) > trusted * largest_)) return 0;
    if (row != p) {
      std::swap_ranges(entry + row * size, entry + (row + 1) * size, entry + p * size);
      sign = -sign;
    }
    if (column != p) {
      for (int r = 0; r < size; ++r) std::swap(entry[r * size + column], entry[r * size + p]);
      sign = -sign;
    }
    return sign;
  }

  Box box_;
  std::array<std::uint8_t, most> sign_{};
  double largest_ = 0.0;  // of the admittance
};

/// Whether all determinants of the admittance with a small multiple of the identity are positive:
/// then the velocities of a step are a limit of single ones, hence connected (weakly univalent
/// maps; Gowda and Sznajder 1999).
bool is_limit_of_one(const StepLcpView& problem) {
  return SignCounter(problem, 1e-6).all_positive() && SignCounter(problem, 1e-9).all_positive();
}

/// Calls use(view) with the flat problem, if it is one of a compiled size.
template <class Use>
void with_view(const ImpactProblem& problem, const Use& use) {
  const ProblemShape shape = shape_of(problem);
  if (!LargestCapacity::fits(shape.lcp_size(), shape.bounded_size(), shape.velocities)) return;
  const std::vector<double> data = flatten(problem, 1.0, 1.0);
  use(StepLcpView{shape, data.data()});
}

}  // namespace

Orientation orientation(const ImpactProblem& given) {
  Orientation found;
  with_view(validated(given), [&](const StepLcpView& view) {
    SignCounter counter(view, 0.0);
    found.systems = counter.systems();
    if (counter.is_monotone()) {
      found.solutions = StepSolutions::one;
      return;
    }
    if (found.systems > most_systems) return;
    counter.count(found.negative, found.singular);
    found.solutions = found.negative > 0      ? StepSolutions::several
                      : found.singular == 0   ? StepSolutions::one
                      : is_limit_of_one(view) ? StepSolutions::connected
                                              : StepSolutions::several;
  });
  return found;
}

bool has_one_solution(const ImpactProblem& problem) {
  bool proven = false;
  with_view(problem, [&](const StepLcpView& view) {
    SignCounter counter(view, 0.0);
    proven = counter.is_monotone() || (counter.systems() <= most_systems && counter.all_positive());
  });
  return proven;
}

}  // namespace carom
