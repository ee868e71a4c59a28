#include <fmt/core.h>

#include "carom/error.hpp"
#include "carom/result_io.hpp"
#include "host/base/note_json.hpp"
#include "host/files/part_file.hpp"
#include "host/files/sealed_file.hpp"
#include "host/result/bound_section.hpp"
#include "host/result/certificate_section.hpp"
#include "host/result/comparison_section.hpp"
#include "host/result/mode_section.hpp"
#include "host/result/read_sealed.hpp"
#include "host/result/result_layout.hpp"
#include "host/result/result_sections.hpp"
#include "host/result/row_datasets.hpp"
#include "host/result/row_shards.hpp"
#include "host/result/selection_section.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;
using hdf5::Handle;

Result read_open_result(hid_t file, const std::string& name) {
  Scenario scenario = parse_scenario(hdf5::read_string(file, "scenario"), name + ": scenario");
  Summary summary = sections::read_summary(file, scenario);
  PostImpactSet set{.net = sections::read_net(file, scenario, summary.trajectories),
                    .summary = std::move(summary),
                    .modes = sections::read_modes(file, scenario.problem),
                    .complete = hdf5::read_number<std::int32_t>(file, "complete") != 0,
                    .psi = hdf5::read_number<double>(file, "psi"),
                    .final_cap = hdf5::read_number<double>(file, "final_cap"),
                    .backend = layout::backend_named(hdf5::read_string(file, "backend")),
                    .device = hdf5::read_string(file, "device"),
                    .table = sections::read_table(file),
                    .notes = parse_notes(hdf5::read_string(file, "notes")),
                    .sought = sections::read_sought(file, scenario.problem),
                    .search = sections::read_search(file, scenario.problem),
                    .certificate = sections::read_certificate(file),
                    .comparison = sections::read_comparison(file, scenario.problem),
                    .selection = sections::read_selection(file, scenario.problem.velocities()),
                    .net_check = sections::read_net_check(file),
                    .bound = sections::read_bound(file, scenario.problem),
                    .audit = sections::read_audit(file)};
  for (const Note& note : set.notes) {
    if (note.code == "cpu_fallback") set.backend_note = note.text;
  }
  if (hdf5::read_string(file, "checksum") != fmt::format("{:016x}", set.summary.checksum)) {
    throw hdf5::Error("the checksums of file and /summary differ");
  }
  return {std::move(scenario), std::move(set), hdf5::read_string(file, "version")};
}

SampleSet read_open_samples(hid_t file, const std::string& name, std::uint64_t first,
                            std::uint64_t count) {
  const Handle group = hdf5::open_group(file, "samples");
  const hdf5::Shape impulse = hdf5::array_shape(group, "impulse");
  const hdf5::Shape velocity = hdf5::array_shape(group, "velocity");
  constexpr std::size_t impulse_axes = 3;
  if (impulse.size() != impulse_axes || velocity.size() != 2) {
    throw hdf5::Error("/samples/impulse or /samples/velocity has a wrong shape");
  }
  const std::uint64_t rows = velocity.front();
  if (first > rows || count > rows - first) {
    throw InputError(fmt::format("rows {} to {} of {} are asked for (it holds {})", first,
                                 first + count, name, rows));
  }
  SampleSet samples;
  samples.first = first;
  samples.velocities = static_cast<int>(velocity[1]);
  samples.contacts = static_cast<int>(impulse[1]);
  samples.tangent_dimension = static_cast<int>(impulse[2]) - 1;
  const auto has = [&](const char* column) { return H5Lexists(group, column, H5P_DEFAULT) > 0; };
  samples.counts_solutions = has("solution_count");
  samples.step = has("impacts")     ? StepKind::impact
                 : has("intervals") ? StepKind::interval
                                    : StepKind::lcp;
  samples.resize(count);
  const RowShards shards = RowShards::read(group, behind_links(name));
  if (shards.empty()) {
    RowDatasets::read(group, first, count, samples, 0);
  } else {
    shards.read_rows(samples, name);
  }
  return samples;
}

}  // namespace

Result read_result(const fs::path& file) {
  return read_sealed(file, sealed_formats::result, read_open_result);
}

SampleSet read_samples(const fs::path& file, std::uint64_t first, std::uint64_t count) {
  return read_sealed(file, sealed_formats::result, [&](hid_t hdf5_file, const std::string& name) {
    return read_open_samples(hdf5_file, name, first, count);
  });
}

}  // namespace carom
