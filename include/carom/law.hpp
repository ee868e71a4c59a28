#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "carom/caps_distribution.hpp"
#include "carom/selection.hpp"

namespace carom {

/// Impact laws, each with the options that it alone has.
namespace law {

/// Halm & Posa's set-valued law ("set_valued"): each step's normal impulses stay below random caps
/// (Algorithm 1). What every order of impulses could give.
struct SetValued {
  CapsDistribution caps{};                 ///< what the caps of a step are drawn from
  Solutions solutions = Solutions::first;  ///< what a step with several takes
};

/// Anitescu & Potra's simultaneous law ("simultaneous"; Halm & Posa, Eq. 31-33): one step without
/// caps, whose distinct outcomes are drawn evenly. Up to `max_modes` contact modes.
struct Simultaneous {};

/// One contact after the other ("sequential"; Halm & Posa, Section 2.2.2): each step draws one of
/// the contacts that approach, evenly, and resolves it by the simultaneous law of it alone.
struct Sequential {};

}  // namespace law

/// The law of a run.
using Law = std::variant<law::SetValued, law::Simultaneous, law::Sequential>;

/// Its name in scenarios, flags, files and reports.
const char* law_name(const Law& law);

/// The law of a name, with its defaults. @throws InputError that lists the names
Law law_named(const std::string& name);

/// Options of the law's own, name and text, such as {"caps", "uniform"}.
std::vector<std::pair<std::string, std::string>> law_options(const Law& law);

/// Sets an option of the law's own from its text.
/// @param place what messages call the option: a flag, a key, a keyword
/// @throws InputError where the text breaks a rule, or the law has no such option
void set_law_option(Law& law, const std::string& option, const std::string& text,
                    const std::string& place);

}  // namespace carom
