#include "carom/orientation.hpp"

#include <array>
#include <cmath>
#include <vector>

#include "carom/error.hpp"
#include "host/modes/unique_solution.hpp"
#include "host/problem/step_lcp.hpp"
#include "kernels/signs/sign_equations.hpp"
#include "kernels/step/capacity.hpp"

namespace carom {
namespace {

constexpr double most_systems = 1e6;  // a second or so

template <class Size>
class SignCounter {
 public:
  static constexpr int most = Size::bounded_size / 2;  // coordinates: m (1 + k / 2)
  using Box = BoxForm<most>;

  /// @param shift added to the diagonal of the admittance, whose normal entries are about 1
  SignCounter(const StepLcpView& problem, double shift) : box_(make_box(problem)) {
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
    visit_from(0, [&](int orientation) {
      negative += orientation < 0 ? 1 : 0;
      singular += orientation == 0 ? 1 : 0;
      return true;
    });
  }

  bool all_positive() {
    return visit_from(0, [](int orientation) { return orientation > 0; });
  }

 private:
  static Box make_box(const StepLcpView& problem) {
    constexpr int m = Size::contacts;
    const std::array<double, Size::impulses> at_rest{};
    std::array<double, m> caps;
    caps.fill(1.0);
    return Box(problem, at_rest.data(), caps.data(), 0.0);
  }

  /// Calls visit(orientation) for every pattern of signs from this contact on that has equations of
  /// its own, until it returns false. A contact without impulse has none. At its cap, the
  /// frictions' signs beyond zero do not change the equations.
  template <class Visit>
  bool visit_from(int contact, const Visit& visit) {
    if (contact == box_.contacts) {
      SignEquations<most> equations(box_, sign_.data());
      std::array<double, most> x{};
      equations.solve(x.data());
      return visit(equations.orientation());
    }
    const auto next = [&] { return visit_from(contact + 1, visit); };
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
  bool vary(int contact, int c, const std::vector<Sign>& signs, const Visit& visit) {
    if (c == box_.first[contact + 1]) return visit();
    for (const Sign sign : signs) {
      sign_[c] = sign;
      if (!vary(contact, c + 1, signs, visit)) return false;
    }
    return true;
  }

  Box box_;
  std::array<std::uint8_t, most> sign_{};
};

/// Whether all determinants of the admittance with a small multiple of the identity are positive:
/// then the velocities of a step are a limit of single ones, hence connected (weakly univalent
/// maps; Gowda and Sznajder 1999).
template <class Size>
bool is_limit_of_one(const StepLcpView& problem) {
  return SignCounter<Size>(problem, 1e-6).all_positive() &&
         SignCounter<Size>(problem, 1e-9).all_positive();
}

}  // namespace

Orientation orientation(const ImpactProblem& given) {
  const ImpactProblem problem = validated(given);
  const std::vector<double> data = flatten(problem, 1.0, 1.0);
  const StepLcpView view{shape_of(problem), data.data()};
  Orientation found;
  with_capacity(view.shape, [&]<class Size>(Size) {
    SignCounter<Size> counter(view, 0.0);
    found.systems = counter.systems();
    if (found.systems > most_systems) return;
    counter.count(found.negative, found.singular);
    found.solutions = found.negative > 0            ? StepSolutions::several
                      : found.singular == 0         ? StepSolutions::one
                      : is_limit_of_one<Size>(view) ? StepSolutions::connected
                                                    : StepSolutions::several;
  });
  return found;
}

bool has_one_solution(const ImpactProblem& problem) {
  const std::vector<double> data = flatten(problem, 1.0, 1.0);
  const StepLcpView view{shape_of(problem), data.data()};
  bool proven = false;
  with_capacity(view.shape, [&]<class Size>(Size) {
    SignCounter<Size> counter(view, 0.0);
    proven = counter.systems() <= most_systems && counter.all_positive();
  });
  return proven;
}

}  // namespace carom
