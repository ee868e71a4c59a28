#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace carom::cli {

/// Whether the file descriptor is a terminal.
bool is_terminal(int descriptor);

/// Colours of a stream; plain text unless it is a terminal and NO_COLOR is unset or empty.
class Ink {
 public:
  explicit Ink(int descriptor);
  std::string bold(const std::string& text) const;
  std::string warning(const std::string& text) const;
  std::string error(const std::string& text) const;
  std::string note(const std::string& text) const;

 private:
  bool on_;
};

/// Rows of cells, the first column aligned left and the others right (or left if requested), each
/// row indented by two spaces. Widths count characters, not bytes.
class Table {
 public:
  explicit Table(std::vector<std::string> header, bool numbers = true);
  void add(std::vector<std::string> row);
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  bool numbers_;
};

/// Of one.
inline constexpr double percent = 100.0;

/// "  label           value\n" with the values of all lines in one column.
std::string line(const std::string& label, const std::string& value);

/// A number with five significant digits.
std::string number(double value);

/// The same, but 0 for rounding noise relative to `scale`.
std::string number(double value, double scale);

/// Writes text, or one JSON document, to standard output.
/// @throws RunError if standard output cannot be written (disk full, closed).
void print(const std::string& text);
void print(const nlohmann::ordered_json& document);

}  // namespace carom::cli
