#include "host/cli/report_modes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "host/cli/terminal.hpp"

namespace carom::cli {
namespace {

using nlohmann::ordered_json;

constexpr double confidence = 0.95;

struct Share {
  double value;
  ProbabilityInterval interval;
  int decimals;  ///< of percents: down to the first digit of the error
};

Share share_of(std::uint64_t part, std::uint64_t whole) {
  const ProbabilityInterval interval = wilson_interval(part, whole, confidence);
  const double error = percent * 0.5 * (interval.high - interval.low);
  constexpr int most_decimals = 9;
  const int decimals =
      std::clamp(static_cast<int>(std::ceil(-std::log10(error))), 0, most_decimals);
  return {static_cast<double>(part) / static_cast<double>(whole), interval, decimals};
}

}  // namespace

std::string short_mode_text(const std::vector<ContactMode>& contacts,
                            const std::vector<std::string>& names) {
  if (contacts.size() <= most_spelled_contacts) return mode_text(contacts, names);
  constexpr std::array plurals = {"separate", "stick", "slide", "slide back"};
  std::array<std::size_t, plurals.size()> count{};
  for (const ContactMode mode : contacts) ++count[static_cast<std::size_t>(mode)];
  const auto frequent = std::ranges::max_element(count) - count.begin();
  std::vector<ContactMode> shown;
  std::vector<std::string> its_names;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (static_cast<std::ptrdiff_t>(contacts[i]) == frequent) continue;
    shown.push_back(contacts[i]);
    its_names.push_back(names[i]);
  }
  const char* const word = plurals[static_cast<std::size_t>(frequent)];
  if (shown.empty()) return fmt::format("all {}", word);
  return fmt::format("{}, the others {}", mode_text(shown, its_names), word);
}

std::size_t shown_modes(std::size_t modes) {
  constexpr std::size_t most = 12;  // readable at a glance
  // A single extra row replaces the line that would count it.
  return modes <= most + 1 ? modes : most;
}

std::string share_with_error(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  const Share share = share_of(part, whole);
  const double error = 0.5 * (share.interval.high - share.interval.low);
  return fmt::format("{:.{}f} % ± {:.{}f}", percent * share.value, share.decimals, percent * error,
                     share.decimals);
}

std::string share_interval(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  const Share share = share_of(part, whole);
  return fmt::format("{:.{}f} ... {:.{}f} %", percent * share.interval.low, share.decimals,
                     percent * share.interval.high, share.decimals);
}

ordered_json contact_modes_json(const std::vector<ContactMode>& contacts) {
  constexpr const char* names[] = {"separates", "sticks", "slides", "slides_back"};
  ordered_json list = ordered_json::array();
  for (const ContactMode mode : contacts) list.push_back(names[static_cast<std::size_t>(mode)]);
  return list;
}

ordered_json share_json(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return {{"share", nullptr}, {"low", nullptr}, {"high", nullptr}};
  const Share share = share_of(part, whole);
  return {{"share", share.value}, {"low", share.interval.low}, {"high", share.interval.high}};
}

std::string modes_text(const ImpactProblem& problem, const OutcomeModes& modes, bool verbose,
                       bool of_members) {
  if (modes.outcomes() == 0) return "";
  const std::vector<OutcomeMode> rows = modes.table();
  const std::size_t shown = verbose ? rows.size() : shown_modes(rows.size());
  const char* const counted = of_members ? "members" : "outcomes";
  Table table(of_members
                  ? std::vector<std::string>{"mode", counted, "example"}
                  : std::vector<std::string>{"mode", "share", "95 % interval", counted, "example"},
              false);
  const auto add = [&](const std::string& mode, std::uint64_t count, const std::string& example) {
    const std::string digits = fmt::format("{}", count);
    const std::uint64_t all = modes.outcomes();
    table.add(of_members ? std::vector<std::string>{mode, digits, example}
                         : std::vector<std::string>{mode, share_with_error(count, all),
                                                    share_interval(count, all), digits, example});
  };
  for (std::size_t i = 0; i < shown; ++i) {
    add(short_mode_text(rows[i].contacts, problem.contact_names), rows[i].count,
        fmt::format("{} {}", of_members ? "member" : "trajectory", rows[i].example));
  }
  if (shown < rows.size()) {
    std::uint64_t rest = 0;
    for (std::size_t i = shown; i < rows.size(); ++i) rest += rows[i].count;
    add(fmt::format("{} other modes", rows.size() - shown), rest, "--verbose lists them");
  }
  return fmt::format("Contact modes of the {} (below {} m/s: at rest)\n", counted,
                     number(modes.tolerance())) +
         table.text();
}

ordered_json modes_json(const ImpactProblem& problem, const OutcomeModes& modes, bool of_members) {
  ordered_json table = ordered_json::array();
  for (const OutcomeMode& mode : modes.table()) {
    ordered_json row;
    row["text"] = mode_text(mode.contacts, problem.contact_names);
    row["contacts"] = contact_modes_json(mode.contacts);
    row["count"] = mode.count;
    if (!of_members) row.update(share_json(mode.count, modes.outcomes()));
    row["example"] = mode.example;
    row["example_velocity"] = mode.example_velocity;
    table.push_back(std::move(row));
  }
  ordered_json json = {{"tolerance", modes.tolerance()},
                       {"relative_tolerance", OutcomeModes::relative_tolerance},
                       {of_members ? "members" : "outcomes", modes.outcomes()}};
  if (!of_members) json["confidence"] = confidence;
  json["table"] = std::move(table);
  return json;
}

}  // namespace carom::cli
