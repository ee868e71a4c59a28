#!/usr/bin/env bash
# Checks (or with --fix, applies) .clang-format for every C++ and CUDA file.
set -euo pipefail
cd "$(dirname "$0")/.."

arguments=(--dry-run --Werror)
if [[ ${1:-} == --fix ]]; then
  arguments=(-i)
fi

mapfile -d '' files < <(find include kernels host tests bench \
  \( -name '*.cpp' -o -name '*.hpp' -o -name '*.cu' \) -print0 | sort -z)
clang-format "${arguments[@]}" "${files[@]}"
echo "format: ${#files[@]} files are as .clang-format wants them"
