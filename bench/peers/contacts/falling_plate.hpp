#pragma once

#include <string>
#include <vector>

namespace carom::peers {

/// A plate on 100 springs with dampers (scenarios/plate_on_springs.toml) and motions of it, with
/// their ends as found by `reference`: what all programs of this folder move and are judged by.
struct FallingPlate {
  std::vector<double> places;  ///< of the springs, m
  double height, mass, inertia, stiffness, damping, gravity;
  double duration;             ///< s
  std::vector<double> starts;  ///< 6 of each motion: x, z, theta and their rates
  std::vector<double> ends;
  std::vector<unsigned> events;

  std::size_t size() const { return events.size(); }
};

/// As `reference` wrote it: whitespace and numbers.
FallingPlate read_plate(const std::string& file);

/// How far one program was off, and how long it took.
class Judge {
 public:
  explicit Judge(const FallingPlate& plate) : plate_(plate) {}

  /// Notes the end of motion `i`.
  void note(std::size_t i, const double* end, unsigned events);
  /// Prints a line of JSON: the motions noted and their median and worst error, those with a wrong
  /// number of events, and processor time per motion.
  void print(const std::string& solver, const std::string& setting, double seconds) const;

 private:
  const FallingPlate& plate_;
  std::vector<double> errors_;
  unsigned wrong_ = 0;
};

/// Processor time of this program, s.
double processor_seconds();

}  // namespace carom::peers
