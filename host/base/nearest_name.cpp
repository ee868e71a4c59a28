#include "host/base/nearest_name.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

namespace carom {
namespace {

/// Optimal string alignment distance.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& known) {
  // "x" for "box.x", and the other way round.
  const auto part = [](std::string_view its) { return its.substr(its.rfind('.') + 1); };
  for (const std::string& candidate : known) {
    if (candidate != name && (part(candidate) == name || part(name) == candidate)) return candidate;
  }
  std::string best;
  std::size_t least = name.size();  // a name without a common letter is not suggested
  for (const std::string& candidate : known) {
    const std::size_t length = std::max(name.size(), candidate.size());
    const std::size_t difference = length - std::min(name.size(), candidate.size());
    const auto ends = std::ranges::mismatch(name, candidate);
    const bool begins_alike = ends.in1 - name.begin() >= 4;
    const std::size_t allowed = std::max<std::size_t>(2, length / 3) + (begins_alike ? 1 : 0);
    if (difference > allowed) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance <= allowed && distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(name, known);
  return nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest);
}

std::string suggestion_or_all(std::string_view name, const std::vector<std::string>& known) {
  const std::string near = suggestion(name, known);
  return near.empty() ? fmt::format(" (must be one of {})", fmt::join(known, ", ")) : near;
}

std::string first_names(const std::vector<std::string>& names) {
  constexpr std::size_t most = 4;
  const std::span shown = std::span(names).first(std::min(names.size(), most));
  return fmt::format("{}{}", fmt::join(shown, ", "),
                     names.size() > most ? fmt::format(" and {} more", names.size() - most) : "");
}

}  // namespace carom
