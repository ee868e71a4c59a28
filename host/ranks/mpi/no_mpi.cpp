#include <cstdlib>
#include <string>

#include "host/ranks/ranks.hpp"

namespace carom {

std::unique_ptr<Ranks> start_ranks(int&, char**&) {
  const char* size = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (size == nullptr) size = std::getenv("PMI_SIZE");
  if (size != nullptr && std::atoi(size) > 1) {
    throw InputError(std::string("mpirun started ") + size +
                     " processes (must be 1: this carom was built without MPI)");
  }
  return nullptr;
}

}  // namespace carom
