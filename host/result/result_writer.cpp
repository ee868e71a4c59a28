#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "carom/error.hpp"
#include "carom/result_io.hpp"
#include "carom/version.hpp"
#include "host/files/part_file.hpp"
#include "host/result/bound_section.hpp"
#include "host/result/certificate_section.hpp"
#include "host/result/comparison_section.hpp"
#include "host/result/mode_section.hpp"
#include "host/result/path_section.hpp"
#include "host/result/result_layout.hpp"
#include "host/result/result_sections.hpp"
#include "host/result/row_store.hpp"
#include "host/result/same_run.hpp"
#include "host/result/selection_section.hpp"
#include "host/result/world_section.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;
using hdf5::Handle;
using hdf5::number_type;
using hdf5::RowDataset;

// HDF5's own data: chunk indexes, headers and the like.
constexpr double metadata_share = 0.01;
constexpr double metadata_bytes = 64 * 1024;

Scenario with_choices(Scenario scenario) {
  resolve(scenario);
  return scenario;
}

const nlohmann::ordered_json seal_of_results = {{"format", sealed_formats::result}};

}  // namespace

struct ResultWriter::State {
  State(const fs::path& file, const Scenario& its_scenario)
      : part(file),
        scenario(with_choices(its_scenario)),
        rows(plan_row_shards(part.file(), scenario), layout::row_shape(scenario)) {}
  ~State() { abandon(); }

  PartFile part;
  Scenario scenario;
  Handle hdf5_file;
  RowStore rows;
  RowDataset net_index, net_velocity;
  PathSection paths;
  std::uint64_t next_trajectory = 0;

  std::uint64_t row_limit() const {
    return std::min(scenario.storage.samples, *scenario.sampling.trajectories);
  }
  std::uint64_t path_limit() const {
    return std::min(scenario.storage.paths, *scenario.sampling.trajectories);
  }

  /// @throws InputError if rows are those of another problem
  void require_shape(const RowShape& shape) const {
    const RowShape mine = layout::row_shape(scenario);
    if (shape.velocities == mine.velocities && shape.contacts == mine.contacts &&
        shape.tangent_dimension == mine.tangent_dimension) {
      return;
    }
    throw InputError(
        fmt::format("cannot write {}: rows have {} velocities, {} contacts and {} tangents each "
                    "(must have {}, {} and {}, as the scenario)",
                    part.file().string(), shape.velocities, shape.contacts, shape.tangent_dimension,
                    mine.velocities, mine.contacts, mine.tangent_dimension));
  }

  void create();
  void open_copy(const fs::path& original);
  void check_space() const;
  void write_sections(const PostImpactSet& set);
  void close_hdf5();
  void abandon();
  [[noreturn]] void fail(const std::string& reason);
  /// Runs `work`; any failure of `work` or of the disk becomes a RunError, and FILE.part is
  /// removed.
  template <class Work>
  void guard(const Work& work);
};

template <class Work>
void ResultWriter::State::guard(const Work& work) {
  if (!part.open()) fail("an earlier write has failed, or the file is finished");
  std::string reason;
  try {
    reason = part.attempt(work);
  } catch (...) {  // failure of a shard: the open file cannot be finished
    abandon();
    throw;
  }
  if (!reason.empty()) fail(reason);
}

void ResultWriter::State::fail(const std::string& reason) {
  abandon();
  throw RunError(fmt::format("cannot write {}: {}", part.file().string(), reason));
}

void ResultWriter::State::close_hdf5() {
  rows.close();
  for (RowDataset* dataset : {&net_index, &net_velocity}) *dataset = {};
  paths = {};
  hdf5_file.reset();
}

void ResultWriter::State::abandon() {
  const hdf5::Quiet quiet;
  part.discard();
  close_hdf5();
  part.abandon();
}

void ResultWriter::State::create() {
  hdf5_file = part.create_hdf5();
  hdf5::write_number<std::int32_t>(hdf5_file, "format_version", result_format_version);
  hdf5::write_number<std::int32_t>(hdf5_file, "complete", 0);
  hdf5::write_number<std::uint32_t>(hdf5_file, "seed", scenario.sampling.seed);
  hdf5::write_string(hdf5_file, "scenario", to_toml(scenario));
  const ImpactProblem& problem = scenario.problem;
  sections::write_problem(hdf5_file, problem);
  sections::write_world(hdf5_file, scenario);

  rows.create(hdf5::create_group(hdf5_file, "samples"), row_limit());

  const auto nv = static_cast<hsize_t>(problem.velocities());
  const Handle net = hdf5::create_group(hdf5_file, "net");
  net_index = RowDataset::create(net, "index", number_type<std::uint64_t>(), {}, 0);
  net_velocity = RowDataset::create(net, "velocity", number_type<double>(), {nv}, 0);

  const hsize_t longest = layout::path_length(scenario.sampling);
  paths = PathSection::create(hdf5_file, nv, longest, path_limit());
  hdf5::create_group(hdf5_file, "summary");
}

void ResultWriter::State::open_copy(const fs::path& original) {
  hdf5_file = part.open_hdf5();
  hdf5::write_number<std::int32_t>(hdf5_file, "complete", 0);
  hdf5::write_string(hdf5_file, "scenario", to_toml(scenario));
  const ImpactProblem& problem = scenario.problem;

  rows.open(hdf5::open_group(hdf5_file, "samples"), original);

  const auto nv = static_cast<hsize_t>(problem.velocities());
  const Handle net = hdf5::open_group(hdf5_file, "net");
  net_index = RowDataset::open(net, "index", number_type<std::uint64_t>(), {});
  net_velocity = RowDataset::open(net, "velocity", number_type<double>(), {nv});

  paths = PathSection::open(hdf5_file, nv, layout::path_length(scenario.sampling));
}

/// Compares the free disk space with the least need of rows and paths; the final size of the net
/// and the lengths of the paths are unknown.
void ResultWriter::State::check_space() const {
  const hdf5::Quiet quiet;
  const double row_bytes = rows.bytes_until(std::max(row_limit(), rows.rows()));
  const double path_bytes =
      paths.bytes_for(std::max(path_limit(), paths.size())) - paths.bytes_for(paths.size());
  // The flag that helps most comes first; a small part of the bytes gets no hint.
  constexpr double small_part = 0.1;
  const double bytes = row_bytes + path_bytes;
  std::string remedy = "--samples K stores the rows of K trajectories only";
  const std::string fewer_paths = "--paths K the velocities on the way of K trajectories only";
  if (row_bytes < small_part * bytes) {
    remedy = fewer_paths;
  } else if (path_bytes > small_part * bytes) {
    remedy += ", " + fewer_paths;
  }
  part.check_space((metadata_bytes + bytes) * (1.0 + metadata_share), remedy);
}

ResultWriter::ResultWriter(const fs::path& file, const Scenario& scenario)
    : state_(std::make_unique<State>(file, scenario)) {
  if (state_->rows.has_shards()) prepare(state_->rows.plan(), state_->scenario);
  state_->guard([&] { state_->create(); });
  state_->check_space();
}

ResultWriter::ResultWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}

ResultWriter ResultWriter::resume(const fs::path& file, const Scenario& scenario,
                                  const fs::path& target) {
  const fs::path& place = target.empty() ? file : target;
  if (PartFile::is_part_of(file, place)) {
    throw InputError(fmt::format("result file is {} (must be another one: the run would write {})",
                                 place.string(), file.string()));
  }
  auto state = std::make_unique<State>(place, scenario);  // comes first: it locks FILE
  const Result earlier = read_result(file);
  const std::uint64_t done = earlier.set.summary.trajectories;
  if (earlier.version != version()) {
    throw InputError(
        fmt::format("{} was written by Carom {} (must be {}: another version may give other bits)",
                    file.string(), earlier.version, version()));
  }
  if (!same_run(earlier.scenario, scenario)) {
    throw InputError(
        fmt::format("{} holds another run (problem and sampling options must be equal, "
                    "but for the number of trajectories)",
                    file.string()));
  }
  if (scenario.sampling.trajectories < done) {
    throw InputError(fmt::format("trajectories is {} (must be at least the {} that {} has)",
                                 scenario.sampling.trajectories, done, file.string()));
  }

  state->next_trajectory = done;
  std::error_code ignored;
  if (state->rows.has_shards()) {
    if (!fs::equivalent(state->part.file(), file, ignored)) {
      throw InputError(
          fmt::format("result file is {} (must be {}, whose rows are in files beside "
                      "it and stay there)",
                      place.string(), file.string()));
    }
  }
  state->part.check_space(static_cast<double>(fs::file_size(file, ignored)));
  // The seal of the copy cannot show damage that existed before.
  const SealedFile sealed(file, sealed_formats::result);
  sealed.check_all();
  state->part.copy(file, sealed);
  state->guard([&] { state->open_copy(file); });
  const std::uint64_t stored = state->rows.rows();
  if (stored != std::min(done, earlier.scenario.storage.samples)) {
    throw InputError(fmt::format("{} is damaged: it counts {} trajectories and holds {} rows",
                                 file.string(), done, stored));
  }
  if (stored < std::min(done, state->row_limit())) {
    throw InputError(
        fmt::format("{} holds the rows of {} of its {} trajectories (more of them, --samples, can "
                    "only be asked for at first)",
                    file.string(), stored, done));
  }
  state->check_space();
  return ResultWriter(std::move(state));
}

ResultWriter::~ResultWriter() = default;
ResultWriter::ResultWriter(ResultWriter&&) noexcept = default;
ResultWriter& ResultWriter::operator=(ResultWriter&&) noexcept = default;

void ResultWriter::set_trajectories(std::uint64_t trajectories) {
  State& state = *state_;
  if (trajectories < state.next_trajectory) {
    throw InputError(fmt::format("trajectories is {} (must be at least the {} that {} has)",
                                 trajectories, state.next_trajectory, state.part.file().string()));
  }
  state.scenario.sampling.trajectories = trajectories;
  state.guard([&] { hdf5::write_string(state.hdf5_file, "scenario", to_toml(state.scenario)); });
  state.check_space();
}

void ResultWriter::append(const SampleSet& samples) {
  State& state = *state_;
  if (samples.size() > 0) state.require_shape(samples);
  if (samples.first != state.next_trajectory) {
    throw RunError(fmt::format("cannot write {}: trajectory {} came where {} was due",
                               state.part.file().string(), samples.first, state.next_trajectory));
  }
  state.guard([&] {
    const std::uint64_t stored = state.rows.rows();
    const std::uint64_t end = std::min(samples.first + samples.size(), state.row_limit());
    const std::uint64_t count = end > stored ? end - stored : 0;
    state.rows.append(samples, count);
  });
  state.next_trajectory += samples.size();
}

void ResultWriter::skip(std::uint64_t trajectories) {
  State& state = *state_;
  const bool lacks_rows = trajectories > 0 && state.next_trajectory < state.row_limit();
  if (lacks_rows && state.rows.has_shards()) {
    const std::uint64_t count = std::min(trajectories, state.row_limit() - state.next_trajectory);
    state.guard([&] { state.rows.adopt({state.next_trajectory, count}); });
  } else if (lacks_rows) {
    throw RunError(fmt::format("cannot write {}: the row of trajectory {} is missing",
                               state.part.file().string(), state.next_trajectory));
  }
  state.next_trajectory += trajectories;
}

void ResultWriter::add_path(std::uint64_t index, const std::vector<double>& velocities) {
  State& state = *state_;
  const auto nv = static_cast<std::size_t>(state.scenario.problem.velocities());
  const std::size_t length = layout::path_length(state.scenario.sampling);
  const std::size_t count = velocities.size() / nv;
  if (count == 0 || count > length || velocities.size() % nv != 0 || index < state.paths.next()) {
    throw RunError(fmt::format("cannot write {}: path {} of {} numbers does not fit or is not new",
                               state.part.file().string(), index, velocities.size()));
  }
  state.guard([&] { state.paths.append(index, velocities); });
}

void ResultWriter::State::write_sections(const PostImpactSet& set) {
  rows.show(hdf5::open_group(hdf5_file, "samples"));
  paths.pad();
  net_index.replace(set.net.index().data(), set.net.size());
  net_velocity.replace(set.net.velocity().data(), set.net.size());
  sections::write_outcome(hdf5_file, set, scenario.sampling.norm);
  sections::write_summary(hdf5_file, set.summary, scenario.problem);
  sections::write_table(hdf5_file, set.table);
  sections::write_audit(hdf5_file, set.audit);
  const ImpactProblem& problem = scenario.problem;
  sections::write_modes(hdf5_file, set.modes, problem);
  sections::write_sought(hdf5_file, set.sought, problem);
  sections::write_search(hdf5_file, set.search, problem);
  sections::write_certificate(hdf5_file, set.certificate);
  sections::write_comparison(hdf5_file, set.comparison, problem);
  sections::write_selection(hdf5_file, set.selection, problem.velocities());
  sections::write_net_check(hdf5_file, set.net_check);
  sections::write_bound(hdf5_file, set.bound, problem);
}

bool ResultWriter::checkpoint(const PostImpactSet& so_far) {
  State& state = *state_;
  state.guard([&] {
    state.write_sections(so_far);
    hdf5::write_number<std::int32_t>(state.hdf5_file, "complete", 0);
    hdf5::check(H5Fflush(state.hdf5_file, H5F_SCOPE_GLOBAL), "flush the file");
  });
  return state.part.publish_copy(seal_of_results);
}

const fs::path& ResultWriter::file() const { return state_->part.file(); }

void ResultWriter::finish(const PostImpactSet& set) {
  State& state = *state_;
  const auto nv = static_cast<std::size_t>(state.scenario.problem.velocities());
  if (set.net.velocity().size() != set.net.size() * nv) {
    throw InputError(
        fmt::format("cannot write {}: the net's velocities do not have {} entries each",
                    state.part.file().string(), nv));
  }
  if (state.next_trajectory < set.summary.trajectories) {
    throw RunError(fmt::format("cannot write {}: its rows end at trajectory {} of {}",
                               state.part.file().string(), state.next_trajectory,
                               set.summary.trajectories));
  }
  state.guard([&] {
    state.write_sections(set);
    state.close_hdf5();
  });
  state.part.seal(seal_of_results);
  state.part.commit();
}

}  // namespace carom
