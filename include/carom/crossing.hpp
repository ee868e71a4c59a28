#pragma once

namespace carom {

/// How rollouts in compliant contact locate events (docs/time.md).
enum class Crossing {
  fast,        ///< the event function as independent variable where that serves, else as `safe`
  safe,        ///< a trial step, and the first crossing of a cubic
  projection,  ///< an Euler step to the guard (Anderson & Revzen, Listing 1): second order
};

/// Name of a crossing in scenarios, flags, files and reports.
constexpr const char* crossing_name(Crossing crossing) {
  constexpr const char* names[] = {"fast", "safe", "projection"};
  return names[static_cast<int>(crossing)];
}

}  // namespace carom
