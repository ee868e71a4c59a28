#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "carom/impact_law.hpp"
#include "carom/scenario.hpp"
#include "python/bindings/bindings.hpp"

namespace carom::python {

/// An integer, or a float that is one (1e6). @throws InputError as the command line says it
std::uint64_t read_integer(const char* name, nb::handle value, std::uint64_t least,
                           std::uint64_t greatest);
double read_real(const char* name, nb::handle value);
std::string read_text(const char* name, nb::handle value);
/// The text of a str or os.PathLike.
std::string path_of(const char* name, nb::handle path);

/// A Scenario, an ImpactProblem, or the path of a scenario file or name of a system: what a call is
/// about. h and epsilon of an ImpactProblem are left for resolved().
/// @throws InputError
Scenario read_subject(nb::handle problem);
/// The same, of anything that has a motion, also if it has no impact.
Scenario read_any(nb::handle problem);

/// Changes what keyword arguments say of a scenario's options (None: nothing), and checks them.
/// @param has_output a result file is written; only then what it keeps can be said
/// @throws InputError naming the argument and the rule
void apply(nb::dict arguments, Scenario& scenario, bool has_output = false);
/// The same, but nothing is chosen that is left to Carom: for motions and families.
void apply_stated(nb::dict arguments, Scenario& scenario, bool has_output = false);

/// A subject with a motion, changed by keyword arguments. @param start None, or a dict {"position":
/// {coordinate: (least, greatest)}, "velocity": ...} of what differs between starts
/// @throws InputError as above
Scenario read_motion(nb::handle problem, nb::handle start, nb::dict arguments);

/// What several problems of equal shape are sampled with.
struct Subjects {
  std::vector<ImpactProblem> problems;
  SamplingOptions sampling;  ///< the first one's, changed by arguments
};

/// One subject, or a list or tuple of them. @throws InputError as above, or if there is none
Subjects read_subjects(nb::handle problems, nb::dict arguments);

/// The options of an ImpactLaw from keyword arguments. @throws InputError
ImpactLawOptions impact_law_options(nb::dict arguments);

}  // namespace carom::python
