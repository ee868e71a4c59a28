#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "carom/caps_distribution.hpp"
#include "carom/choice.hpp"
#include "carom/selection.hpp"
#include "carom/uncertain.hpp"

namespace carom {

/// The plastic outcome, with which restitution below 1 mixes the elastic ones.
enum class Plastic {
  unilateral,  ///< the nearest velocity, in the kinetic metric, of which no contact approaches
  projection,  ///< the nearest velocity without separation (Seghete & Murphey, Eq. 10-11): it may
               ///< pull
};

/// Name of a plastic outcome in scenarios, flags, files and reports.
constexpr const char* plastic_name(Plastic plastic) {
  constexpr const char* names[] = {"unilateral", "projection"};
  return names[static_cast<int>(plastic)];
}

/// Impact laws, each with its own options.
namespace law {

/// Halm & Posa's set-valued law ("set_valued"): each step's normal impulses stay below random caps
/// (Algorithm 1). The set contains what every order of impulses can give.
struct SetValued {
  Choice<CapsDistribution> caps{};  ///< distribution of the caps of a step; auto: default_caps()
  Choice<Solutions> solutions{};    ///< which solution a step takes; auto: all, in time cover
  /// m/s: a contact that approached slower has no restitution, so that bounces end
  double v_capture = 0.0;
};

/// Anitescu & Potra's simultaneous law ("simultaneous"; Halm & Posa, Eq. 31-33): one step without
/// caps; each of its distinct outcomes is equally probable. They are found by a table of contact
/// modes for two contacts in the plane or one in space, by a search of up to 12 coordinates,
/// m (1 + k / 2) in space and 2 m in the plane, or else by lines, which may miss some.
struct Simultaneous {};

/// One contact after the other ("sequential"; Halm & Posa, Section 2.2.2): each step draws one of
/// the approaching contacts, all equally probable, and solves the simultaneous law for this contact
/// alone.
struct Sequential {};

/// Impacts in turn ("propagative"; Seghete & Murphey): each step reflects the velocity at one of
/// the approaching contacts, all equally probable. No friction; restitution is one number, of the
/// energy.
struct Propagative {
  Plastic plastic = Plastic::unilateral;  ///< the outcome of restitution 0
};

/// Poisson's restitution in rounds of compression and expansion with Coulomb friction ("plus";
/// Uchida, Sherman & Delp): the contacts that approach compress together, and what they gathered
/// expands in the next round. It draws only what is stated as a distribution: each trajectory one
/// number of each, or one for all contacts where one is stated for all. In space its friction cones
/// are round, whatever the problem's friction_directions.
struct Plus {
  Uncertain v_capture = 0.01;             ///< m/s: slower approach has no restitution
  Uncertain v_plastic = 0.1;              ///< m/s: from it on, restitution is that of the problem
  Uncertain v_transition = 0.1;           ///< m/s: slower slip can roll
  Uncertain theta_max = 0.01;             ///< rad: largest turn of a slip in one interval
  std::vector<Uncertain> mu_static = {};  ///< of contacts that slip slower before the impact, one
                                          ///< or m numbers; none: the other friction, as drawn
  Uncertain mu_viscous = 0.0;             ///< s/m: friction per slip speed before the impact
  // These replace what the problem has; none: they do not.
  std::vector<Uncertain> mu = {};        ///< friction, one or m numbers
  std::vector<Uncertain> e_min = {};     ///< restitution, one or m numbers
  std::vector<Uncertain> v_before = {};  ///< velocity before the impact, nv numbers, m/s
  int max_rounds = 1000;
  /// Whether an interval goes on where the paper's Algorithm 1 meets contacts without an impulse:
  /// some roll after all, or the last one that cannot roll is left out.
  bool backtrack = false;
};

}  // namespace law

/// The law of a run.
using Law =
    std::variant<law::SetValued, law::Simultaneous, law::Sequential, law::Propagative, law::Plus>;

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
