#include "host/families/unique_by.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <set>

#include "carom/error.hpp"
#include "carom/problem_family.hpp"
#include "host/laws/propagative/reflections.hpp"

namespace carom {
namespace {

constexpr std::uint64_t parts = 400;
constexpr double orthogonal = 1e-9;  // a cosine: rounding, far below any that matters

Eigen::MatrixXd cosines_of(const ProblemFamily& family, std::uint64_t member) {
  const Scenario scenario = family.scenario(member);
  require_impact(scenario);
  return normal_cosines(scenario.problem);
}

OrthogonalValue at_value(const std::string& scenario, const std::string& path, double value) {
  OrthogonalValue found{.value = value, .pairs = {}, .all = true};
  const Eigen::MatrixXd cosines =
      cosines_of(ProblemFamily(scenario, {list_axis(path, {value})}), 0);
  for (int i = 0; i < cosines.rows(); ++i) {
    for (int j = i + 1; j < cosines.cols(); ++j) {
      if (std::abs(cosines(i, j)) <= orthogonal) {
        found.pairs.emplace_back(i, j);
      } else {
        found.all = false;
      }
    }
  }
  return found;
}

}  // namespace

UniqueBy unique_by(const std::string& scenario, const std::string& path, double least,
                   double greatest) {
  if (!(least < greatest) || !std::isfinite(least) || !std::isfinite(greatest)) {
    throw InputError(
        fmt::format("from is {} and to is {} (must be finite, from below to)", least, greatest));
  }
  const ProblemFamily family(scenario, {grid_axis(path, least, greatest, parts + 1)});
  UniqueBy found{.path = family.names().front(),
                 .values = {},
                 .contact_names = family.base().problem.contact_names};
  std::set<double> roots;
  Eigen::MatrixXd before = cosines_of(family, 0);
  for (std::uint64_t part = 1; part <= parts; ++part) {
    const Eigen::MatrixXd after = cosines_of(family, part);
    const double low = family.values(part - 1).front();
    const double high = family.values(part).front();
    for (int i = 0; i < before.rows(); ++i) {
      for (int j = i + 1; j < before.cols(); ++j) {
        if (before(i, j) == 0.0) roots.insert(low);
        if (part == parts && after(i, j) == 0.0) roots.insert(high);
        if (!(before(i, j) * after(i, j) < 0.0)) continue;
        const auto cosine = [&](double value) {
          return cosines_of(ProblemFamily(scenario, {list_axis(path, {value})}), 0)(i, j);
        };
        constexpr int bits = 52;
        std::uintmax_t most = 100;
        const auto [root, other] = boost::math::tools::toms748_solve(
            cosine, low, high, before(i, j), after(i, j),
            boost::math::tools::eps_tolerance<double>(bits), most);
        roots.insert(std::abs(cosine(root)) < std::abs(cosine(other)) ? root : other);
      }
    }
    before = after;
  }
  const double same = 1e-12 * std::max(std::abs(least), std::abs(greatest));
  for (const double root : roots) {
    if (!found.values.empty() && root - found.values.back().value <= same) continue;
    OrthogonalValue value = at_value(scenario, path, root);
    if (!value.pairs.empty()) found.values.push_back(std::move(value));
  }
  return found;
}

}  // namespace carom
