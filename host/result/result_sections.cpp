#include "host/result/result_sections.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <numeric>
#include <string_view>

#include "carom/version.hpp"
#include "host/base/note_json.hpp"
#include "host/result/result_layout.hpp"

namespace carom::sections {
namespace {

using hdf5::Handle;
using hdf5::number_type;
using hdf5::RowDataset;

/// The time in UTC: SOURCE_DATE_EPOCH if it is set (reproducible-builds.org), else now.
std::string creation_time() {
  std::time_t moment = std::time(nullptr);
  if (const char* epoch = std::getenv("SOURCE_DATE_EPOCH")) {
    const std::string_view text = epoch;
    std::from_chars(text.data(), text.data() + text.size(), moment);
  }
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(moment));
}

void write_matrix(hid_t group, const char* name, const Eigen::MatrixXd& matrix) {
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = matrix;
  hdf5::write_array(group, name, number_type<double>(),
                    {static_cast<hsize_t>(rows.rows()), static_cast<hsize_t>(rows.cols())},
                    rows.data());
}

void write_vector(hid_t group, const char* name, const Eigen::VectorXd& vector) {
  hdf5::write_array(group, name, number_type<double>(), {static_cast<hsize_t>(vector.size())},
                    vector.data());
}

/// One row per contact or tangent; a summary without trajectories may have no rows.
void write_ranges(hid_t group, const char* name, std::vector<Range> ranges, Eigen::Index count) {
  ranges.resize(static_cast<std::size_t>(count));
  std::vector<double> ends;
  for (const Range& range : ranges) ends.insert(ends.end(), {range.least, range.greatest});
  hdf5::write_array(group, name, number_type<double>(), {ranges.size(), 2}, ends.data());
}

std::vector<Range> read_ranges(hid_t group, const char* name, std::size_t count) {
  std::vector<double> ends(2 * count);
  hdf5::read_array(group, name, number_type<double>(), {count, 2}, ends.data());
  std::vector<Range> ranges;
  for (std::size_t row = 0; row < count; ++row)
    ranges.push_back({ends[2 * row], ends[2 * row + 1]});
  return ranges;
}

}  // namespace

void write_problem(hid_t file, const ImpactProblem& problem) {
  const Handle group = hdf5::create_group(file, "problem");
  write_matrix(group, "mass_matrix", problem.mass_matrix);
  write_matrix(group, "normal_jacobian", problem.normal_jacobian);
  write_matrix(group, "tangent_jacobian", problem.tangent_jacobian);
  write_vector(group, "friction", problem.friction);
  if (problem.restitution.size() > 0) write_vector(group, "restitution", problem.restitution);
  write_vector(group, "pre_impact_velocity", problem.pre_impact_velocity);
  hdf5::write_strings(group, "contact_names", problem.contact_names);
  if (!problem.speed_units.empty()) {
    hdf5::write_strings(group, "speed_units", problem.speed_units);
  }
  hdf5::write_number<std::int32_t>(group, "friction_directions", problem.friction_directions);
}

void write_summary(hid_t file, const Summary& summary, const ImpactProblem& problem) {
  const Handle group = hdf5::open_group(file, "summary");
  layout::for_each_count(
      summary, [&](const char* name, auto value) { hdf5::write_number(group, name, value); });
  const hid_t counts = number_type<std::uint64_t>();
  hdf5::write_array(group, "status_counts", counts, {summary.status_counts.size()},
                    summary.status_counts.data());
  hdf5::write_array(group, "solution_steps", counts, {summary.solution_steps.size()},
                    summary.solution_steps.data());
  const bool exists = H5Lexists(group, "lcp_histogram", H5P_DEFAULT) > 0;
  (exists ? RowDataset::open(group, "lcp_histogram", counts, {})
          : RowDataset::create(group, "lcp_histogram", counts, {}, summary.lcp_histogram.size()))
      .replace(summary.lcp_histogram.data(), summary.lcp_histogram.size());
  const double energy[2] = {summary.energy.least, summary.energy.greatest};
  hdf5::write_array(group, "energy", number_type<double>(), {2}, energy);
  const std::uint64_t units[2] = {summary.energy_units.low, summary.energy_units.high};
  hdf5::write_array(group, "energy_units", counts, {2}, units);
  write_ranges(group, "normal_velocity", summary.normal_velocity, problem.normal_jacobian.rows());
  write_ranges(group, "tangential_velocity", summary.tangential_velocity,
               problem.tangent_jacobian.rows());
}

void write_table(hid_t file, const TableInfo& table) {
  const Handle group = hdf5::open_group(file, "summary");
  hdf5::write_number(group, "table_bases", table.bases);
  hdf5::write_number(group, "pilot_trajectories", table.pilot_trajectories);
}

TableInfo read_table(hid_t file) {
  const Handle group = hdf5::open_group(file, "summary");
  return {.bases = hdf5::read_number<std::uint64_t>(group, "table_bases"),
          .pilot_trajectories = hdf5::read_number<std::uint64_t>(group, "pilot_trajectories")};
}

namespace {

/// Calls visit(number) for every number of an audit that a file holds.
template <class Audit, class Visit>
void for_each_number(Audit& audit, const Visit& visit) {
  visit(audit.steps);
  visit(audit.incomplete);
  visit(audit.missed_steps);
  visit(audit.partial_steps);
  visit(audit.solutions);
  visit(audit.missed_solutions);
  visit(audit.lines);
  visit(audit.cut_lines);
}

constexpr const char* audit_name = "solution_audit";

}  // namespace

void write_audit(hid_t file, const std::optional<SolutionAudit>& audit) {
  if (!audit) return;
  std::vector<std::uint64_t> numbers;
  for_each_number(*audit, [&](std::uint64_t number) { numbers.push_back(number); });
  const Handle group = hdf5::open_group(file, "summary");
  hdf5::write_array(group, audit_name, number_type<std::uint64_t>(), {numbers.size()},
                    numbers.data());
  hdf5::write_number(group, "solution_miss_bound", audit->miss_bound);
}

std::optional<SolutionAudit> read_audit(hid_t file) {
  const Handle group = hdf5::open_group(file, "summary");
  if (H5Lexists(group, audit_name, H5P_DEFAULT) <= 0) return std::nullopt;
  std::array<std::uint64_t, 8> numbers{};
  hdf5::read_array(group, audit_name, number_type<std::uint64_t>(), {numbers.size()},
                   numbers.data());
  SolutionAudit audit;
  auto next = numbers.begin();
  for_each_number(audit, [&](std::uint64_t& number) { number = *next++; });
  audit.miss_bound = hdf5::read_number<double>(group, "solution_miss_bound");
  return audit;
}

void write_outcome(hid_t file, const PostImpactSet& set, Norm norm) {
  const Handle net = hdf5::open_group(file, "net");
  hdf5::write_number(net, "epsilon", set.net.epsilon());
  hdf5::write_string(net, "norm", norm_name(norm));

  hdf5::write_string(file, "version", version());
  hdf5::write_string(file, "backend", backend_name(set.backend));
  hdf5::write_string(file, "device", set.device);
  hdf5::write_string(file, "checksum", fmt::format("{:016x}", set.summary.checksum));
  hdf5::write_string(file, "created", creation_time());
  hdf5::write_string(file, "notes", notes_json(set.notes).dump());
  hdf5::write_number(file, "psi", set.psi);
  hdf5::write_number(file, "final_cap", set.final_cap);
  hdf5::write_number<std::int32_t>(file, "complete", set.complete ? 1 : 0);
}

Summary read_summary(hid_t file, const Scenario& scenario) {
  const Handle group = hdf5::open_group(file, "summary");
  Summary summary;
  layout::for_each_count(summary, [&](const char* name, auto& value) {
    value = hdf5::read_number<std::remove_reference_t<decltype(value)>>(group, name);
  });
  const hid_t counts = number_type<std::uint64_t>();
  const hdf5::Shape stored = hdf5::array_shape(group, "status_counts");  // older files know fewer
  if (stored.size() != 1 || stored.front() > summary.status_counts.size()) {
    throw hdf5::Error("dataset status_counts is too long");
  }
  hdf5::read_array(group, "status_counts", counts, stored, summary.status_counts.data());
  hdf5::read_array(group, "solution_steps", counts, {summary.solution_steps.size()},
                   summary.solution_steps.data());
  const RowDataset histogram = RowDataset::open(group, "lcp_histogram", counts, {});
  summary.lcp_histogram.resize(histogram.rows());
  histogram.read(0, histogram.rows(), summary.lcp_histogram.data());
  double energy[2] = {};
  hdf5::read_array(group, "energy", number_type<double>(), {2}, energy);
  summary.energy = {energy[0], energy[1]};
  std::uint64_t units[2] = {};
  hdf5::read_array(group, "energy_units", counts, {2}, units);
  summary.energy_units = {.low = units[0], .high = units[1]};
  const auto contacts = static_cast<std::size_t>(scenario.problem.contacts());
  const auto tangents = static_cast<std::size_t>(scenario.problem.tangent_jacobian.rows());
  summary.normal_velocity = read_ranges(group, "normal_velocity", contacts);
  summary.tangential_velocity = read_ranges(group, "tangential_velocity", tangents);

  const std::uint64_t counted =
      std::accumulate(summary.status_counts.begin(), summary.status_counts.end(), std::uint64_t{0});
  if (counted != summary.trajectories) {
    throw hdf5::Error(fmt::format("/summary counts {} trajectories by status, {} in all", counted,
                                  summary.trajectories));
  }
  return summary;
}

EpsilonNet read_net(hid_t file, const Scenario& scenario, std::uint64_t trajectories) {
  const Handle group = hdf5::open_group(file, "net");
  const auto nv = static_cast<hsize_t>(scenario.problem.velocities());
  const hsize_t members = hdf5::array_shape(group, "index").front();
  std::vector<std::uint64_t> index(members);
  std::vector<double> velocity(members * nv);
  hdf5::read_array(group, "index", number_type<std::uint64_t>(), {members}, index.data());
  hdf5::read_array(group, "velocity", number_type<double>(), {members, nv}, velocity.data());
  if (!std::all_of(velocity.begin(), velocity.end(), [](double v) { return std::isfinite(v); })) {
    throw hdf5::Error("/net/velocity holds numbers that are not finite");
  }
  const bool ascending =
      std::adjacent_find(index.begin(), index.end(), std::greater_equal<>()) == index.end();
  const auto sampled = std::lower_bound(index.begin(), index.end(), EpsilonNet::sought_index);
  if (!ascending || (sampled != index.begin() && *(sampled - 1) >= trajectories)) {
    throw hdf5::Error(fmt::format(
        "/net/index is not strictly ascending and below the {} trajectories", trajectories));
  }

  const SamplingOptions& options = scenario.sampling;
  EpsilonNet net(static_cast<int>(nv), *options.epsilon,
                 net_metric(scenario.problem, options.norm));
  net.restore(index, velocity);
  return net;
}

}  // namespace carom::sections
