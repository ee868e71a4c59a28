#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "carom/impact_law.hpp"
#include "host/laws/law_entry.hpp"
#include "host/laws/set_valued/caps_plan.hpp"
#include "kernels/impact/worlds_plan.hpp"

namespace carom {

/// The options of a run of one trajectory.
SamplingOptions sampling_options(const ImpactLawOptions& options);

/// The options with a value for each Choice. @throws InputError if an option breaks a rule
ImpactLawOptions resolved(ImpactLawOptions options);

/// The program of a law, resolved, for worlds with or without restitution.
WorldsLaw world_program(const Law& law, bool has_restitution);

/// @throws InputError if a problem's stream is beyond 32 bits, the number of steps is wrong, or the
/// law has no restitution but the batch has
void require_batch(const ImpactLawOptions& options, const ImpactBatch& batch, std::uint64_t first);

RowShape rows_of(const ImpactBatch& batch, const ImpactLawOptions& options);

/// What the plans of batches of one shape point to. It must outlive them.
class WorldsSetup {
 public:
  /// @param options resolved
  /// @param batch of any size; its arrays are not read
  /// @throws InputError if no problem of its shape can be sampled
  WorldsSetup(const ImpactLawOptions& options, const ImpactBatch& batch);
  WorldsSetup(const WorldsSetup&) = delete;
  WorldsSetup& operator=(const WorldsSetup&) = delete;

  /// The plan of one step.
  WorldsPlan plan(std::uint64_t step, const ImpactBatch& batch, std::uint64_t first) const;

 private:
  void place(const law::Plus& law, const ProblemShape& shape);
  void place(const law::SetValued& law, const ImpactLawOptions& options, const ProblemShape& shape);

  Law law_;
  bool some_active_;
  WorldsPlan plan_;
  std::unique_ptr<LawMemory> memory_;
  std::vector<double> directions_, weights_;
  std::map<int, CapsPlan> caps_;  ///< by the number of active contacts
};

}  // namespace carom
