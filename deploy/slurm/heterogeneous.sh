#!/usr/bin/env bash
# One job with a small part for the coordinator and nodes for workers, which start together:
#
#     sbatch heterogeneous.sh grid.yaml out/grid
#
# The same command resumes a run whose time was over.
#SBATCH --job-name=agepath
#SBATCH --time=04:00:00
#SBATCH --ntasks=1 --cpus-per-task=1 --mem=4G
#SBATCH hetjob
#SBATCH --time=04:00:00
#SBATCH --nodes=4 --ntasks-per-node=1 --cpus-per-task=8
set -euo pipefail
grid=$1 out=$2

end=${SLURM_JOB_END_TIME:-$(squeue --noheader --jobs="$SLURM_JOB_ID" --format=%e | head -n 1)}
limit=()
[[ $end == [0-9]* ]] && limit=(--until "$end") # there can be no limit

before=$(cat "$out/worker.yaml" 2>/dev/null || true) # of a coordinator that was killed: each has another token
srun --het-group=0 coordinator run "$grid" --out "$out" --listen :0 --workers 0 &
coordinator=$!
while [ ! -s "$out/worker.yaml" ] || [ "$(cat "$out/worker.yaml")" = "$before" ]; do
  if ! kill -0 "$coordinator" 2>/dev/null; then # nothing to compute, or an error
    wait "$coordinator"
    exit
  fi
  sleep 1
done

slots=$SLURM_CPUS_PER_TASK_HET_GROUP_1
status=0
srun --het-group=1 --cpus-per-task="$slots" \
  worker --config "$out/worker.yaml" --drain --slots "$slots" "${limit[@]}" || status=$?
if [ "$status" != 0 ]; then # cells can be left: the folder has what was computed
  for _ in {1..60}; do
    kill -0 "$coordinator" 2>/dev/null || break
    sleep 1
  done
  kill "$coordinator" 2>/dev/null || true
fi
wait "$coordinator"
