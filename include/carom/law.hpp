#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "carom/caps_distribution.hpp"
#include "carom/choice.hpp"
#include "carom/selection.hpp"

namespace carom {

/// Impact laws, each with its own options.
namespace law {

/// Halm & Posa's set-valued law ("set_valued"): each step's normal impulses stay below random caps
/// (Algorithm 1). The set contains what every order of impulses can give.
struct SetValued {
  Choice<CapsDistribution> caps{};  ///< distribution of the caps of a step; auto: default_caps()
  Choice<Solutions> solutions{};    ///< which solution a step takes; auto: all
};

/// Anitescu & Potra's simultaneous law ("simultaneous"; Halm & Posa, Eq. 31-33): one step without
/// caps; each of its distinct outcomes is equally probable. Limited to `max_modes` contact modes.
struct Simultaneous {};

/// One contact after the other ("sequential"; Halm & Posa, Section 2.2.2): each step draws one of
/// the approaching contacts, all equally probable, and solves the simultaneous law for this contact
/// alone.
struct Sequential {};

}  // namespace law

/// The law of a run.
using Law = std::variant<law::SetValued, law::Simultaneous, law::Sequential>;

/// Name of a law in scenarios, flags, files and reports.
const char* law_name(const Law& law);

/// The law with this name, with default options. @throws InputError that lists the names
Law law_named(const std::string& name);

/// The law's own options, name and text, such as {"caps", "uniform"}.
std::vector<std::pair<std::string, std::string>> law_options(const Law& law);

/// Sets one of the law's own options from its text.
/// @param place the option's name in messages: a flag, a key or a keyword
/// @throws InputError if the text breaks a rule, or the law has no such option
void set_law_option(Law& law, const std::string& option, const std::string& text,
                    const std::string& place);

}  // namespace carom
