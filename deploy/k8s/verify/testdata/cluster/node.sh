# Of TestPods: node $1, which is containerd, kubelet, kube-proxy and the enforcer of
# NetworkPolicies, in the network and mount namespaces that it is started in.
set -euo pipefail
again() { # again NAME COMMAND...: runs it, again when it ends
  while :; do "${@:2}" >>"$RUN/$1.log" 2>&1 || true; sleep 1; done
}
n=$1 dir=$RUN/node$1
rm -rf "/run/node$n" # a machine that starts again
mkdir -p "$dir/kubelet" "$dir/cni" /var/lib/kubelet /var/log/containers "/run/node$n"
mount --bind "$dir/kubelet" /var/lib/kubelet
mount --make-rshared /var/lib/kubelet
mount -t tmpfs tmpfs /var/log/containers
# What the kubelet sets belongs to the whole machine: it sees copies.
for f in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops kernel/keys/root_maxkeys kernel/keys/root_maxbytes; do
  cat "/proc/sys/$f" >"/run/node$n/${f##*/}" && mount --bind "/run/node$n/${f##*/}" "/proc/sys/$f"
done
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
  mkdir -p "/sys/fs/cgroup/kube-node$n"
else # control groups of version 1
  for c in /sys/fs/cgroup/*/; do
    [ "$c" = /sys/fs/cgroup/unified/ ] || mkdir -p "${c}kube-node$n"
  done
  for f in cpuset.cpus cpuset.mems; do cat "/sys/fs/cgroup/cpuset/$f" >"/sys/fs/cgroup/cpuset/kube-node$n/$f"; done
fi

cat >"$dir/cni/10-pods.conflist" <<END
{"cniVersion": "0.4.0", "name": "pods", "plugins": [{"type": "bridge", "bridge": "cni0", "isGateway": true, "hairpinMode": true,
  "ipam": {"type": "host-local", "dataDir": "/run/node$n/ipam", "ranges": [[{"subnet": "198.18.$n.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}}]}
END
cat >"$dir/containerd.toml" <<END
version = 2
root = "$dir/containerd"
state = "/run/node$n/containerd"
disabled_plugins = ["io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.devmapper"]
[grpc]
address = "/run/node$n/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "cluster:1"
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = "$dir/cni"
END
cat >"$dir/kubelet.yaml" <<END
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
containerRuntimeEndpoint: unix:///run/node$n/containerd.sock
cgroupDriver: cgroupfs
cgroupRoot: /kube-node$n
failSwapOn: false
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
clusterDNS: [198.19.0.10]
clusterDomain: cluster.local
resolvConf: ""
podLogsDir: $dir/logs
evictionHard: {memory.available: 100Mi, nodefs.available: 2%, imagefs.available: 2%}
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
nodeStatusUpdateFrequency: 5s
END
again "node$n/containerd" containerd --config "$dir/containerd.toml" &
ctr() { command ctr --address "/run/node$n/containerd.sock" --namespace k8s.io "$@"; }
until ctr version >/dev/null 2>&1; do sleep 0.5; done
for image in "$IMAGES"/*.tar; do ctr images import "$image"; done
again "node$n/proxy" kube-proxy --kubeconfig="$RUN/admin.conf" --hostname-override="node$n" --proxy-mode=iptables --cluster-cidr=198.18.0.0/16 --conntrack-max-per-core=0 --conntrack-tcp-timeout-established=0 --conntrack-tcp-timeout-close-wait=0 &
API=https://198.18.0.1:6443 TOKEN=admin-token again "node$n/policy" policy &
again "node$n/kubelet" kubelet --config="$dir/kubelet.yaml" --kubeconfig="$RUN/node$n.conf" --hostname-override="node$n" --node-ip="198.18.0.$n" --pod-infra-container-image=cluster:1 &
wait
