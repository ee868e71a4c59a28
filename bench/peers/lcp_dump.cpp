#include "bench/peers/lcp_dump.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>

namespace carom::peers {

namespace {

constexpr char signature[8] = {'c', 'a', 'r', 'o', 'm', 'l', 'c', 'p'};

template <class Number>
void write(std::ofstream& out, const Number* values, std::size_t count) {
  out.write(reinterpret_cast<const char*>(values),
            static_cast<std::streamsize>(count * sizeof(Number)));
}

template <class Number>
void read(std::ifstream& in, Number* values, std::size_t count) {
  in.read(reinterpret_cast<char*>(values), static_cast<std::streamsize>(count * sizeof(Number)));
}

template <class Set, class Visitor>
void visit_arrays(Set& set, Visitor&& visit) {
  const auto n = static_cast<std::size_t>(set.size());
  const auto count = static_cast<std::size_t>(set.count);
  visit(set.matrix, n * n);
  visit(set.constant, count * n);
  visit(set.velocity, count * static_cast<std::size_t>(set.velocities));
  visit(set.cap, count * static_cast<std::size_t>(set.contacts));
  visit(set.velocity_scale, count);
  visit(set.impulse_scale, count);
}

}  // namespace

double LcpSet::residual(int lcp, const double* z) const {
  const int m = contacts;
  const int n = size();
  const int first_cone = n - m;
  const double speed = velocity_scale[static_cast<std::size_t>(lcp)];
  const double impulse = impulse_scale[static_cast<std::size_t>(lcp)];
  const double* w = constant_of(lcp);
  double worst = 0.0;
  for (int i = 0; i < n; ++i) {
    const double* coefficient = row(matrix, i, n);
    double y = w[i];
    for (int j = 0; j < n; ++j) y += coefficient[j] * z[j];
    if (!std::isfinite(y) || !std::isfinite(z[i])) return std::numeric_limits<double>::infinity();
    const bool of_impulse = i >= m && i < first_cone;
    const double friction = i >= first_cone ? coefficient[m + i - first_cone] : 0.0;
    const double z_scale = of_impulse ? impulse : speed;
    const double y_scale = of_impulse ? speed : impulse * (1.0 + friction);
    worst = std::max(worst, std::fabs(std::min(z[i] / z_scale, y / y_scale)));
  }
  return worst;
}

void write_dump(const std::filesystem::path& file, const std::vector<LcpSet>& sets) {
  std::ofstream out(file, std::ios::binary);
  write(out, signature, std::size(signature));
  const int count = static_cast<int>(sets.size());
  write(out, &count, 1);
  for (const LcpSet& set : sets) {
    const int header[] = {static_cast<int>(set.name.size()), set.contacts, set.directions,
                          set.velocities, set.count};
    write(out, header, std::size(header));
    write(out, set.name.data(), set.name.size());
    visit_arrays(set, [&](const std::vector<double>& array, std::size_t size) {
      if (array.size() != size) throw std::runtime_error("a dumped array has a wrong size");
      write(out, array.data(), size);
    });
  }
  out.flush();
  if (!out) throw std::runtime_error("cannot write " + file.string());
}

std::vector<LcpSet> read_dump(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  char start[std::size(signature)] = {};
  read(in, start, std::size(start));
  if (!in || !std::equal(std::begin(start), std::end(start), signature)) {
    throw std::runtime_error(file.string() + " is no file of dumped LCPs");
  }
  int count = 0;
  read(in, &count, 1);
  std::vector<LcpSet> sets(static_cast<std::size_t>(count));
  for (LcpSet& set : sets) {
    int header[5] = {};
    read(in, header, std::size(header));
    set.name.resize(static_cast<std::size_t>(header[0]));
    set.contacts = header[1];
    set.directions = header[2];
    set.velocities = header[3];
    set.count = header[4];
    read(in, set.name.data(), set.name.size());
    visit_arrays(set, [&](std::vector<double>& array, std::size_t size) {
      array.resize(size);
      read(in, array.data(), size);
    });
  }
  if (!in) throw std::runtime_error(file.string() + " is cut short");
  return sets;
}

}  // namespace carom::peers
