#!/usr/bin/env bash
# Workers for a run that listens, each on its own, a slot for each core:
#
#     sbatch --wrap='coordinator run grid.yaml --out out/grid --listen :0 --workers 0'
#     sbatch array.sh out/grid
#
# A task whose time is over is queued again while cells are left.
#SBATCH --job-name=agepath-worker
#SBATCH --array=1-20
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=8
#SBATCH --time=01:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail
file=$1/worker.yaml
task=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID # SLURM_JOB_ID can mean the whole array

for _ in {1..120}; do # until the cells are queued
  [ -s "$file" ] && break
  sleep 1
done
[ -s "$file" ] || exit 0 # the run is complete

end=${SLURM_JOB_END_TIME:-$(squeue --noheader --jobs="$task" --format=%e)}
limit=()
[[ $end == [0-9]* ]] && limit=(--until "$end") # there can be no limit

# The file of a coordinator that was killed stays until the next one replaces it.
for _ in {1..20}; do
  status=0 began=$SECONDS
  srun --cpus-per-task="$SLURM_CPUS_PER_TASK" \
    worker --config "$file" --drain --slots "$SLURM_CPUS_PER_TASK" --connect-wait 30s "${limit[@]}" || status=$?
  [ "$status" = 1 ] && [ -s "$file" ] && [ $((SECONDS - began)) -lt 60 ] || break
done
if [ "$status" = 130 ]; then # cells are left
  scontrol requeue "$task"
fi
exit "$status"
