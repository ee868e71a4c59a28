#!/usr/bin/env bash
# tools/setup.sh prints the command to run where it is neither root nor has sudo.
set -euo pipefail
setup=$(cd "$(dirname "$0")/../.." && pwd)/tools/setup.sh
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT

fake() {
  printf '#!%s\n%s\n' "$BASH" "$2" >"$tools/$1"
  chmod +x "$tools/$1"
}
fake id 'echo 1000'
fake dpkg-query 'exit 1' # nothing is installed
fake apt-get 'echo "apt-get was run" >&2'

code=0
output=$(PATH=$tools "$BASH" "$setup" format 2>&1) || code=$?
line='apt-get install --yes --no-install-recommends clang-format'
if ((code != 1)) || ! grep -qxF "  $line" <<<"$output"; then
  printf 'exit code %s, output:\n%s\n' "$code" "$output" >&2
  exit 1
fi

# With sudo, that is what runs it.
fake sudo 'echo "sudo $*"'
output=$(PATH=$tools "$BASH" "$setup" format)
grep -qF "sudo env DEBIAN_FRONTEND=noninteractive $line" <<<"$output"
