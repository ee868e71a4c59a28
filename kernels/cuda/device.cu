#include "kernels/cuda/device.hpp"

#include "kernels/cuda/cuda_check.hpp"
#include "kernels/launch/launch.hpp"

namespace carom {

namespace {

constexpr int least_capability = 75;  // compute capability times ten that the PTX is compiled for

}  // namespace

std::string open_device(int device) {
  std::string note;
  const int devices = count_cuda_devices(note);
  if (devices == 0) {
    throw InputError("no CUDA device was found" + (note.empty() ? "" : ": " + note) +
                     " (the backend \"cuda\" needs one; auto and cpu need none)");
  }
  if (device < 0 || device >= devices) {
    throw InputError("device is " + std::to_string(device) + " (must be below the number of " +
                     "CUDA devices, " + std::to_string(devices) + ")");
  }
  CAROM_CUDA_CHECK(cudaSetDevice(device));
  cudaDeviceProp properties;
  CAROM_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  if (properties.major * 10 + properties.minor < least_capability) {
    throw RunError(std::string("CUDA: ") + properties.name + " has compute capability " +
                   std::to_string(properties.major) + "." + std::to_string(properties.minor) +
                   " (must be 7.5 or more)");
  }
  return properties.name;
}

int count_cuda_devices(std::string& note) {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error == cudaSuccess && devices > 0) {
    note.clear();
    return devices;
  }
  int driver = 0;
  if (error == cudaSuccess) {
    note = "no CUDA device found";
  } else if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0) {
    note = "no CUDA driver found";
  } else {
    note = std::string("no CUDA device: ") + cudaGetErrorString(error);
  }
  cudaGetLastError();  // a later check must not find this error
  return 0;
}

}  // namespace carom
