#pragma once

#include <filesystem>
#include <string>

#include "carom/error.hpp"
#include "host/ranks/at_place.hpp"

namespace carom {

/// Tells ranks of a specification that each reads itself: where it is, what it must be, and the
/// machine options of the command line.
template <class Spec>
void put_spec(const std::filesystem::path& file, const Spec& spec, Packer& packer) {
  packer.put(std::filesystem::absolute(file).string())
      .put(spec_id(spec))
      .put(spec.sampling.backend)
      .put(spec.sampling.threads)
      .put(spec.sampling.device);
}

/// @param read of a file
/// @throws InputError if it is another specification than rank 0's
template <class Spec, class Read>
Spec get_spec(Unpacker& unpacker, const Place& place, const Read& read) {
  std::string file;
  std::string id;
  unpacker.get(file).get(id);
  Spec spec = read(file);
  if (spec_id(spec) != id) {
    throw InputError(file + " is not what rank 0 read (all ranks must see the same files)");
  }
  unpacker.get(spec.sampling.backend).get(spec.sampling.threads).get(spec.sampling.device);
  spec.sampling = at_place(spec.sampling, place);
  return spec;
}

}  // namespace carom
