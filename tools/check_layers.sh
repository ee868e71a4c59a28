#!/usr/bin/env bash
# Checks that includes run host -> kernels -> include and never back, that python/bindings/ uses the public
# headers alone, that includes between the folders of host/ and of kernels/ run from later to earlier ones
# in the lists below, and that per-trajectory headers stay free of Eigen, streams and containers.
# Usage: tools/check_layers.sh [ROOT]
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

# From the bottom up: a folder may include from itself and from those before it.
kernels_folders=(base random lcp step problem modes signs trajectory laws impact mechanisms rollout compliant digest cpu launch cuda)
host_folders=(base files options problem modes laws coupling bounds sampling set evidence explore roll run scenario families result ranks cli)
# Where work is handed to a processor: everywhere else in kernels/, code is flat.
launchers='kernels/(launch|cuda)/'
# Of include/, only these are free of Eigen and containers.
flat_headers='"carom/(status|selection|contact_mode|row_columns|rollout_columns|impact_batch|crossing)\.hpp"'

status=0
files=() # of what is checked, all C++ and CUDA files
mapfile -d '' files < <(find include kernels host python/bindings \( -name '*.hpp' -o -name '*.cpp' -o -name '*.cu' \) -print0)

# forbid RULE FILES INCLUDES [ALLOWED]: no file whose path matches FILES may have an #include line
# whose target matches INCLUDES, unless it matches ALLOWED.
forbid() {
  local found
  found=$(printf '%s\0' "${files[@]}" | grep -zE "^$2" |
    xargs -0r grep -HnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*([<\"])($3)" |
    grep -vE "include[[:space:]]*(${4:-nothing is allowed})" || true)
  if [[ -n $found ]]; then
    printf '%s\n  ^ %s\n' "$found" "$1" >&2
    status=1
  fi
}

# check_order TOP FOLDER...
check_order() {
  local top=$1 later known folder
  shift
  known=$(IFS='|'; echo "$*")
  for file in "${files[@]}"; do
    if [[ $file == "$top"/* && ! $file =~ ^$top/($known)/ ]]; then
      echo "$file: lies in no folder of $top/ that tools/check_layers.sh lists" >&2
      status=1
    fi
  done
  while (($# > 1)); do
    folder=$1
    shift
    later=$(IFS='|'; echo "$*")
    forbid "$top/$folder/ may use nothing from the folders above it" "$top/$folder/" "$top/($later)/"
  done
}

forbid 'include/ may use nothing from kernels/ or host/' include/ '(\.\./)*(kernels|host)/'
forbid 'python/bindings/ may use nothing from kernels/ or host/' python/bindings/ '(\.\./)*(kernels|host)/'
forbid 'kernels/ may use nothing from host/' kernels/ '(\.\./)*host/'
check_order kernels "${kernels_folders[@]}"
check_order host "${host_folders[@]}"
for folder in "${kernels_folders[@]}"; do
  if [[ ! kernels/$folder/ =~ $launchers ]]; then
    forbid 'only launchers in kernels/ may use Eigen, streams or containers' "kernels/$folder/" \
      'Eigen/|(iostream|ostream|sstream|fstream|string|vector|map|memory|stdexcept)>'
    forbid "of include/, kernels/ may use only $flat_headers" "kernels/$folder/" carom/ "$flat_headers"
  fi
done

if ((status == 0)); then
  echo "layers: includes run host -> kernels -> include, and within both from later folders to earlier ones"
fi
exit $status
