#include "host/cli/terminal.hpp"

#include <fmt/color.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "carom/error.hpp"

namespace carom::cli {
namespace {

constexpr std::size_t label_width = 18;  // of line()
constexpr const char* indent = "  ";

/// Number of characters of UTF-8 text: bytes that are not continuation bytes.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
  }));
}

std::string padding(const std::string& cell, std::size_t width) {
  const std::size_t used = width_of(cell);
  return std::string(width > used ? width - used : 0, ' ');
}

}  // namespace

bool is_terminal(int descriptor) { return isatty(descriptor) == 1; }

Ink::Ink(int descriptor) {
  const char* refused = std::getenv("NO_COLOR");
  // Its ranks write into terminals of Open MPI's own, whatever the user's output is.
  const bool under_mpirun = std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr;
  on_ = is_terminal(descriptor) && !under_mpirun && (refused == nullptr || *refused == '\0');
}

std::string Ink::bold(const std::string& text) const {
  return on_ ? fmt::format(fmt::emphasis::bold, "{}", text) : text;
}
std::string Ink::warning(const std::string& text) const {
  return on_ ? fmt::format(fmt::fg(fmt::terminal_color::yellow), "{}", text) : text;
}
std::string Ink::error(const std::string& text) const {
  return on_ ? fmt::format(fmt::fg(fmt::terminal_color::red), "{}", text) : text;
}
std::string Ink::note(const std::string& text) const {
  return on_ ? fmt::format(fmt::fg(fmt::terminal_color::cyan), "{}", text) : text;
}

Table::Table(std::vector<std::string> header, bool numbers) : numbers_(numbers) {
  rows_.push_back(std::move(header));
}

void Table::add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

std::string Table::text() const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string cells;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string pad = padding(row[c], widths[c]);
      cells += indent + (numbers_ && c > 0 ? pad + row[c] : row[c] + pad);
    }
    cells.erase(cells.find_last_not_of(' ') + 1);
    text += cells + "\n";
  }
  return text;
}

std::string line(const std::string& label, const std::string& value) {
  return indent + label + padding(label, label_width) + value + "\n";
}

std::string number(double value) { return fmt::format("{:.5g}", value); }

std::string number(double value, double scale) {
  constexpr double noise = 1e-12;  // a few thousand roundings; the tables show five digits
  const bool is_noise = std::isfinite(scale) && std::abs(value) <= noise * scale;
  return number(is_noise ? 0.0 : value);
}

void print(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) {
    throw RunError(fmt::format("cannot write to standard output ({})", std::strerror(errno)));
  }
}

void print(const nlohmann::ordered_json& document) {
  // A file name need not be UTF-8; a JSON document must be.
  using nlohmann::ordered_json;
  print(document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n");
}

}  // namespace carom::cli
