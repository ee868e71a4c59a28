#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "carom/outcome_modes.hpp"

namespace carom::cli {

/// The outcomes by their combination of contact modes, the most frequent first; rare modes share
/// one line unless `verbose`.
/// @param of_members whether the modes are those of a net's members (modes_of_members()), whose
/// shares are no probabilities and so are left out
std::string modes_text(const ImpactProblem& problem, const OutcomeModes& modes, bool verbose,
                       bool of_members = false);
nlohmann::ordered_json modes_json(const ImpactProblem& problem, const OutcomeModes& modes,
                                  bool of_members = false);

/// As mode_text(), but of more contacts than a line should spell out, those with the most frequent
/// mode share one word: "A sticks, the others separate", "all stick".
constexpr std::size_t most_spelled_contacts = 4;
std::string short_mode_text(const std::vector<ContactMode>& contacts,
                            const std::vector<std::string>& names);

/// How many of a table's modes a report shows, the others in one line.
std::size_t shown_modes(std::size_t modes);

/// ["sticks", "separates"]: a name per contact.
nlohmann::ordered_json contact_modes_json(const std::vector<ContactMode>& contacts);

/// "23.1 % ± 0.2": a share and half the width of its 95 % interval, rounded to the significant
/// digits.
std::string share_with_error(std::uint64_t part, std::uint64_t whole);
/// "22.9 ... 23.3 %": the 95 % interval itself.
std::string share_interval(std::uint64_t part, std::uint64_t whole);
/// {"share", "low", "high"}; null without outcomes.
nlohmann::ordered_json share_json(std::uint64_t part, std::uint64_t whole);

}  // namespace carom::cli
