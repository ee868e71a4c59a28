#!/usr/bin/env bash
# Every function that an instruction set's object file offers to the linker must bear that set's
# name; else the linker may take the AVX-512 copy of it for a processor that has none.
# Usage: check_levels.sh NM LEVEL OBJECT[;OBJECT...] [LEVEL OBJECT[;OBJECT...] ...]
set -euo pipefail
nm=$1
shift

while (($# >= 2)); do
  level=$1
  IFS=';' read -ra objects <<<"$2"
  shift 2
  for object in "${objects[@]}"; do
    symbols=$("$nm" --demangle --defined-only --extern-only --format=posix "$object")
    if ! grep -qF "$level" <<<"$symbols"; then
      echo "$object has no symbol of $level" >&2
      exit 1
    fi
    if grep -vF "$level" <<<"$symbols"; then
      echo "^ in $object without the name $level" >&2
      exit 1
    fi
  done
done
