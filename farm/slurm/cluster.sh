#!/usr/bin/env bash
# farm/slurm/cluster.sh COMMAND...: runs a command beside a cluster of this machine that is there for it alone. As root.
set -euo pipefail
state=$(mktemp -d)
# Munge wants to know who could change its files.
chmod 755 "$state"
mkdir -p "$state"/{ctld,d}
started=()
end() {
    for one in "${started[@]}"; do kill "$one" 2>/dev/null || true; done
    wait
    rm -rf "$state"
}
trap end EXIT

head -c 1024 /dev/urandom >"$state/key"
chmod 400 "$state/key"
munged --foreground --force --key-file="$state/key" --socket="$state/munge" --pid-file="$state/munge.pid" \
    --log-file="$state/munge.log" --seed-file="$state/seed" 2>>"$state/munge.err" &
started+=($!)
# Ports that are hardly taken, apart from those of a cluster that is there.
port=$((20000 + $$ % 20000))
host=$(hostname -s)
cores=$(nproc)
cat >"$state/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$state/munge
CredType=cred/munge
StateSaveLocation=$state/ctld
SlurmdSpoolDir=$state/d
SlurmctldPidFile=$state/ctld.pid
SlurmdPidFile=$state/d.pid
SlurmctldLogFile=$state/ctld.log
SlurmdLogFile=$state/d.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cores State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$state/slurm.conf FARM_CLUSTER=1
# Ready once somebody can sign.
for _ in $(seq 100); do munge --socket="$state/munge" -n >/dev/null 2>&1 && break; sleep 0.05; done
slurmctld -D >"$state/ctld.out" 2>&1 &
started+=($!)
slurmd -D -N "$host" >"$state/d.out" 2>&1 &
started+=($!)
for _ in $(seq 200); do sinfo -h -o %T 2>/dev/null | grep -q idle && break; sleep 0.1; done
sinfo -h -o %T | grep -q idle || { cat "$state"/*.log "$state"/*.out; exit 1; }

"$@" || { code=$?; cat "$state"/*.log >&2; exit "$code"; }
