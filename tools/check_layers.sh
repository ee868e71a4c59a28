#!/usr/bin/env bash
# Checks that includes run host -> kernels -> include and never back, and that per-trajectory
# headers stay free of Eigen, streams and containers. Usage: tools/check_layers.sh [ROOT]
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

status=0

# forbid RULE REGEX FILE...: no file may have an #include line whose target matches REGEX.
forbid() {
  local rule=$1 regex=$2
  shift 2
  if (($# > 0)) && grep -HnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($regex)" "$@"; then
    echo "  ^ $rule" >&2
    status=1
  fi
}

# list FIND-ARGUMENTS: C++ and CUDA files, into `files`.
list() {
  mapfile -d '' files < <(find "$@" \( -name '*.hpp' -o -name '*.cpp' -o -name '*.cu' \) -print0)
}

list include
forbid 'include/ may use nothing from kernels/ or host/' '(\.\./)*(kernels|host)/' "${files[@]}"

list kernels
forbid 'kernels/ may use nothing from host/' '(\.\./)*host/' "${files[@]}"

# What every trajectory runs is flat: only the launchers and their CUDA helpers know host types.
list kernels -not -name 'launch*' -not -name 'cuda_check.hpp' -not -name 'device_buffer.hpp' \
  -not -name 'device_plan.hpp'
forbid 'only the launchers in kernels/ may use Eigen, streams or containers' \
  'Eigen/|(iostream|ostream|sstream|fstream|string|vector|map|memory|stdexcept)>' "${files[@]}"
# Of include/, only these are free of Eigen and containers.
flat='"carom/(status|selection|contact_mode|row_columns)\.hpp"'
if ((${#files[@]} > 0)) && grep -HnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"carom/' \
  "${files[@]}" | grep -vE "$flat"; then
  echo "  ^ of include/, kernels/ may use only $flat" >&2
  status=1
fi

if ((status == 0)); then
  echo "layers: includes run host -> kernels -> include"
fi
exit $status
