#!/usr/bin/env bash
# Everything that only a machine with an NVIDIA GPU can check and measure, in one go: build, the
# whole test-suite with its parity tests, CPU and CUDA checksums of every scenario, the
# compute-sanitizer tools, the benchmarks, and a profile of the kernels of a run. A step that fails
# does not stop the next ones; the last lines are a table of all.
#
# Usage: bench/run_on_gpu.sh [--no-build DIR] [--output DIR]
#   --no-build DIR   use the binaries of this build folder, made elsewhere
#   --output DIR     logs, benchmark JSON and profile go here (default build/gpu_report)
# Environment: CAROM_CUDA_ARCHITECTURES (90-real), JOBS (all cores), STEP_LIMIT_S (900),
#   SANITIZER_FILTER (*Cuda*; GoogleTest filter of the small CUDA tests)
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
source_dir=$PWD

build=build/gpu
output=build/gpu_report
build_here=true
while (($# > 0)); do
  case $1 in
    --no-build) build=${2:?--no-build needs a folder} build_here=false && shift 2 ;;
    --output) output=${2:?--output needs a folder} && shift 2 ;;
    *) sed -n '2,13s/^# \{0,1\}//p' bench/run_on_gpu.sh && exit 2 ;;
  esac
done
jobs=${JOBS:-$(nproc)}
step_limit_s=${STEP_LIMIT_S:-900}
filter=${SANITIZER_FILTER:-*Cuda*}
export PATH=$PATH:/usr/local/cuda/bin
mkdir -p "$output"
output=$(cd "$output" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

results=()
failures=0

# step NAME COMMAND...: runs one step, its output into NAME.log.
step() {
  local name=$1 started=$SECONDS verdict=ok code=0
  shift
  echo "== $name: $*"
  if [[ $(type -t "$1") == function ]]; then
    "$@" >"$output/$name.log" 2>&1 || code=$?
  else
    timeout "$step_limit_s" "$@" >"$output/$name.log" 2>&1 || code=$?
  fi
  if ((code != 0)); then
    verdict="failed ($code)"
    ((failures += 1))
    tail -n 15 "$output/$name.log"
  fi
  results+=("$(printf '%-28s %-14s %5d s' "$name" "$verdict" $((SECONDS - started)))")
}

skip() {
  results+=("$(printf '%-28s skipped: %s' "$1" "$2")")
}

describe_machine() {
  nvidia-smi && lscpu && { nvcc --version || true; }
}

configure() {
  local generator=()
  if command -v ninja >/dev/null; then
    generator=(-G Ninja)
  fi
  cmake -S . -B "$build" "${generator[@]}" -D CMAKE_BUILD_TYPE=Release -D CAROM_CUDA=ON \
    -D "CAROM_CUDA_ARCHITECTURES=${CAROM_CUDA_ARCHITECTURES:-90-real}"
}

# Tests made elsewhere look for their data and the command line at the paths of that machine.
link_original_paths() {
  local from to pair
  for pair in "CMAKE_HOME_DIRECTORY:INTERNAL=|$source_dir" "CMAKE_CACHEFILE_DIR:INTERNAL=|$build"; do
    from=$(sed -n "s|^${pair%%|*}||p" "$build/CMakeCache.txt")
    to=${pair#*|}
    if [[ -z $from ]]; then
      echo "$build/CMakeCache.txt does not name the original folders" && return 1
    fi
    if [[ ! -e $from ]]; then
      echo "linking $from to $to"
      mkdir -p "$(dirname "$from")" && ln -s "$to" "$from" || return 1
    fi
  done
}

# The result of a scenario must not depend on the backend.
compare_checksums() {
  local scenario backend different=0
  local -A sums
  for scenario in scenarios/*.toml; do
    for backend in cpu cuda; do
      sums[$backend]=$(timeout "$step_limit_s" "$build/carom" sample "$scenario" --json --quiet \
        --backend $backend --samples none -o "$scratch/$backend.h5" |
        grep -oE '"checksum": *"?[^",}]+')
    done
    echo "$scenario: cpu ${sums[cpu]:-no result}, cuda ${sums[cuda]:-no result}"
    if [[ -z ${sums[cpu]} || ${sums[cpu]} != "${sums[cuda]}" ]]; then
      different=1
    fi
  done
  return $different
}

# Steps with many contacts, solved by warps and by threads: the same checksum, in what time?
compare_steps() {
  local steps
  for steps in warp thread; do
    CAROM_CUDA_STEPS=$steps timeout "$step_limit_s" "$build/carom" sample disk_stack --json --quiet \
      --solutions first --backend cuda --trajectories 4194304 --samples none -o "$scratch/steps.h5" |
      grep -oE '"(checksum|seconds|lcps_per_second)": *"?[^",}]+' | paste -sd' ' | sed "s/^/$steps: /" || return 1
  done
}

sanitize() {
  if [[ -z $("$tests" --gtest_filter="$filter" --gtest_list_tests) ]]; then
    echo "no test matches $filter" && return 1
  fi
  CAROM_FEW_ROWS=1 timeout "$step_limit_s" compute-sanitizer --tool "$1" --error-exitcode 1 \
    "$tests" --gtest_filter="$filter"
}

# The last slices of a run, which are the largest: kernels of trajectories, digest and net.
profile() {
  timeout "$step_limit_s" ncu --clock-control none --set full --force-overwrite \
    --launch-skip 30 --launch-count 12 --export "$output/trajectory_kernel" \
    "$build/carom" sample scenarios/rocking_block.toml --quiet --backend cuda \
    --trajectories 1048576 --samples none -o "$scratch/profile.h5" &&
    ncu --import "$output/trajectory_kernel.ncu-rep" --page details
}

step machine describe_machine
if $build_here; then
  step configure configure
  step build cmake --build "$build" --parallel "$jobs" --target all carom_benchmarks
  build=$(cd "$build" && pwd) || exit 1
  step tests ctest --test-dir "$build" --output-on-failure --parallel "$jobs"
else
  build=$(cd "$build" && pwd) || exit 1
  step original_paths link_original_paths
  step tests "$build/tests/carom_tests" --gtest_brief=1
fi
tests=$build/tests/carom_tests
step checksums compare_checksums
step warps_or_threads compare_steps

for tool in memcheck racecheck initcheck synccheck; do
  if command -v compute-sanitizer >/dev/null; then
    step "sanitizer_$tool" sanitize $tool
  else
    skip "sanitizer_$tool" "no compute-sanitizer"
  fi
done

for program in "$build"/bench/bench_*; do
  if [[ -f $program && -x $program ]]; then
    name=$(basename "$program")
    step "$name" "$program" --benchmark_out="$output/$name.json" --benchmark_out_format=json
  fi
done

if command -v ncu >/dev/null; then
  step profile profile
else
  skip profile "no ncu"
fi

echo
printf '%s\n' "${results[@]}" | tee "$output/steps.txt"
echo "$failures failed; logs in $output"
((failures == 0))
