# Of TestPods: the control plane and two nodes of a cluster, as the first process of network,
# mount and PID namespaces of their own, from which no packet leaves the machine. RUN is the
# cluster's folder, IMAGES has what the nodes import, HERE has node.sh; programs are in the PATH.
set -euo pipefail
trap exit TERM
mount -t tmpfs tmpfs /run
export KUBECONFIG=$RUN/admin.conf

# The first node is in this network namespace, the second behind a bridge.
ip link set lo up
ip link add nodes type bridge && ip address add 198.18.0.1/24 dev nodes && ip link set nodes up
mkdir -p /run/netns && touch /run/netns/node2
unshare --net=/run/netns/node2 true
ip link add node2 type veth peer name eth0
ip link set eth0 netns node2 && ip link set node2 master nodes up
in2() { nsenter --net=/run/netns/node2 "$@"; }
in2 ip link set lo up && in2 ip address add 198.18.0.2/24 dev eth0 && in2 ip link set eth0 up
ip route add 198.18.2.0/24 via 198.18.0.2 && in2 ip route add 198.18.1.0/24 via 198.18.0.1
ip route add default dev nodes && in2 ip route add default dev eth0
for on in '' in2; do $on sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward; echo 1 >/proc/sys/net/bridge/bridge-nf-call-iptables'; done

openssl genrsa -out "$RUN/sa.key" 2048 2>/dev/null
cat >"$RUN/tokens.csv" <<END
admin-token,admin,1,system:masters
node1-token,system:node:node1,2,system:nodes
node2-token,system:node:node2,3,system:nodes
END
for user in admin node1 node2; do
  printf '%s\n' 'apiVersion: v1' 'kind: Config' 'current-context: c' 'contexts: [{name: c, context: {cluster: c, user: u}}]' \
    'clusters: [{name: c, cluster: {server: "https://198.18.0.1:6443", insecure-skip-tls-verify: true}}]' \
    "users: [{name: u, user: {token: $user-token}}]" >"$RUN/$user.conf"
done

again() { # again NAME COMMAND...: runs it, again when it ends
  while :; do "${@:2}" >>"$RUN/$1.log" 2>&1 || true; sleep 1; done
}
again etcd etcd --data-dir=/run/etcd &
again apiserver kube-apiserver --etcd-servers=http://127.0.0.1:2379 --service-cluster-ip-range=198.19.0.0/24 --advertise-address=198.18.0.1 \
  --token-auth-file="$RUN/tokens.csv" --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction --cert-dir=/run/apiserver \
  --service-account-issuer=https://kubernetes.default.svc --service-account-key-file="$RUN/sa.key" --service-account-signing-key-file="$RUN/sa.key" \
  --allow-privileged --kubelet-preferred-address-types=InternalIP &
until kubectl get --raw /readyz >/dev/null 2>&1; do sleep 0.5; done
again manager kube-controller-manager --kubeconfig="$KUBECONFIG" --leader-elect=false --service-account-private-key-file="$RUN/sa.key" --node-monitor-grace-period=20s &
again scheduler kube-scheduler --kubeconfig="$KUBECONFIG" --authentication-kubeconfig="$KUBECONFIG" --authorization-kubeconfig="$KUBECONFIG" --leader-elect=false &
unshare --mount bash "$HERE/node.sh" 1 &
nsenter --net=/run/netns/node2 unshare --mount bash "$HERE/node.sh" 2 &
until kubectl apply -f - <<END
apiVersion: v1
kind: Service
metadata: {name: kube-dns, namespace: kube-system}
spec:
  clusterIP: 198.19.0.10
  selector: {k8s-app: kube-dns}
  ports: [{name: udp, port: 53, protocol: UDP}, {name: tcp, port: 53, protocol: TCP}]
---
apiVersion: v1
kind: Pod
metadata: {name: dns, namespace: kube-system, labels: {k8s-app: kube-dns}}
spec:
  nodeName: node1
  tolerations: [{operator: Exists}]
  containers:
    - {name: dns, image: "cluster:1", command: [/dns], env: [{name: API, value: "https://198.18.0.1:6443"}, {name: TOKEN, value: admin-token}]}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: local, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
END
do sleep 1; done # the first accounts and namespaces are not there at once
wait
