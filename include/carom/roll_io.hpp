#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "carom/roll.hpp"
#include "carom/run_sampling.hpp"
#include "carom/scenario.hpp"

namespace carom {

/// Contents of a file of rollouts.
struct RollResult {
  Scenario scenario;    ///< with [roll], complete with every default
  Rollouts rollouts;    ///< from the first on
  std::string version;  ///< version of Carom that wrote the file
};

/// Whether a file is one of rollouts, by its first bytes.
bool is_rollouts(const std::filesystem::path& file);

/// Writes rollouts (docs/time.md) to FILE.part, which then becomes FILE: FILE is always whole, the
/// old one or the new one.
/// @throws InputError if the folder is missing or not writable, or the file is in use by another
/// run; RunError if the disk is full
void write_rollouts(const std::filesystem::path& file, const Scenario& scenario,
                    const Rollouts& rollouts);

/// @throws InputError if the file is missing, holds no rollouts, is damaged, or of a newer format
RollResult read_rollouts(const std::filesystem::path& file);

/// What the rollouts of a scenario are of. @throws InputError if it has no motion
RolledSystem rolled_system(const Scenario& scenario);

/// Sizes of the rows of a scenario's rollouts.
RolloutShape rollout_shape(const Scenario& scenario);

/// Moves the scenario's world or system; as roll() of that. @param options instead of [roll]
/// @throws InputError also if the scenario has no motion, or one without such contacts
Rollouts roll(const Scenario& scenario, const RollOptions& options,
              const SampleObserver& observer = {}, std::uint64_t first = 0);

/// What rollouts of the scenario leave open.
std::vector<Note> notes_on_rollouts(const Scenario& scenario, const Rollouts& rollouts);

/// The note on a tube whose nets miss more than 2 % of the rollouts that test them at a time.
std::optional<Note> note_on_tube(const RollSummary& summary, const Rollouts& rollouts);

/// @throws InputError if the scenario has no motion, or one without the contacts of its [roll]
void check_motion(const Scenario& scenario);

/// Moves `count` rollouts from `first` on, somewhere; as roll() does.
using RollPart = std::function<Rollouts(std::uint64_t first, std::uint64_t count,
                                        const SampleObserver& observer)>;

/// Moves the scenario's world as [roll] says, with a progress bar, checkpoints and interrupts;
/// continues `start`. An interrupted run returns what there is, and the file holds it.
/// @param start an earlier result of the same scenario with fewer rollouts
/// @param file empty: none is written
/// @param part none: here
/// @throws InputError if the scenario has no motion, or an option breaks a rule
Rollouts run_roll(const Scenario& scenario, const std::filesystem::path& file,
                  const RunControl& control, Rollouts start = {}, RollPart part = {});

}  // namespace carom
