#!/usr/bin/env bash
# tools/check_layers.sh passes on a clean tree and names each seeded violation.
set -euo pipefail
check=$(cd "$(dirname "$0")/../.." && pwd)/tools/check_layers.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

mkdir -p "$tree"/{include/carom,kernels,host}
echo '#include "carom/status.hpp"' >"$tree/kernels/clean.hpp"
echo '#include <vector>' >"$tree/kernels/launch.hpp"
"$check" "$tree" >/dev/null

# seed FILE LINE: the check must fail on this line and print it.
seed() {
  echo "$2" >"$tree/$1"
  if output=$("$check" "$tree" 2>&1) || ! grep -qF "$1:1:$2" <<<"$output"; then
    echo "not found: $1: $2" >&2
    exit 1
  fi
  rm "$tree/$1"
}

seed include/carom/bad.hpp '#include "kernels/lemke.hpp"'
seed include/carom/bad.hpp '#include "../host/net.hpp"'
seed kernels/bad.cpp '#include "host/net.hpp"'
seed kernels/bad.hpp '#include <Eigen/Core>'
seed kernels/bad.hpp '  #  include <vector>'
seed kernels/bad.hpp '#include "carom/impact_problem.hpp"'
echo "every seeded violation was found"
