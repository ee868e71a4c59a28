#include "carom/outcome_modes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "carom/error.hpp"
#include "host/problem/contact_speeds.hpp"
#include "host/set/mode_codes.hpp"
#include "host/set/row_counts.hpp"

namespace carom {

OutcomeModes::OutcomeModes(const ImpactProblem& problem)
    : normal_jacobian_(problem.normal_jacobian), tangent_jacobian_(problem.tangent_jacobian) {
  if (problem.contacts() > LargestAssembly::contacts) {
    throw InputError(fmt::format("the problem has {} contacts (must be at most {} for its modes)",
                                 problem.contacts(), LargestAssembly::contacts));
  }
  constexpr double least_tolerance = 1e-9;  // m/s: rounding of velocities of about 1e5 m/s
  double fastest = 0.0;
  for (const Eigen::MatrixXd* jacobian : {&normal_jacobian_, &tangent_jacobian_}) {
    if (jacobian->size() == 0) continue;
    fastest = std::max(fastest, (*jacobian * problem.pre_impact_velocity).cwiseAbs().maxCoeff());
  }
  tolerance_ = std::max(relative_tolerance * fastest, least_tolerance);
}

void OutcomeModes::add(const SampleSet& samples) {
  const auto m = static_cast<std::size_t>(normal_jacobian_.rows());
  const auto nv = static_cast<std::size_t>(normal_jacobian_.cols());
  if (m == 0 || samples.velocities != normal_jacobian_.cols()) {
    throw InputError(fmt::format("samples have {} velocities (must be {}, the problem's)",
                                 samples.velocities, nv));
  }
  constexpr double any_unit = 1.0;  // of energies, which are not wanted
  const RowCounts counts =
      count_rows(samples, normal_jacobian_, tangent_jacobian_, any_unit, tolerance_);
  join_modes(counts.modes, m, samples, *this);
}

void join_modes(const ModeCounts& counts, std::size_t m, const SampleSet& samples,
                OutcomeModes& modes) {
  const auto nv = static_cast<std::size_t>(samples.velocities);
  for (const ModeCounts::Entry& entry : counts.entries()) {
    const double* velocity = &samples.velocity[entry.first_row * nv];
    modes.join({.contacts = contact_modes(entry.codes, m),
                .count = entry.count,
                .example = samples.first + entry.first_row,
                .example_velocity = {velocity, velocity + nv}});
  }
}

OutcomeModes modes_of_members(const ImpactProblem& problem, const EpsilonNet& net) {
  OutcomeModes modes(problem);
  const std::size_t nv = net.velocity().size() / std::max<std::size_t>(net.size(), 1);
  for (std::size_t i = 0; i < net.size(); ++i) {
    const double* const velocity = &net.velocity()[i * nv];
    modes.join({.contacts = modes.classify(velocity),
                .count = 1,
                .example = i,
                .example_velocity = {velocity, velocity + nv}});
  }
  return modes;
}

void OutcomeModes::restore(const OutcomeMode& mode) {
  if (modes_.count(mode.contacts) > 0) {
    throw InputError("a mode comes twice (must be restored once)");
  }
  join(mode);
}

void OutcomeModes::join(const OutcomeMode& counted) {
  const auto m = static_cast<std::size_t>(normal_jacobian_.rows());
  const auto nv = static_cast<std::size_t>(normal_jacobian_.cols());
  if (counted.contacts.size() != m || counted.example_velocity.size() != nv || counted.count == 0) {
    throw InputError(fmt::format(
        "a mode of {} contacts with {} outcomes and an example of {} "
        "velocities (must be {} contacts, at least one and {})",
        counted.contacts.size(), counted.count, counted.example_velocity.size(), m, nv));
  }
  outcomes_ += counted.count;
  OutcomeMode& mode = modes_[counted.contacts];
  const std::uint64_t count = mode.count + counted.count;
  if (mode.count == 0 || counted.example < mode.example) mode = counted;
  mode.count = count;
}

std::vector<OutcomeMode> OutcomeModes::table() const {
  std::vector<OutcomeMode> rows;
  rows.reserve(modes_.size());
  for (const auto& [contacts, mode] : modes_) rows.push_back(mode);
  std::stable_sort(rows.begin(), rows.end(), [](const OutcomeMode& one, const OutcomeMode& other) {
    return one.count > other.count;
  });
  return rows;
}

std::vector<ContactMode> OutcomeModes::classify(const double* velocity) const {
  const auto m = static_cast<std::size_t>(normal_jacobian_.rows());
  if (m == 0) return {};
  const std::size_t d = static_cast<std::size_t>(tangent_jacobian_.rows()) / m;
  const ContactSpeeds speeds(normal_jacobian_, tangent_jacobian_);
  std::vector<double> speed(speeds.padded_size());
  speeds(velocity, speed.data());
  return contact_modes(
      mode_codes(speed.data(), static_cast<int>(m), static_cast<int>(d), tolerance_), m);
}

std::string mode_text(const std::vector<ContactMode>& contacts,
                      const std::vector<std::string>& names) {
  if (names.size() != contacts.size()) {
    throw InputError(fmt::format("contact names are {} (must be {}, one per contact)", names.size(),
                                 contacts.size()));
  }
  constexpr const char* words[] = {"separates", "sticks", "slides", "slides back"};
  std::string text;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", names[i],
                        words[static_cast<std::size_t>(contacts[i])]);
  }
  return text;
}

ProbabilityInterval wilson_interval(std::uint64_t successes, std::uint64_t trials,
                                    double confidence) {
  if (successes > trials) {
    throw InputError(
        fmt::format("successes is {} (must be at most {}, the trials)", successes, trials));
  }
  if (!(confidence > 0.0 && confidence < 1.0)) {
    throw InputError(fmt::format("confidence is {} (must be above 0 and below 1)", confidence));
  }
  if (trials == 0) return {};
  const double tail = 0.5 * (1.0 - confidence);
  const double z = boost::math::quantile(boost::math::complement(boost::math::normal(), tail));
  const auto n = static_cast<double>(trials);
  const double share = static_cast<double>(successes) / n;
  const double scale = 1.0 + z * z / n;
  const double middle = (share + z * z / (2.0 * n)) / scale;
  const double half = z / scale * std::sqrt(share * (1.0 - share) / n + z * z / (4.0 * n * n));
  // The ends are exact if no outcome, or every outcome, was a success.
  return {successes == 0 ? 0.0 : std::max(middle - half, 0.0),
          successes == trials ? 1.0 : std::min(middle + half, 1.0)};
}

}  // namespace carom
