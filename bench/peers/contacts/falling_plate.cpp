#include "bench/peers/contacts/falling_plate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <stdexcept>

namespace carom::peers {

constexpr std::size_t state_size = 6;

FallingPlate read_plate(const std::string& file) {
  std::ifstream in(file);
  FallingPlate plate;
  std::size_t springs = 0;
  std::size_t motions = 0;
  in >> springs >> motions >> plate.height >> plate.mass >> plate.inertia >> plate.stiffness >>
      plate.damping >> plate.gravity >> plate.duration;
  const auto read = [&](auto& numbers, std::size_t count) {
    numbers.resize(count);
    for (auto& number : numbers) in >> number;
  };
  read(plate.places, springs);
  read(plate.starts, state_size * motions);
  read(plate.ends, state_size * motions);
  read(plate.events, motions);
  if (!in) throw std::runtime_error(file + " is no file that `contacts_carom reference` wrote");
  return plate;
}

void Judge::note(std::size_t i, const double* end, unsigned events) {
  double most = 0.0;
  for (std::size_t k = 0; k < state_size; ++k) {
    most = std::max(most, std::abs(end[k] - plate_.ends[state_size * i + k]));
  }
  errors_.push_back(std::isfinite(most) ? most : 1e300);
  wrong_ += events != plate_.events[i] ? 1 : 0;
}

void Judge::print(const std::string& solver, const std::string& setting, double seconds) const {
  std::vector<double> errors = errors_;
  std::sort(errors.begin(), errors.end());
  std::printf(
      "{\"solver\": \"%s\", \"setting\": \"%s\", \"motions\": %zu, \"median\": %.3e, "
      "\"worst\": %.3e, \"wrong_events\": %u, \"us_per_motion\": %.3f}\n",
      solver.c_str(), setting.c_str(), errors.size(), errors[errors.size() / 2], errors.back(),
      wrong_, 1e6 * seconds / static_cast<double>(errors.size()));
  std::fflush(stdout);
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace carom::peers
