#include "host/ranks/trajectory_orders.hpp"

#include <algorithm>

namespace carom {
namespace {

// Each list of fields serves both ways: `move(field)` puts it, or gets it.

template <class Order, class Move>
void each_field_of_order(Order& order, const Move& move) {
  move(order.kind);
  move(order.with_rows);
  move(order.first);
  move(order.count);
  move(order.member_index);
  move(order.member_velocity);
}

template <class AnySummary, class Move>
void each_field_of_summary(AnySummary& summary, const Move& move) {
  move(summary.trajectories);
  move(summary.status_counts);
  move(summary.final_steps);
  move(summary.lcps);
  move(summary.max_lcps);
  move(summary.lcp_histogram);
  move(summary.pivots);
  move(summary.retries);
  move(summary.table_hits);
  move(summary.solution_steps);
  move(summary.energy_before);
  move(summary.energy_units);
  move(summary.energy);
  move(summary.normal_velocity);
  move(summary.tangential_velocity);
  move(summary.checksum);
}

template <class Samples, class Move>
void each_field_of_rows(Samples& rows, const Move& move) {
  move(rows.first);
  move(rows.velocities);
  move(rows.contacts);
  move(rows.tangent_dimension);
  move(rows.counts_solutions);
  for_each_column([&](const ColumnInfo&, auto& column) { move(column); }, rows);
}

template <class Digest, class Move>
void each_field_of_digest(Digest& digest, const Move& move) {
  move(digest.first);
  move(digest.seconds);
  move(digest.whole);
  each_field_of_summary(digest.summary, move);
  move(digest.open_index);
  move(digest.open_velocity);
  each_field_of_rows(digest.rows, move);
}

template <class Mode, class Move>
void each_field_of_mode(Mode& mode, const Move& move) {
  move(mode.contacts);
  move(mode.count);
  move(mode.example);
  move(mode.example_velocity);
}

template <class Info, class Move>
void each_field_of_info(Info& info, const Move& move) {
  move(info.backend);
  move(info.device);
  move(info.note);
  move(info.table);
}

auto putter(Packer& out) {
  return [&out](const auto& field) { out.put(field); };
}
auto getter(Unpacker& in) {
  return [&in](auto& field) { in.get(field); };
}

}  // namespace

Bytes pack(const TrajectoryOrder& order) {
  Packer out;
  each_field_of_order(order, putter(out));
  return out.take();
}

TrajectoryOrder unpack_order(const Bytes& bytes) {
  TrajectoryOrder order;
  Unpacker in(bytes);
  each_field_of_order(order, getter(in));
  return order;
}

Bytes pack(const TrajectoryDigest& digest) {
  Packer out;
  each_field_of_digest(digest, putter(out));
  out.put<std::uint64_t>(digest.modes.size());
  for (const OutcomeMode& mode : digest.modes) each_field_of_mode(mode, putter(out));
  return out.take();
}

TrajectoryDigest unpack_digest(const Bytes& bytes) {
  TrajectoryDigest digest;
  Unpacker in(bytes);
  each_field_of_digest(digest, getter(in));
  for (auto left = in.get<std::uint64_t>(); left > 0; --left) {
    each_field_of_mode(digest.modes.emplace_back(), getter(in));
  }
  return digest;
}

Bytes pack(const TrialDigest& digest) { return Packer().put(digest).take(); }
TrialDigest unpack_trials(const Bytes& bytes) { return Unpacker(bytes).get<TrialDigest>(); }

Bytes pack(const SamplerInfo& info) {
  Packer out;
  each_field_of_info(info, putter(out));
  return out.take();
}

SamplerInfo unpack_info(const Bytes& bytes) {
  SamplerInfo info;
  Unpacker in(bytes);
  each_field_of_info(info, getter(in));
  return info;
}

std::uint64_t row_bytes(const ImpactProblem& problem) {
  SampleSet row;
  row.velocities = problem.velocities();
  row.contacts = problem.contacts();
  row.tangent_dimension =
      static_cast<int>(problem.tangent_jacobian.rows()) / std::max(problem.contacts(), 1);
  row.resize(1);
  Packer out;
  each_field_of_rows(row, putter(out));
  return out.take().size();
}

}  // namespace carom
