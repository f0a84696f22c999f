//go:build linux

package verify

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// TestMain makes the test binary some programs of the cluster, by its name.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "pause": // keeps the namespaces of a pod
		time.Sleep(1 << 62)
	case "dns":
		log.Fatal(serveNames())
	case "policy":
		enforce()
	}
	os.Exit(m.Run())
}

var server = http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}

// listed asks the API server at API for all objects of a type.
func listed[T any](path string) (items []T, err error) {
	request, err := http.NewRequest(http.MethodGet, os.Getenv("API")+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
	response, err := server.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var all struct{ Items []T }
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", path, response.Status)
	}
	return all.Items, json.NewDecoder(response.Body).Decode(&all)
}

// names are the addresses of each name below cluster.local, without any for a headless Service
// that no pod is ready for.
func names() (map[string][][4]byte, error) {
	services, err := listed[corev1.Service]("/api/v1/services")
	if err != nil {
		return nil, err
	}
	endpoints, err := listed[discoveryv1.EndpointSlice]("/apis/discovery.k8s.io/v1/endpointslices")
	if err != nil {
		return nil, err
	}
	all := map[string][][4]byte{}
	add := func(name, address string) {
		if ip := net.ParseIP(address).To4(); ip != nil {
			all[name] = append(all[name], [4]byte(ip))
		}
	}
	headless := map[string]bool{}
	for _, s := range services {
		name := s.Name + "." + s.Namespace + ".svc.cluster.local."
		if headless[name] = s.Spec.ClusterIP == corev1.ClusterIPNone; headless[name] {
			all[name] = nil
		} else {
			add(name, s.Spec.ClusterIP)
		}
	}
	for _, s := range endpoints {
		name := s.Labels[discoveryv1.LabelServiceName] + "." + s.Namespace + ".svc.cluster.local."
		for _, e := range s.Endpoints {
			if !headless[name] || e.Conditions.Ready != nil && !*e.Conditions.Ready {
				continue // publishNotReadyAddresses makes all of them ready
			}
			for _, address := range e.Addresses {
				add(name, address)
				if e.Hostname != nil {
					add(*e.Hostname+"."+name, address)
				}
			}
		}
	}
	return all, nil
}

// serveNames answers questions for addresses as a cluster's DNS does, over UDP and TCP.
func serveNames() error {
	var known atomic.Pointer[map[string][][4]byte]
	known.Store(&map[string][][4]byte{})
	go func() { // ends with the program
		for ; ; time.Sleep(time.Second) {
			if all, err := names(); err != nil {
				log.Print(err)
			} else {
				known.Store(&all)
			}
		}
	}()
	answer := func(question []byte) []byte {
		var m dnsmessage.Message
		if m.Unpack(question) != nil || len(m.Questions) == 0 {
			return nil
		}
		m.Response, m.Authoritative, m.RecursionAvailable, m.Additionals = true, true, true, nil
		q := m.Questions[0]
		addresses, found := (*known.Load())[strings.ToLower(q.Name.String())]
		if !found {
			m.RCode = dnsmessage.RCodeNameError
		}
		for _, a := range addresses {
			if q.Type == dnsmessage.TypeA {
				m.Answers = append(m.Answers, dnsmessage.Resource{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 5}, Body: &dnsmessage.AResource{A: a},
				})
			}
		}
		packed, _ := m.Pack()
		return packed
	}
	udp, err := net.ListenPacket("udp", ":53")
	if err != nil {
		return err
	}
	tcp, err := net.Listen("tcp", ":53")
	if err != nil {
		return err
	}
	go func() { // ends with the program
		for {
			c, err := tcp.Accept()
			if err != nil {
				log.Fatal(err)
			}
			go func() {
				defer c.Close()
				var size uint16
				if binary.Read(c, binary.BigEndian, &size) != nil {
					return
				}
				question := make([]byte, size)
				if _, err := io.ReadFull(c, question); err == nil {
					text := answer(question)
					_, _ = c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(text))), text...))
				}
			}()
		}
	}()
	for question := make([]byte, 4096); ; {
		n, from, err := udp.ReadFrom(question)
		if err != nil {
			return err
		}
		_, _ = udp.WriteTo(answer(question[:n]), from)
	}
}

// enforce keeps the rules of nftables that NetworkPolicies ask for, between the pods of the node
// whose network it is in. Established connections pass, and what the node itself sends (probes).
func enforce() {
	for last := ""; ; time.Sleep(500 * time.Millisecond) {
		text, err := filters()
		if err == nil && text != last {
			nft := exec.Command("nft", "-f", "-")
			nft.Stdin, nft.Stderr = strings.NewReader(text), os.Stderr
			if err = nft.Run(); err == nil {
				last = text
			}
		}
		if err != nil {
			log.Print(err)
		}
	}
}

// filters are the rules of nftables for all pods and policies.
func filters() (string, error) {
	pods, err := listed[corev1.Pod]("/api/v1/pods")
	if err != nil {
		return "", err
	}
	policies, err := listed[networkingv1.NetworkPolicy]("/apis/networking.k8s.io/v1/networkpolicies")
	if err != nil {
		return "", err
	}
	namespaces, err := listed[corev1.Namespace]("/api/v1/namespaces")
	if err != nil {
		return "", err
	}
	pods = slices.DeleteFunc(pods, func(p corev1.Pod) bool {
		return p.Spec.HostNetwork || p.Status.PodIP == "" || p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
	})
	in := map[string]labels.Set{}
	for _, n := range namespaces {
		in[n.Name] = n.Labels
	}
	var chains, jumps bytes.Buffer
	for i := range pods {
		for _, direction := range []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress} {
			mine, theirs := "daddr", "saddr"
			if direction == networkingv1.PolicyTypeEgress {
				mine, theirs = theirs, mine
			}
			isolated := false
			var lines []string
			for _, policy := range policies {
				if policy.Namespace != pods[i].Namespace || !slices.Contains(policy.Spec.PolicyTypes, direction) || !chooses(&policy.Spec.PodSelector, pods[i].Labels) {
					continue
				}
				isolated = true
				if direction == networkingv1.PolicyTypeEgress {
					for _, rule := range policy.Spec.Egress {
						lines = append(lines, passes(policy.Namespace, theirs, rule.To, rule.Ports, pods, in, nil)...)
					}
				} else {
					for _, rule := range policy.Spec.Ingress {
						lines = append(lines, passes(policy.Namespace, theirs, rule.From, rule.Ports, pods, in, &pods[i])...)
					}
				}
			}
			if isolated {
				name := fmt.Sprintf("%s_%d", direction, i)
				fmt.Fprintf(&jumps, "ip %s %s jump %s\n", mine, pods[i].Status.PodIP, name)
				fmt.Fprintf(&chains, "chain %s {\n%s\ncounter drop\n}\n", name, strings.Join(lines, "\n"))
			}
		}
	}
	return fmt.Sprintf("table ip policies\ndelete table ip policies\ntable ip policies {\n%schain forward {\n"+
		"type filter hook forward priority -10; policy accept;\nct state established,related accept\n%s}\n}\n", &chains, &jumps), nil
}

// passes are the rules for what one rule of a policy allows: its peers, at its ports of the pod to,
// or of the peer.
func passes(namespace, theirs string, peers []networkingv1.NetworkPolicyPeer, ports []networkingv1.NetworkPolicyPort, pods []corev1.Pod, in map[string]labels.Set, to *corev1.Pod) (lines []string) {
	add := func(address string, peer *corev1.Pod) {
		if to != nil {
			peer = to
		}
		if len(ports) == 0 {
			lines = append(lines, address+" return")
		}
		for _, port := range ports {
			number := port.Port.IntValue()
			if port.Port.Type == intstr.String && peer != nil {
				for _, c := range peer.Spec.Containers {
					for _, p := range c.Ports {
						if p.Name == port.Port.StrVal {
							number = int(p.ContainerPort)
						}
					}
				}
			}
			if number != 0 {
				lines = append(lines, fmt.Sprintf("%s %s dport %d return", address, strings.ToLower(string(*port.Protocol)), number))
			}
		}
	}
	if len(peers) == 0 {
		add("", nil)
	}
	for _, peer := range peers {
		if peer.IPBlock != nil {
			log.Fatal("a policy has a block of addresses, which is not known here")
		}
		for i := range pods {
			at := &pods[i]
			if (peer.NamespaceSelector == nil && at.Namespace == namespace || peer.NamespaceSelector != nil && chooses(peer.NamespaceSelector, in[at.Namespace])) &&
				(peer.PodSelector == nil || chooses(peer.PodSelector, at.Labels)) {
				add("ip "+theirs+" "+at.Status.PodIP, at)
			}
		}
	}
	return lines
}

// chooses reports whether a selector, which selects everything where it is empty, selects labels.
func chooses(selector *metav1.LabelSelector, set labels.Set) bool {
	s, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && s.Matches(set)
}
