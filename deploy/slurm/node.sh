#!/usr/bin/env bash
# A grid on one node, a slot for each core:
#
#     sbatch node.sh grid.yaml out/grid
#
# When the time is over and cells are left, the job is queued again and resumes.
#SBATCH --job-name=agepath
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=8
#SBATCH --time=04:00:00
#SBATCH --signal=TERM@120
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail
grid=$1 out=$2

status=0
srun --cpus-per-task="$SLURM_CPUS_PER_TASK" \
  coordinator run "$grid" --out "$out" --workers "$SLURM_CPUS_PER_TASK" || status=$?
if [ "$status" = 130 ]; then # SIGTERM: the folder has what was computed
  scontrol requeue "$SLURM_JOB_ID"
fi
exit "$status"
