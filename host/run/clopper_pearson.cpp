#include <fmt/format.h>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "carom/error.hpp"
#include "host/run/hold_out.hpp"

namespace carom {
namespace {

using Beta = boost::math::beta_distribution<>;
using Binomial = boost::math::binomial_distribution<>;

void check_probability(const char* name, double value) {
  if (value > 0.0 && value < 1.0) return;
  throw InputError(fmt::format("{} is {} (must be > 0 and < 1)", name, value));
}

void check_counts(std::uint64_t successes, std::uint64_t trials) {
  if (successes <= trials) return;
  throw InputError(fmt::format("successes is {} (must be <= trials = {})", successes, trials));
}

}  // namespace

double clopper_pearson_upper(std::uint64_t successes, std::uint64_t trials, double confidence) {
  check_probability("confidence", confidence);
  check_counts(successes, trials);
  if (successes == trials) return 1.0;  // also without trials
  const double delta = 1.0 - confidence;
  const auto n = static_cast<double>(trials);
  if (successes == 0) return -std::expm1(std::log(delta) / n);  // 1 - delta^(1/n)
  const auto s = static_cast<double>(successes);
  return boost::math::quantile(boost::math::complement(Beta(s + 1.0, n - s), delta));
}

double clopper_pearson_lower(std::uint64_t successes, std::uint64_t trials, double confidence) {
  check_probability("confidence", confidence);
  check_counts(successes, trials);
  if (successes == 0) return 0.0;
  const auto n = static_cast<double>(trials);
  const auto s = static_cast<double>(successes);
  return boost::math::quantile(Beta(s, n - s + 1.0), 1.0 - confidence);
}

std::uint64_t trials_with_misses(std::uint64_t misses, double miss, double confidence) {
  check_probability("miss", miss);
  check_probability("confidence", confidence);
  const double delta = 1.0 - confidence;
  const double estimate = misses == 0 ? std::log(delta) / std::log1p(-miss)
                                      : Binomial::find_minimum_number_of_trials(
                                            static_cast<double>(misses), miss, delta);
  constexpr double most = 0x1p53;  // beyond, whole numbers of trials are not told apart
  if (!(estimate < most)) {
    throw InputError(
        fmt::format("miss is {} (must be so large that fewer than 2^53 trials do)", miss));
  }
  auto trials = static_cast<std::uint64_t>(std::ceil(estimate));
  trials = std::max(trials, misses + 1);
  // Rounding may move the estimate past an integer: the bound itself decides.
  while (clopper_pearson_upper(misses, trials, confidence) > miss) ++trials;
  while (trials > misses + 1 && clopper_pearson_upper(misses, trials - 1, confidence) <= miss) {
    --trials;
  }
  return trials;
}

std::uint64_t trials_without_miss(double miss, double confidence) {
  return trials_with_misses(0, miss, confidence);
}

}  // namespace carom
