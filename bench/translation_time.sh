#!/usr/bin/env bash
# How long `nestwarp compile --emit=cuda` takes for each program of tests/programs, best of three.
set -euo pipefail
cd "$(dirname "$0")/.."
nestwarp=${NESTWARP:-build/nestwarp}
total=0
failed=0
printf '%-18s %10s %8s\n' program "time (ms)" kernels
for f in tests/programs/*.c; do
  best=
  kernels=-
  for _ in 1 2 3; do
    start=$(date +%s%N)
    if out=$("$nestwarp" compile -q --emit=cuda "$f" 2>/dev/null); then
      kernels=$(grep -c '__global__' <<<"$out" || true)
    else
      kernels=FAILED
      failed=1
    fi
    ms=$((($(date +%s%N) - start) / 1000000))
    if [ -z "$best" ] || [ "$ms" -lt "$best" ]; then best=$ms; fi
  done
  printf '%-18s %10d %8s\n' "$(basename "$f" .c)" "$best" "$kernels"
  total=$((total + best))
done
printf '%-18s %10d\n' total "$total"
exit $failed
