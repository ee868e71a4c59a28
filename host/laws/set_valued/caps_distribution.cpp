#include "carom/caps_distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "host/base/field_error.hpp"
#include "host/base/nearest_name.hpp"
#include "host/base/trimmed.hpp"

namespace carom {
namespace {

constexpr int max_power = 64;  // for larger powers, almost every draw has one nonzero cap

struct KindName {
  CapsKind kind;
  const char* name;
};
constexpr KindName kind_names[] = {
    {CapsKind::uniform, "uniform"},   {CapsKind::simplex, "simplex"},
    {CapsKind::corners, "corners"},   {CapsKind::early_corners, "early_corners"},
    {CapsKind::weighted, "weighted"}, {CapsKind::sobol, "sobol"}};

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const KindName& entry : kind_names) names.emplace_back(entry.name);
  return names;
}

bool has_power(CapsKind kind) {
  return kind == CapsKind::corners || kind == CapsKind::early_corners;
}

std::string name_of(CapsKind kind) {
  for (const KindName& entry : kind_names) {
    if (entry.kind == kind) return entry.name;
  }
  return "unknown";
}

[[noreturn]] void fail(const std::string& message) {
  throw FieldError("sampling.caps", fmt::format("caps {}", message));
}

/// The rules of one component, called `part` in messages.
void check(const CapsComponent& component, const std::string& part) {
  if (!(component.weight > 0.0) || !std::isfinite(component.weight)) {
    fail(fmt::format("{} has weight {} (must be > 0 and finite)", part, component.weight));
  }
  if (std::ranges::find(kind_names, component.kind, &KindName::kind) == std::end(kind_names)) {
    fail(fmt::format("{} is of kind {} (must be one of {})", part, static_cast<int>(component.kind),
                     fmt::join(all_names(), ", ")));
  }
  if (has_power(component.kind) && (component.power < 1 || component.power > max_power)) {
    fail(fmt::format("{} has power {} (must be from 1 to {})", part, component.power, max_power));
  }
  if (component.kind != CapsKind::weighted) return;
  if (component.scale.empty()) {
    fail(fmt::format("{} has no factors (must be weighted:s1,s2,... with one per contact)", part));
  }
  for (const double factor : component.scale) {
    if (!(factor > 0.0 && factor <= 1.0)) {
      fail(
          fmt::format("{} has factor {} (must be > 0 and <= 1, since impulse_step is the largest "
                      "cap)",
                      part, factor));
    }
  }
}

void check_count(std::size_t components) {
  if (components < 1 || components > max_caps_components) {
    fail(fmt::format("has {} parts (must have 1 to {})", components, max_caps_components));
  }
}

/// Parts between the separators, without surrounding spaces.
std::vector<std::string_view> split(std::string_view text, char separator) {
  const auto in_exponent = [&](std::size_t at) {  // 1e+5 is one number
    return at >= 2 && at + 1 < text.size() && (text[at - 1] == 'e' || text[at - 1] == 'E') &&
           (std::isdigit(static_cast<unsigned char>(text[at - 2])) != 0 || text[at - 2] == '.') &&
           std::isdigit(static_cast<unsigned char>(text[at + 1])) != 0;
  };
  std::vector<std::string_view> pieces;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && (text[at] != separator || in_exponent(at))) continue;
    pieces.push_back(trimmed(text.substr(begin, at - begin)));
    begin = at + 1;
  }
  return pieces;
}

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

void parse_parameters(std::string_view text, const std::string& part, CapsComponent& component) {
  if (has_power(component.kind)) {
    const std::optional<int> power = parse_number<int>(text);
    if (!power) {
      fail(fmt::format("{} has power \"{}\" (must be an integer from 1 to {})", part, text,
                       max_power));
    }
    component.power = *power;
  } else if (component.kind == CapsKind::weighted) {
    for (const std::string_view piece : split(text, ',')) {
      const std::optional<double> factor = parse_number<double>(piece);
      if (!factor) fail(fmt::format("{} has factor \"{}\" (must be a number)", part, piece));
      component.scale.push_back(*factor);
    }
  } else {
    fail(fmt::format("{} has parameters \"{}\" ({} takes none)", part, text,
                     name_of(component.kind)));
  }
}

CapsComponent parse_component(std::string_view text) {
  const std::string part = fmt::format("part \"{}\"", text);
  CapsComponent component;
  if (const std::size_t star = text.find('*'); star != text.npos) {
    const std::string_view weight = trimmed(text.substr(0, star));
    const std::optional<double> value = parse_number<double>(weight);
    if (!value) fail(fmt::format("{} has weight \"{}\" (must be a number)", part, weight));
    component.weight = *value;
    text = trimmed(text.substr(star + 1));
  }
  const std::size_t colon = text.find(':');
  const std::string_view name = trimmed(text.substr(0, colon));
  const auto* const found =
      std::ranges::find_if(kind_names, [&](const KindName& entry) { return name == entry.name; });
  if (found == std::end(kind_names)) {
    const std::vector<std::string> names = all_names();
    fail(fmt::format("{} has the name \"{}\" (must be one of {}){}", part, name,
                     fmt::join(names, ", "), suggestion(name, names)));
  }
  component.kind = found->kind;
  if (colon != text.npos) parse_parameters(trimmed(text.substr(colon + 1)), part, component);
  check(component, part);
  return component;
}

/// The shortest decimal that reads back as the same bits.
std::string number(double value) { return fmt::format("{}", value); }

}  // namespace

bool CapsDistribution::uses(CapsKind kind) const {
  return std::ranges::any_of(components, [&](const auto& part) { return part.kind == kind; });
}

std::string to_text(const CapsDistribution& caps) {
  std::string text;
  for (const CapsComponent& component : caps.components) {
    if (!text.empty()) text += " + ";
    if (component.weight != 1.0) text += fmt::format("{}*", number(component.weight));
    text += name_of(component.kind);
    if (has_power(component.kind)) text += fmt::format(":{}", component.power);
    if (component.kind == CapsKind::weighted) {
      for (std::size_t i = 0; i < component.scale.size(); ++i) {
        text += fmt::format("{}{}", i == 0 ? ":" : ",", number(component.scale[i]));
      }
    }
  }
  return text;
}

CapsDistribution parse_caps(const std::string& text) {
  const std::vector<std::string_view> parts = split(text, '+');
  check_count(parts.size());
  CapsDistribution caps;
  caps.components.clear();
  for (const std::string_view part : parts) {
    if (part.empty()) {
      fail(
          fmt::format("is \"{}\" (must be one or more parts joined by +, such as uniform or "
                      "0.7*uniform + 0.3*corners:4)",
                      text));
    }
    caps.components.push_back(parse_component(part));
  }
  return caps;
}

CapsDistribution default_caps(int contacts) {
  // Uniform caps of m contacts add up to about m h / 2: with many contacts nothing but "all at
  // once" is drawn. Corners with a power that grows with m let one contact act alone; at the
  // corners, what is left after the first impulses would take many steps (docs/choosing.md).
  constexpr int power_per_contact = 4;
  if (contacts == 1) return {};
  return {{CapsComponent{.kind = CapsKind::early_corners,
                         .power = std::min(power_per_contact * contacts, max_power),
                         .scale = {}}}};
}

void validate(const CapsDistribution& caps, int contacts) {
  check_count(caps.components.size());
  for (std::size_t i = 0; i < caps.components.size(); ++i) {
    const CapsComponent& component = caps.components[i];
    const std::string part = fmt::format("part {} ({})", i + 1, name_of(component.kind));
    check(component, part);
    const std::size_t factors = component.scale.size();
    if (component.kind == CapsKind::weighted && factors != static_cast<std::size_t>(contacts)) {
      fail(fmt::format("{} has {} factors (must have one per contact, {})", part, factors,
                       contacts));
    }
  }
}

}  // namespace carom
