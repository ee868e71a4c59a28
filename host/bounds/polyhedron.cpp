#include "host/bounds/polyhedron.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace carom {
namespace {

using Bits = boost::dynamic_bitset<>;

// What an entry costs however short it is.
constexpr std::int64_t words_of_an_entry = 4;

/// The cone of all x that keep conditions, as sums of lines and extreme rays, condition by
/// condition (the double description method: Motzkin et al. 1953; Fukuda & Prodon 1996).
struct DoubleDescription {
  struct Ray {
    IntegerVector x;
    Bits tight;  // the conditions so far that x keeps with equality
  };
  std::size_t size;
  std::size_t conditions;  // so far
  std::vector<IntegerVector> lines;
  std::vector<Ray> rays;
  ProofWork* work;
  std::int64_t spent = 0;  // since `work` was told

  static DoubleDescription of_space(std::size_t size, ProofWork* work) {
    DoubleDescription space{size, 0, {}, {}, work};
    for (std::size_t i = 0; i < size; ++i) {
      space.lines.emplace_back(size);
      space.lines.back()[i] = 1;
    }
    return space;
  }

  void add(const Condition& condition) {
    const auto line = std::find_if(lines.begin(), lines.end(), [&](const IntegerVector& x) {
      return !dot(condition.row, x).is_zero();
    });
    if (line != lines.end()) {
      cut_line(static_cast<std::size_t>(line - lines.begin()), condition);
    } else {
      cut_rays(condition);
    }
    ++conditions;
    if (work != nullptr) work->spend(std::exchange(spent, 0));
  }

 private:
  /// a x + b y, shortened.
  IntegerVector sum(const Integer& a, const IntegerVector& x, const Integer& b,
                    const IntegerVector& y) {
    IntegerVector result(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      result[i] = a * x[i] + b * y[i];
      const std::int64_t words = result[i].backend().size();
      spent += words * (words + words_of_an_entry);
    }
    make_primitive(result);
    return result;
  }

  /// One line leaves the condition's plane: all else is moved along it into the plane.
  void cut_line(std::size_t index, const Condition& condition) {
    IntegerVector line = std::move(lines[index]);
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(index));
    Integer slope = dot(condition.row, line);
    if (slope < 0) {
      slope = -slope;
      for (Integer& entry : line) entry = -entry;
    }
    const auto move = [&](IntegerVector& x) {
      const Integer value = dot(condition.row, x);
      if (!value.is_zero()) x = sum(slope, x, -value, line);
    };
    for (IntegerVector& other : lines) move(other);
    for (Ray& ray : rays) {
      move(ray.x);
      ray.tight.push_back(true);
    }
    if (!condition.equality) {
      Bits tight(conditions);
      tight.set();
      tight.push_back(false);
      rays.push_back({std::move(line), std::move(tight)});
    }
  }

  void cut_rays(const Condition& condition) {
    std::vector<Integer> value;
    value.reserve(rays.size());
    for (const Ray& ray : rays) value.push_back(dot(condition.row, ray.x));
    std::vector<Ray> kept;
    for (std::size_t i = 0; i < rays.size(); ++i) {
      for (std::size_t j = 0; j < rays.size(); ++j) {
        if (value[i] <= 0 || value[j] >= 0) continue;
        spent += static_cast<std::int64_t>(rays.size());
        if (!adjacent(i, j)) continue;
        Ray ray{sum(value[i], rays[j].x, -value[j], rays[i].x), rays[i].tight & rays[j].tight};
        ray.tight.push_back(true);
        kept.push_back(std::move(ray));
      }
    }
    for (std::size_t i = 0; i < rays.size(); ++i) {
      if (value[i] < 0 || (condition.equality && value[i] > 0)) continue;
      rays[i].tight.push_back(value[i].is_zero());
      kept.push_back(std::move(rays[i]));
    }
    rays = std::move(kept);
  }

  /// Whether two rays span a face: no third one lies on all planes that both lie on.
  bool adjacent(std::size_t i, std::size_t j) const {
    const Bits common = rays[i].tight & rays[j].tight;
    if (common.count() + lines.size() + 2 < size) return false;
    for (std::size_t k = 0; k < rays.size(); ++k) {
      if (k != i && k != j && common.is_subset_of(rays[k].tight)) return false;
    }
    return true;
  }
};

}  // namespace

Polyhedron Polyhedron::hull(const std::vector<IntegerVector>& generators, ProofWork* work) {
  if (generators.empty()) return {};
  std::vector<IntegerVector> points = generators;
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  // Rows of conditions form the cone of all that is >= 0 at every generator.
  DoubleDescription rows = DoubleDescription::of_space(points.front().size(), work);
  for (const IntegerVector& point : points) rows.add({point, false});

  Polyhedron result;
  for (IntegerVector& row : rows.lines) result.conditions_.push_back({std::move(row), true});
  const std::size_t equalities = result.conditions_.size();
  for (auto& ray : rows.rays) result.conditions_.push_back({std::move(ray.x), false});
  std::vector<Bits> tight(points.size(), Bits(result.conditions_.size()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t c = 0; c < tight[i].size(); ++c) {
      tight[i][c] = c < equalities || rows.rays[c - equalities].tight[i];
    }
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    bool extreme = true;
    for (std::size_t j = 0; j < points.size() && extreme; ++j) {
      extreme = j == i || !tight[i].is_subset_of(tight[j]);
    }
    if (!extreme) continue;
    result.generators_.push_back(points[i]);
    result.tight_.push_back(tight[i]);
  }
  return result;
}

Polyhedron Polyhedron::of(const std::vector<Condition>& conditions, std::size_t size,
                          ProofWork* work) {
  DoubleDescription cone = DoubleDescription::of_space(size, work);
  for (const Condition& condition : conditions) cone.add(condition);
  Polyhedron result;
  result.conditions_ = conditions;
  for (auto& ray : cone.rays) {
    result.generators_.push_back(std::move(ray.x));
    result.tight_.push_back(std::move(ray.tight));
  }
  return result;
}

Polyhedron Polyhedron::cut(const std::vector<Condition>& conditions, ProofWork* work) const {
  if (empty()) return {};
  DoubleDescription cone{generators_.front().size(), conditions_.size(), {}, {}, work};
  for (std::size_t i = 0; i < generators_.size(); ++i) {
    cone.rays.push_back({generators_[i], tight_[i]});
  }
  Polyhedron result;
  result.conditions_ = conditions_;
  for (const Condition& condition : conditions) {
    cone.add(condition);
    result.conditions_.push_back(condition);
  }
  for (auto& ray : cone.rays) {
    result.generators_.push_back(std::move(ray.x));
    result.tight_.push_back(std::move(ray.tight));
  }
  return result;
}

bool Polyhedron::contains(const IntegerVector& generator) const {
  return !empty() && std::all_of(conditions_.begin(), conditions_.end(),
                                 [&](const Condition& c) { return c.holds(generator); });
}

}  // namespace carom
