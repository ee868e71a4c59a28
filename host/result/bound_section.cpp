#include "host/result/bound_section.hpp"

#include <algorithm>
#include <cmath>

#include "carom/error.hpp"

namespace carom::sections {
namespace {

using hdf5::Handle;
using hdf5::number_type;

constexpr const char* bound_group = "bound";
constexpr hsize_t end_columns = 4;  // low, high, found low, found high

bool has_bound(hid_t file) { return hdf5::exists(file, bound_group); }

/// Rows of all pieces, one after the other, and how many each has.
struct Rows {
  std::vector<double> numbers;
  std::vector<std::uint32_t> counts;

  void add(const Eigen::MatrixXd& rows) {
    const RowMatrix its = rows;
    numbers.insert(numbers.end(), its.data(), its.data() + its.size());
    counts.push_back(static_cast<std::uint32_t>(rows.rows()));
  }

  void write(hid_t group, const std::string& name, hsize_t columns) const {
    hdf5::write_array(group, name, number_type<double>(), {numbers.size() / columns, columns},
                      numbers.data());
    hdf5::write_array(group, name + "_count", number_type<std::uint32_t>(), {counts.size()},
                      counts.data());
  }

  static Rows read(hid_t group, const std::string& name, hsize_t pieces, hsize_t columns) {
    Rows rows;
    rows.counts.resize(pieces);
    hdf5::read_array(group, name + "_count", number_type<std::uint32_t>(), {pieces},
                     rows.counts.data());
    hsize_t total = 0;
    for (const std::uint32_t count : rows.counts) total += count;
    rows.numbers.resize(total * columns);
    hdf5::read_array(group, name, number_type<double>(), {total, columns}, rows.numbers.data());
    const auto finite = [](double number) { return std::isfinite(number); };
    if (!std::ranges::all_of(rows.numbers, finite)) {
      throw hdf5::Error("/bound/" + name + " holds a number that is not finite");
    }
    return rows;
  }

  /// The rows of each piece in turn.
  Eigen::MatrixXd take(std::size_t piece, std::size_t& at, hsize_t columns) const {
    const Eigen::Map<const RowMatrix> rows(numbers.data() + at,
                                           static_cast<Eigen::Index>(counts[piece]),
                                           static_cast<Eigen::Index>(columns));
    at += counts[piece] * columns;
    return rows;
  }
};

template <class Enumeration>
Enumeration value_of(std::int32_t number, Enumeration greatest) {
  if (number < 0 || number > static_cast<std::int32_t>(greatest)) {
    throw hdf5::Error("/bound has an attribute out of range");
  }
  return static_cast<Enumeration>(number);
}

}  // namespace

void write_bound(hid_t file, const std::optional<BoundCheck>& check, const ImpactProblem& problem) {
  if (has_bound(file)) {
    hdf5::check(H5Ldelete(file, bound_group, H5P_DEFAULT), "remove /bound");
  }
  if (!check) return;
  const OuterBound& bound = check->bound;
  const Handle group = hdf5::create_group(file, bound_group);
  const auto integer = [&](const char* name, auto value) {
    hdf5::write_number<std::int32_t>(group, name, static_cast<std::int32_t>(value));
  };
  integer("scope", bound.scope);
  integer("method", bound.method);
  integer("status", bound.status);
  integer("verified", bound.verified);
  integer("steps", bound.steps);
  integer("rounds", bound.rounds);
  hdf5::write_number(group, "programs", bound.programs);
  hdf5::write_number(group, "loose_programs", bound.loose_programs);
  hdf5::write_number(group, "kinetic_energy", bound.kinetic_energy);
  hdf5::write_number(group, "outcomes", check->outcomes);
  hdf5::write_number(group, "outside", check->outside);
  const bool compared = check->outcomes > 0;
  hdf5::write_number(group, "worst", compared ? check->worst : 0.0);

  const auto nv = static_cast<hsize_t>(problem.velocities());
  std::vector<std::string> names;
  Rows directions;
  std::vector<double> ends;
  for (std::size_t i = 0; i < bound.directions.size(); ++i) {
    const BoundedQuantity& quantity = bound.directions[i];
    names.push_back(quantity.name);
    directions.add(quantity.row.transpose());
    ends.insert(ends.end(),
                {quantity.low, quantity.high, compared ? check->found_low[i] : quantity.high,
                 compared ? check->found_high[i] : quantity.low});
  }
  hdf5::write_strings(group, "names", names);
  hdf5::write_array(group, "directions", number_type<double>(), {names.size(), nv},
                    directions.numbers.data());
  hdf5::write_array(group, "ends", number_type<double>(), {names.size(), end_columns}, ends.data());

  hdf5::write_array(group, "box", number_type<double>(),
                    {static_cast<hsize_t>(bound.box.rows()), nv}, bound.box.data());

  Rows vertices, normals, offsets;
  std::vector<std::string> cells;
  for (const BoundPiece& piece : bound.pieces) {
    cells.push_back(piece.cell);
    vertices.add(piece.vertices);
    normals.add(piece.normals);
    offsets.add(piece.offsets);
  }
  hdf5::write_strings(group, "cells", cells);
  vertices.write(group, "vertices", nv);
  normals.write(group, "normals", nv);
  offsets.write(group, "offsets", 1);
}

std::optional<BoundCheck> read_bound(hid_t file, const ImpactProblem& problem) {
  if (!has_bound(file)) return std::nullopt;
  const Handle group = hdf5::open_group(file, bound_group);
  const auto integer = [&](const char* name) {
    return hdf5::read_number<std::int32_t>(group, name);
  };
  BoundCheck check;
  OuterBound& bound = check.bound;
  bound.scope = value_of(integer("scope"), BoundScope::inclusion);
  bound.method = value_of(integer("method"), BoundMethod::orders);
  bound.status = value_of(integer("status"), BoundStatus::none);
  bound.verified = value_of(integer("verified"), Verified::certified);
  bound.steps = integer("steps");
  bound.rounds = integer("rounds");
  bound.programs = hdf5::read_number<std::uint64_t>(group, "programs");
  bound.loose_programs = hdf5::read_number<std::uint64_t>(group, "loose_programs");
  bound.kinetic_energy = hdf5::read_number<double>(group, "kinetic_energy");
  check.outcomes = hdf5::read_number<std::uint64_t>(group, "outcomes");
  check.outside = hdf5::read_number<std::uint64_t>(group, "outside");
  if (check.outcomes > 0) check.worst = hdf5::read_number<double>(group, "worst");

  const auto nv = static_cast<hsize_t>(problem.velocities());
  const std::vector<std::string> names = hdf5::read_strings(group, "names");
  std::vector<double> rows(names.size() * nv);
  hdf5::read_array(group, "directions", number_type<double>(), {names.size(), nv}, rows.data());
  std::vector<double> ends(names.size() * end_columns);
  hdf5::read_array(group, "ends", number_type<double>(), {names.size(), end_columns}, ends.data());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double* const own = &ends[i * end_columns];
    bound.directions.push_back(
        {names[i], Eigen::Map<const Eigen::VectorXd>(&rows[i * nv], static_cast<Eigen::Index>(nv)),
         own[0], own[1]});
    if (check.outcomes == 0) continue;
    check.found_low.push_back(own[2]);
    check.found_high.push_back(own[3]);
  }
  bound.box.resize(bound.status == BoundStatus::none ? 0 : 2, problem.velocities());
  hdf5::read_array(group, "box", number_type<double>(),
                   {static_cast<hsize_t>(bound.box.rows()), nv}, bound.box.data());
  const std::vector<std::string> cells = hdf5::read_strings(group, "cells");
  const Rows vertices = Rows::read(group, "vertices", cells.size(), nv);
  const Rows normals = Rows::read(group, "normals", cells.size(), nv);
  const Rows offsets = Rows::read(group, "offsets", cells.size(), 1);
  std::size_t vertex = 0;
  std::size_t normal = 0;
  std::size_t offset = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (normals.counts[i] != offsets.counts[i]) throw hdf5::Error("/bound has unequal rows");
    BoundPiece& piece = bound.pieces.emplace_back();
    piece.cell = cells[i];
    piece.vertices = vertices.take(i, vertex, nv);
    piece.normals = normals.take(i, normal, nv);
    piece.offsets = offsets.take(i, offset, 1).col(0);
  }
  return check;
}

}  // namespace carom::sections
