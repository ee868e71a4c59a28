#include "host/bounds/velocity_cells.hpp"

namespace carom {
namespace {

class CellBuilder {
 public:
  CellBuilder(const ImpactGeometry& geometry, const Rational& slack)
      : geometry_(geometry), slack_(slack) {}

  VelocityCell cell(const std::string& code) {
    VelocityCell result{code, {}, {}};
    for (int contact = 0; contact < geometry_.contacts(); ++contact) {
      add(result, contact, code[static_cast<std::size_t>(contact)]);
    }
    return result;
  }

 private:
  void add(VelocityCell& cell, int contact, char code) const {
    const int k = geometry_.directions();
    if (code == '0') return keep(cell, geometry_.normal(contact), 1);
    keep(cell, geometry_.normal(contact), -1);
    if (code == '1') return cell.edges.push_back(geometry_.edge(contact, 0));
    if (code == 's') {
      // Opposite directions say the same, and in the plane there is only one pair.
      for (int j = 0; j < k / 2; ++j) keep_zero(cell, geometry_.slip(contact, j));
      for (int j = 0; j < k; ++j) cell.edges.push_back(geometry_.edge(contact, j));
      return;
    }
    const bool two = code < 'a';
    const int first = code - (two ? 'A' : 'a');
    const int last = two ? (first + 1) % k : first;
    cell.edges.push_back(geometry_.edge(contact, first));
    if (two) {
      cell.edges.push_back(geometry_.edge(contact, last));
      keep_zero(cell, difference(contact, last, first));
    }
    // Where its two neighbours oppose the slip less, all other directions do.
    for (const int other : {(first + k - 1) % k, (last + 1) % k}) {
      keep(cell, difference(contact, other, first), 1);
    }
  }

  /// How much faster the slip along direction j is than along direction i.
  RationalVector difference(int contact, int j, int i) const {
    RationalVector row = geometry_.slip(contact, j);
    for (std::size_t c = 0; c < row.size(); ++c) row[c] -= geometry_.slip(contact, i)[c];
    return row;
  }

  /// sign * speed >= -slack
  void keep(VelocityCell& cell, const RationalVector& speed, int sign) const {
    RationalVector row;
    for (const Rational& entry : speed) row.push_back(sign * entry);
    row.front() += slack_;
    cell.conditions.push_back({primitive(row), false});
  }

  void keep_zero(VelocityCell& cell, const RationalVector& speed) const {
    if (slack_.is_zero()) {
      cell.conditions.push_back({primitive(speed), true});
    } else {
      keep(cell, speed, 1);
      keep(cell, speed, -1);
    }
  }

  const ImpactGeometry& geometry_;
  const Rational& slack_;
};

}  // namespace

std::string cell_codes(bool frictionless, int friction_directions) {
  if (frictionless) return "01";
  std::string codes = "0s";
  for (int j = 0; j < friction_directions; ++j) codes += static_cast<char>('a' + j);
  // In the plane, two directions oppose the slip equally only where there is none.
  for (int j = 0; j < friction_directions && friction_directions > 2; ++j) {
    codes += static_cast<char>('A' + j);
  }
  return codes;
}

std::size_t cell_count(const ImpactGeometry& geometry, std::size_t most) {
  std::size_t cells = 1;
  for (int i = 0; i < geometry.contacts() && cells <= most; ++i) {
    cells *= cell_codes(geometry.frictionless(i), geometry.directions()).size();
  }
  return cells;
}

std::vector<VelocityCell> velocity_cells(const ImpactGeometry& geometry, const Rational& slack) {
  std::vector<std::string> codes;
  for (int i = 0; i < geometry.contacts(); ++i) {
    codes.push_back(cell_codes(geometry.frictionless(i), geometry.directions()));
  }
  const std::size_t m = codes.size();
  CellBuilder builder(geometry, slack);
  std::vector<VelocityCell> cells;
  std::vector<std::size_t> choice(m, 0);
  for (;;) {
    std::size_t contact = 0;
    while (contact < m && ++choice[contact] == codes[contact].size()) choice[contact++] = 0;
    if (contact == m) return cells;
    std::string code;
    for (std::size_t i = 0; i < m; ++i) code += codes[i][choice[i]];
    cells.push_back(builder.cell(code));
  }
}

}  // namespace carom
