// The falling plate by Carom: `reference FILE` draws the motions and finds their ends by steps of a
// quarter millisecond, `FILE` moves them by longer ones.
#include <cstdio>
#include <cstring>
#include <exception>

#include "bench/peers/contacts/falling_plate.hpp"
#include "carom/carom.hpp"
#include "carom/roll.hpp"

namespace carom::peers {
namespace {

constexpr std::uint64_t motions = 1000;

Scenario scenario() { return load_motion(CAROM_SOURCE_DIR "/scenarios/plate_on_springs.toml"); }

Rollouts moved(const Scenario& of, Crossing crossing, double step) {
  SamplingOptions sampling = of.sampling;
  sampling.backend = Backend::cpu;
  sampling.threads = 1;
  RollOptions options = *of.roll;
  options.rollouts = motions;
  options.times = {0.0, options.duration};
  options.ask = {};
  options.events = 0;
  options.crossing = crossing;
  options.step = step;
  return roll(*of.compliant, sampling, options);
}

/// Position and velocity of a motion, at the start (0) or the end (1).
void copy_state(const Rollouts& from, std::size_t i, std::size_t time, double* to) {
  for (std::size_t k = 0; k < 3; ++k) {
    to[k] = from.position[(2 * i + time) * 3 + k];
    to[3 + k] = from.velocity[(2 * i + time) * 3 + k];
  }
}

void write_reference(const char* file) {
  const Scenario of = scenario();
  const auto& plate = std::get<SpringPlate>(of.compliant->motion);
  constexpr double step = 2.5e-4;
  const Rollouts found = moved(of, Crossing::safe, step);
  std::FILE* const out = std::fopen(file, "w");
  if (out == nullptr) throw InputError(std::string("cannot write ") + file);
  const auto print = [&](double number) { std::fprintf(out, "%.17g\n", number); };
  std::fprintf(out, "%d %llu\n", static_cast<int>(plate.positions.size()),
               static_cast<unsigned long long>(motions));
  for (const double number : {plate.height, plate.mass, plate.inertia, plate.stiffness,
                              plate.damping, plate.gravity, of.roll->duration}) {
    print(number);
  }
  for (const double place : plate.positions) print(place);
  for (const std::size_t time : {0, 1}) {
    for (std::size_t i = 0; i < motions; ++i) {
      double state[6];
      copy_state(found, i, time, state);
      for (const double number : state) print(number);
    }
  }
  for (const std::uint32_t events : found.impacts) std::fprintf(out, "%u\n", events);
  if (std::fclose(out) != 0) throw InputError(std::string("cannot write ") + file);
}

void run(const char* file) {
  const Scenario of = scenario();
  const FallingPlate plate = read_plate(file);
  for (const Crossing crossing : {Crossing::fast, Crossing::safe, Crossing::projection}) {
    for (const double step : {1e-2, 8e-3, 7e-3, 6e-3, 5e-3, 4e-3, 2e-3}) {
      const double begun = processor_seconds();
      const Rollouts found = moved(of, crossing, step);
      const double seconds = processor_seconds() - begun;
      Judge judge(plate);
      for (std::size_t i = 0; i < motions; ++i) {
        double end[6];
        copy_state(found, i, 1, end);
        judge.note(i, end, found.impacts[i]);
      }
      char setting[32];
      std::snprintf(setting, sizeof setting, "step %g ms", 1e3 * step);
      judge.print(std::string("Carom ") + crossing_name(crossing), setting, seconds);
    }
  }
}

}  // namespace
}  // namespace carom::peers

int main(int argc, char** argv) {
  try {
    if (argc == 3 && std::strcmp(argv[1], "reference") == 0) {
      carom::peers::write_reference(argv[2]);
    } else if (argc == 2) {
      carom::peers::run(argv[1]);
    } else {
      std::fprintf(stderr, "usage: contacts_carom [reference] FILE\n");
      return 2;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
