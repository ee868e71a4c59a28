#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>

#include "carom/error.hpp"
#include "carom/result_io.hpp"
#include "host/files/sealed_file.hpp"

namespace carom {

/// Calls read(open HDF5 file, name) for a file of a format; every fault of the file becomes an
/// InputError.
template <class Read>
auto read_sealed(const std::filesystem::path& file, const char* format, const Read& read) {
  const hdf5::Quiet quiet;
  std::string problem;
  try {
    const SealedFile sealed(file, format);
    return sealed.read([&](hid_t hdf5_file) {
      const auto version = hdf5::read_number<std::int32_t>(hdf5_file, "format_version");
      if (version > result_format_version) {
        throw InputError(
            fmt::format("{} has format_version {} (this version of Carom reads up to {})",
                        file.string(), version, result_format_version));
      }
      return read(hdf5_file, file.string());
    });
  } catch (const hdf5::Error& error) {
    problem = error.what();
  } catch (const std::bad_alloc&) {
    problem = "its sizes make no sense";
  } catch (const std::length_error&) {
    problem = "its sizes make no sense";
  }
  throw InputError(fmt::format("{} is damaged or cut short: {}", file.string(), problem));
}

}  // namespace carom
