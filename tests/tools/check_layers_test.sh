#!/usr/bin/env bash
# tools/check_layers.sh passes on a clean tree and names each seeded violation.
set -euo pipefail
check=$(cd "$(dirname "$0")/../.." && pwd)/tools/check_layers.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

mkdir -p "$tree"/{include/carom,kernels/{lcp,step,launch},host/{base,problem},python/bindings}
echo '#include "carom/status.hpp"' >"$tree/kernels/lcp/clean.hpp"
echo '#include <vector>' >"$tree/kernels/launch/launch.hpp"
echo '#include "kernels/lcp/clean.hpp"' >"$tree/kernels/step/above.hpp"
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

seed include/carom/bad.hpp '#include "kernels/lcp/lemke.hpp"'
seed include/carom/bad.hpp '#include "../host/net.hpp"'
seed kernels/lcp/bad.cpp '#include "host/net.hpp"'
seed kernels/lcp/bad.hpp '#include <Eigen/Core>'
seed kernels/lcp/bad.hpp '  #  include <vector>'
seed kernels/lcp/bad.hpp '#include "carom/impact_problem.hpp"'
seed kernels/lcp/bad.hpp '#include "kernels/step/above.hpp"'
seed python/bindings/bad.cpp '#include "host/base/progress.hpp"'
seed host/base/bad.hpp '#include "host/problem/impact_problem.hpp"'

echo >"$tree/host/loose.hpp"
if output=$("$check" "$tree" 2>&1) || ! grep -qF "host/loose.hpp: lies in no folder" <<<"$output"; then
  echo "not found: a file in no folder of host/" >&2
  exit 1
fi
echo "every seeded violation was found"
