#!/usr/bin/env bash
# Installs the Debian packages that Carom needs and that are missing.
# Usage: tools/setup.sh [format|lint|peers|warp]
# (only clang-format; also clang-tidy; also the solvers and integrators that `make peers` compares with;
# also MuJoCo Warp, whose tests are left out without it)
set -euo pipefail

packages=(
  g++ cmake ninja-build
  libeigen3-dev libcli11-dev libtomlplusplus-dev libhdf5-dev libtbb-dev libfmt-dev libnanoflann-dev
  libboost-dev librandom123-dev nlohmann-json3-dev libxxhash-dev zlib1g-dev
  libgtest-dev librapidcheck-dev libbenchmark-dev
  python3 python3-dev python3-venv python3-numpy python3-h5py python3-matplotlib python3-scipy
  python3-torch
  libopenmpi-dev openmpi-bin valgrind
)
case ${1:-} in
  '' | warp) ;;
  format) packages=(clang-format) ;;
  lint) packages+=(clang-tidy) ;;
  peers)
    packages+=(libsiconos-numerics-dev libbullet-dev libdart-dev libdart-external-odelcpsolver-dev
               libsundials-dev libsimbody-dev)
    ;;
  *)
    echo "usage: tools/setup.sh [format|lint|peers|warp]" >&2
    exit 2
    ;;
esac

installed() {
  [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

install_with_apt() {
  local missing=() package as_root=()
  for package in "${packages[@]}"; do
    installed "$package" || missing+=("$package")
  done
  if ((${#missing[@]} == 0)); then
    echo "setup: all ${#packages[@]} packages are installed"
    return
  fi
  echo "setup: installing ${missing[*]}"
  if (($(id -u) != 0)); then
    if ! command -v sudo >/dev/null; then
      echo "setup: this needs root, and there is no sudo; run as root, then try again:" >&2
      echo "  apt-get install --yes --no-install-recommends ${missing[*]}" >&2
      exit 1
    fi
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install --yes --no-install-recommends "${missing[@]}"
}

# One file of Simbody's source package: Debian's library prints every step of the PLUS solver.
unpack_simbody() {
  local folder=build/simbody file=PLUSImpulseSolver.cpp from
  [[ -f $folder/$file ]] && return
  mkdir -p "$folder/lists/partial"
  if [[ -f /etc/apt/sources.list.d/debian.sources ]]; then
    from=$folder/source.sources
    sed 's/^Types:.*/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >"$from"
  else
    from=$folder/source.list
    sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >"$from"
  fi
  local options=(-qq -o "Dir::Etc::sourcelist=$PWD/$from" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State::lists=$PWD/$folder/lists")
  apt-get "${options[@]}" update &&
    (cd "$folder" && apt-get "${options[@]}" source --download-only simbody) &&
    tar -xf "$folder"/simbody_*.orig.tar.* -O --wildcards "*/Simbody/src/$file" \
      >"$folder/$file.part" && mv "$folder/$file.part" "$folder/$file" ||
    echo "setup: no source of Simbody: make peers leaves its PLUS solver out" >&2
  rm -rf "$folder/lists" "$folder"/simbody_* "$from"
}

# Without apt there is nothing to install with: say what is missing, by its upstream name.
missing=()
need_command() {
  command -v "$1" >/dev/null || missing+=("$2")
}
need_header() {
  printf '#include <%s>\nint main() {}\n' "$1" |
    "${CXX:-c++}" -std=c++20 -x c++ -fsyntax-only -I/usr/include/eigen3 -I/usr/include/hdf5/serial - \
      >/dev/null 2>&1 || missing+=("$2 (<$1>)")
}

check_without_apt() {
  need_command "${CXX:-c++}" 'a C++20 compiler (g++ >= 12 or clang++ >= 15)'
  need_command cmake 'CMake >= 3.25'
  if [[ ${1:-} == format || ${1:-} == lint ]]; then
    need_command "clang-${1/lint/tidy}" "clang-${1/lint/tidy} 14"
  fi
  need_header Eigen/Core 'Eigen >= 3.4'
  need_header CLI/CLI.hpp 'CLI11 >= 2.1'
  need_header toml++/toml.h 'toml++ >= 3.3'
  need_header H5Cpp.h 'HDF5 >= 1.10 with its C++ interface'
  need_header tbb/parallel_for.h 'oneTBB'
  need_header fmt/core.h 'fmt >= 9'
  need_header nanoflann.hpp 'nanoflann >= 1.4'
  need_header Random123/philox.h 'Random123 >= 1.14'
  need_header nlohmann/json.hpp 'nlohmann-json >= 3.11'
  need_header xxhash.h 'xxHash >= 0.8'
  need_header zlib.h 'zlib >= 1.2.9'
  need_header gtest/gtest.h 'GoogleTest'
  need_header rapidcheck.h 'RapidCheck'
  need_header benchmark/benchmark.h 'Google Benchmark'
  python3 -c 'import h5py, matplotlib, numpy' 2>/dev/null ||
    missing+=('Python 3 with numpy, h5py and matplotlib')
  if ((${#missing[@]} == 0)); then
    echo "setup: no apt-get here, but all that is needed was found"
    return
  fi
  echo "setup: there is no apt-get here; install these with your package manager, then try again:" >&2
  printf '  %s\n' "${missing[@]}" >&2
  exit 1
}

# What Python's own index brings, in a virtual environment of the project that sees Debian's modules,
# too. Without it everything but the Python package and the MuJoCo models is built.
install_from_pypi() {
  local folder=.venv wanted=tools/requirements.txt python=/usr/bin/python3
  [[ -x $python ]] || python=python3
  if [[ -x $folder/bin/python ]] && cmp -s "$wanted" "$folder/requirements.txt"; then
    echo "setup: $folder has all of $wanted"
    return
  fi
  echo "setup: installing $wanted into $folder"
  if "$python" -m venv --clear --system-site-packages "$folder" &&
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check -r "$wanted"; then
    cp "$wanted" "$folder/requirements.txt"
  else
    echo "setup: $wanted could not be installed: no Python package and no MuJoCo models" >&2
  fi
}

cd "$(dirname "$0")/.."
if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
  install_with_apt
  if [[ ${1:-} == peers ]]; then unpack_simbody; fi
else
  check_without_apt "${1:-}"
fi
if [[ ${1:-} != format ]]; then install_from_pypi; fi
if [[ ${1:-} == warp ]]; then
  # The build has the headers of this mujoco.
  mujoco=$(.venv/bin/python -c 'import mujoco; print(mujoco.__version__)') &&
    .venv/bin/python -m pip install --quiet --disable-pip-version-check \
      'mujoco-warp>=4' "mujoco==$mujoco" ||
    echo "setup: mujoco-warp could not be installed: its tests are left out" >&2
fi
