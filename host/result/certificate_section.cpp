#include "host/result/certificate_section.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "host/laws/law_list.hpp"
#include "host/result/result_layout.hpp"

namespace carom::sections {
namespace {

using hdf5::Handle;
using hdf5::number_type;

constexpr const char* certificate_name = "certificate";
constexpr const char* sought_name = "sought";
constexpr const char* search_name = "search";

/// @throws hdf5::Error naming the dataset
void require_finite(const std::vector<double>& values, const std::string& dataset) {
  if (std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) return;
  throw hdf5::Error(fmt::format("{} holds numbers that are not finite", dataset));
}

void remove(hid_t file, const char* name) {
  if (!hdf5::exists(file, name)) return;
  hdf5::check(H5Ldelete(file, name, H5P_DEFAULT), std::string("remove /") + name);
}

hsize_t list_size(hid_t group, const char* name) {
  const hdf5::Shape shape = hdf5::array_shape(group, name);
  if (shape.size() != 1) throw hdf5::Error(std::string("dataset ") + name + " is no list");
  return shape.front();
}

/// One column per number of a struct: a dataset with one element per item.
template <class Item, class Number>
void write_column(hid_t group, const char* name, const std::vector<Item>& items,
                  Number Item::*member) {
  std::vector<Number> column;
  column.reserve(items.size());
  for (const Item& item : items) column.push_back(item.*member);
  hdf5::write_array(group, name, number_type<Number>(), {column.size()}, column.data());
}

template <class Item, class Number>
void read_column(hid_t group, const char* name, std::vector<Item>& items, Number Item::*member) {
  std::vector<Number> column(items.size());
  hdf5::read_array(group, name, number_type<Number>(), {column.size()}, column.data());
  for (std::size_t i = 0; i < items.size(); ++i) items[i].*member = column[i];
}

/// The same for vectors of nv numbers: a dataset with one row per item.
void write_rows(hid_t group, const char* name, const std::vector<SoughtOutcome>& items,
                std::vector<double> SoughtOutcome::*member, hsize_t nv) {
  std::vector<double> rows;
  for (const SoughtOutcome& item : items) {
    rows.insert(rows.end(), (item.*member).begin(), (item.*member).end());
  }
  hdf5::write_array(group, name, number_type<double>(), {items.size(), nv}, rows.data());
}

void read_rows(hid_t group, const char* name, std::vector<SoughtOutcome>& items,
               std::vector<double> SoughtOutcome::*member, hsize_t nv) {
  std::vector<double> rows(items.size() * nv);
  hdf5::read_array(group, name, number_type<double>(), {items.size(), nv}, rows.data());
  require_finite(rows, fmt::format("/sought/{}", name));
  for (std::size_t i = 0; i < items.size(); ++i) {
    (items[i].*member).assign(&rows[i * nv], &rows[i * nv] + nv);
  }
}

/// Calls visit(name, member) for each number of a test; `test` members in the order of the file.
template <class Visit>
void for_each_test_column(const Visit& visit) {
  visit("trajectories", &HoldOut::trajectories);
  visit("first", &HoldOut::first);
  visit("trials", &HoldOut::trials);
  visit("misses", &HoldOut::misses);
  visit("failures", &HoldOut::failures);
  visit("confidence", &HoldOut::confidence);
  visit("miss_bound", &HoldOut::miss_bound);
}

template <class Visit>
void for_each_sought_column(const Visit& visit) {
  visit("sampled", &SoughtOutcome::sampled);
  visit("found", &SoughtOutcome::found);
  visit("tolerance", &SoughtOutcome::tolerance);
  visit("net_distance", &SoughtOutcome::net_distance);
  visit("evaluations", &SoughtOutcome::evaluations);
}

/// Calls visit(name, number) for each number of a search.
template <class Search, class Visit>
void for_each_search_number(Search& search, const Visit& visit) {
  visit("lcps", search.lcps);
  visit("outcomes", search.outcomes);
  visit("members", search.members);
  visit("farthest", search.farthest);
  visit("islands_apart", search.islands_apart);
}

bool makes_sense(const HoldOut& test) {
  return test.failures <= test.misses && test.misses <= test.trials && test.confidence > 0.0 &&
         test.confidence < 1.0 && test.miss_bound >= 0.0 && test.miss_bound <= 1.0;
}

}  // namespace

void write_certificate(hid_t file, const std::optional<Certificate>& certificate) {
  remove(file, certificate_name);
  if (!certificate) return;
  const Handle group = hdf5::create_group(file, certificate_name);
  hdf5::write_number(group, "epsilon", certificate->epsilon);
  hdf5::write_string(group, "norm", norm_name(certificate->norm));
  hdf5::write_number(group, "confidence", certificate->confidence);
  hdf5::write_number(group, "miss", certificate->miss);
  hdf5::write_number<std::int32_t>(group, "reached", certificate->reached ? 1 : 0);
  hdf5::write_string(group, "law", law_name(certificate->law));
  for (const auto& [name, text] : law_options(certificate->law)) {
    hdf5::write_string(group, name, text);
  }
  hdf5::write_number(group, "impulse_step", certificate->impulse_step);
  hdf5::write_number<std::int32_t>(group, "max_steps", certificate->max_steps);
  hdf5::write_string(group, "sentence", certificate->sentence());
  for_each_test_column([&](const char* name, auto member) {
    write_column(group, name, certificate->tests, member);
  });
}

std::optional<Certificate> read_certificate(hid_t file) {
  if (!hdf5::exists(file, certificate_name)) return std::nullopt;
  const Handle group = hdf5::open_group(file, certificate_name);
  Certificate certificate;
  certificate.epsilon = hdf5::read_number<double>(group, "epsilon");
  certificate.norm = hdf5::read_string(group, "norm") == norm_name(Norm::kinetic) ? Norm::kinetic
                                                                                  : Norm::euclidean;
  certificate.confidence = hdf5::read_number<double>(group, "confidence");
  certificate.miss = hdf5::read_number<double>(group, "miss");
  certificate.reached = hdf5::read_number<std::int32_t>(group, "reached") != 0;
  certificate.law = law_named(hdf5::read_string(group, "law"));
  for (const auto& [name, text] : law_options(certificate.law)) {
    set_law_option(certificate.law, name, hdf5::read_string(group, name), name);
  }
  certificate.impulse_step = hdf5::read_number<double>(group, "impulse_step");
  certificate.max_steps = hdf5::read_number<std::int32_t>(group, "max_steps");
  certificate.tests.resize(list_size(group, "trials"));
  for_each_test_column(
      [&](const char* name, auto member) { read_column(group, name, certificate.tests, member); });
  if (!std::all_of(certificate.tests.begin(), certificate.tests.end(), makes_sense)) {
    throw hdf5::Error("/certificate holds a test whose numbers make no sense");
  }
  return certificate;
}

void write_sought(hid_t file, const std::vector<SoughtOutcome>& sought,
                  const ImpactProblem& problem) {
  remove(file, sought_name);
  if (sought.empty()) return;
  const auto nv = static_cast<hsize_t>(problem.velocities());
  const Handle group = hdf5::create_group(file, sought_name);
  std::vector<std::string> objectives;
  std::vector<std::uint8_t> greatest;
  for (const SoughtOutcome& outcome : sought) {
    objectives.push_back(outcome.objective);
    greatest.push_back(outcome.greatest ? 1 : 0);
  }
  hdf5::write_strings(group, "objective", objectives);
  hdf5::write_array(group, "greatest", number_type<std::uint8_t>(), {sought.size()},
                    greatest.data());
  write_rows(group, "direction", sought, &SoughtOutcome::direction, nv);
  write_rows(group, "velocity", sought, &SoughtOutcome::velocity, nv);
  for_each_sought_column(
      [&](const char* name, auto member) { write_column(group, name, sought, member); });
}

std::vector<SoughtOutcome> read_sought(hid_t file, const ImpactProblem& problem) {
  if (!hdf5::exists(file, sought_name)) return {};
  const auto nv = static_cast<hsize_t>(problem.velocities());
  const Handle group = hdf5::open_group(file, sought_name);
  const std::vector<std::string> objectives = hdf5::read_strings(group, "objective");
  std::vector<SoughtOutcome> sought(objectives.size());
  std::vector<std::uint8_t> greatest(sought.size());
  hdf5::read_array(group, "greatest", number_type<std::uint8_t>(), {sought.size()},
                   greatest.data());
  for (std::size_t i = 0; i < sought.size(); ++i) {
    sought[i].objective = objectives[i];
    sought[i].greatest = greatest[i] != 0;
  }
  read_rows(group, "direction", sought, &SoughtOutcome::direction, nv);
  read_rows(group, "velocity", sought, &SoughtOutcome::velocity, nv);
  for_each_sought_column(
      [&](const char* name, auto member) { read_column(group, name, sought, member); });
  return sought;
}

void write_search(hid_t file, const std::optional<NetSearch>& search,
                  const ImpactProblem& problem) {
  remove(file, search_name);
  if (!search) return;
  const auto nv = static_cast<hsize_t>(problem.velocities());
  const Handle group = hdf5::create_group(file, search_name);
  for_each_search_number(
      *search, [&](const char* name, auto number) { hdf5::write_number(group, name, number); });
  hdf5::write_number<std::int32_t>(group, "settled", search->settled ? 1 : 0);
  hdf5::write_array(group, "velocity", number_type<double>(), {search->velocity.size() / nv, nv},
                    search->velocity.data());
}

std::optional<NetSearch> read_search(hid_t file, const ImpactProblem& problem) {
  if (!hdf5::exists(file, search_name)) return std::nullopt;
  const Handle group = hdf5::open_group(file, search_name);
  NetSearch search;
  for_each_search_number(search, [&]<class Number>(const char* name, Number& number) {
    number = hdf5::read_number<Number>(group, name);
  });
  search.settled = hdf5::read_number<std::int32_t>(group, "settled") != 0;
  const hsize_t rows = hdf5::array_shape(group, "velocity").front();
  const auto nv = static_cast<hsize_t>(problem.velocities());
  search.velocity.resize(rows * nv);
  hdf5::read_array(group, "velocity", number_type<double>(), {rows, nv}, search.velocity.data());
  require_finite(search.velocity, "/search/velocity");
  return search;
}

}  // namespace carom::sections
