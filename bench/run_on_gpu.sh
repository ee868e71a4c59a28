#!/usr/bin/env bash
# Everything that only a machine with an NVIDIA GPU can check and measure, in one go: build, the
# whole test-suite with its parity tests, CPU and CUDA checksums of every scenario, the
# compute-sanitizer tools, the benchmarks, and a profile of the kernels of a run. A step that fails
# does not stop the next ones; the last lines are a table of all.
#
# Usage: bench/run_on_gpu.sh [--no-build DIR] [--output DIR] [--only NAME,...]
#   --no-build DIR   use the binaries of this build folder, made elsewhere
#   --output DIR     logs, benchmark JSON and profile go here (default build/gpu_report)
#   --only NAME,...  only these steps (their names are the first column of the last table)
# Environment: CAROM_CUDA_ARCHITECTURES (90-real), JOBS (all cores), STEP_LIMIT_S (900),
#   TEST_FILTER and SANITIZER_FILTER (*Cuda*; GoogleTest filter), BENCHMARK_FILTER (.)
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
source_dir=$PWD

build=build/gpu
output=build/gpu_report
build_here=true
only=
while (($# > 0)); do
  case $1 in
    --no-build) build=${2:?--no-build needs a folder} build_here=false && shift 2 ;;
    --output) output=${2:?--output needs a folder} && shift 2 ;;
    --only) only=,${2:?--only needs names}, && shift 2 ;;
    *) sed -n '2,14s/^# \{0,1\}//p' bench/run_on_gpu.sh && exit 2 ;;
  esac
done
jobs=${JOBS:-$(nproc)}
step_limit_s=${STEP_LIMIT_S:-900}
filter=${SANITIZER_FILTER:-*Cuda*}
python=${PYTHON:-python3}
export PATH=$PATH:/usr/local/cuda/bin
mkdir -p "$output"
output=$(cd "$output" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

results=()
failures=0

wanted() {
  [[ -z $only || $1 == original_paths || $only == *,$1,* ]]
}

# step NAME COMMAND...: runs one step, its output into NAME.log.
step() {
  local name=$1 started=$SECONDS verdict=ok code=0
  shift
  wanted "$name" || return 0
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

# The result of a scenario must not depend on the backend, where a device has a program for it.
compare_checksums() {
  local scenario backend different=0
  local -A sums
  for scenario in scenarios/*.toml; do
    for backend in cpu cuda; do
      sums[$backend]=$(timeout "$step_limit_s" "$build/carom" sample "$scenario" --json --quiet \
        --backend $backend --samples none -o "$scratch/$backend.h5" 2>"$scratch/$backend.error" |
        grep -oE '"checksum": *"?[^",}]+')
    done
    if [[ -z ${sums[cpu]} ]] || grep -q 'on the CPU only' "$scratch/cuda.error"; then
      echo "$scenario: left out; $(cat "$scratch"/*.error | grep -m1 error)"
      continue
    fi
    echo "$scenario: cpu ${sums[cpu]}, cuda ${sums[cuda]:-no result}"
    [[ ${sums[cpu]} == "${sums[cuda]}" ]] || different=1
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

# What the kernels of trajectories and of worlds wait for: late slices of runs, which are the largest.
profile() {
  local run kernels=(ncu --clock-control none --kernel-name 'regex:run_' --force-overwrite
    --section SpeedOfLight --section Occupancy --section LaunchStats --section WarpStateStats
    --section MemoryWorkloadAnalysis --section InstructionStats)
  for run in 'rocking_block first' 'rocking_block table' 'rocking_block all' 'compass_gait first' 'disk_stack first'; do
    echo "== $run"
    timeout "$step_limit_s" "${kernels[@]}" --launch-skip 8 --launch-count 2 \
      "$build/carom" sample "${run% *}" --solutions "${run#* }" --quiet --backend cuda \
      --trajectories 4194304 --samples none -o "$scratch/profile.h5" || return 1
  done
  for run in two_planar four_feet; do
    echo "== $run worlds"
    timeout "$step_limit_s" "${kernels[@]}" --launch-skip 1 --launch-count 1 "$build/bench/bench_impact_law" \
      --benchmark_min_time=0.01 --benchmark_filter="$run/cuda/set_valued/65536" || return 1
  done
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
  step tests "$build/tests/carom_tests" --gtest_brief=1 "--gtest_filter=${TEST_FILTER:-*Cuda*}"
fi
tests=$build/tests/carom_tests
# Where torch, CuPy and JAX are: arrays of theirs, where they lie.
step python env PYTHONPATH="$build/python" PYTHONDONTWRITEBYTECODE=1 \
  "$python" -m pytest -q -p no:cacheprovider tests/python/test_device_arrays.py
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
    step "$name" "$program" --benchmark_out="$output/$name.json" --benchmark_out_format=json \
      "--benchmark_filter=${BENCHMARK_FILTER:-.}"
  fi
done

# What was predicted without a GPU (bench/gpu_model.py predict), beside what is measured.
step predictions "$python" bench/gpu_model.py compare bench/gpu_predictions.json \
  "$output/bench_sampler.json" "$output/bench_impact_law.json"

if command -v ncu >/dev/null; then
  step profile profile
else
  skip profile "no ncu"
fi

echo
cat "$output/predictions.log" 2>/dev/null
printf '%s\n' "${results[@]}" | tee "$output/steps.txt"
echo "$failures failed; logs in $output"
((failures == 0))
