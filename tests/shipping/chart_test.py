#!/usr/bin/env python3
"""Tests the objects that the chart renders: tests/shipping/chart_test.py HELM BINARY, called by chart.sh

Kubernetes' own objects are checked by its schemas of the oldest and the newest version. The schemas of other objects are not
available, so assertions check these. `photofinish check` reads the configuration of the pods.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import kubernetes_validate
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHART = ROOT / "deploy/chart"
COMPANY = CHART / "examples/company.yaml"
VERSIONS = ("1.28.0", "1.37.0")
OLDEST = ("--kube-version", VERSIONS[0])  # Helm's default depends on its build
LIMITED = {"key_defaults": {"rpm_limit": 60}}


def helm(*arguments):
    return subprocess.run([HELM, *map(str, arguments)], capture_output=True, text=True, timeout=120)


class Rendered:
    """Returns the objects for one set of values, by kind and name."""

    def __init__(self, values=None, *files):
        self.done = self._template(values or {}, files)
        self.objects = [each for each in yaml.safe_load_all(self.done.stdout) if each]

    @staticmethod
    def _template(values, files):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            yaml.safe_dump(values, file)
            file.flush()
            named = [word for each in (*files, file.name) for word in ("-f", each)]
            return helm("template", "pf", CHART, "--namespace", "llm", *OLDEST, *named)

    def of(self, kind, ending=""):
        found = [each for each in self.objects if each["kind"] == kind and each["metadata"]["name"].endswith(ending)]
        if len(found) != 1:
            raise AssertionError(f"{len(found)} of {kind} {ending}: {self.done.stderr}")
        return found[0]

    def pod(self):
        return self.of("Deployment")["spec"]["template"]["spec"]

    def container(self):
        return self.pod()["containers"][0]

    def configuration(self):
        return self.of("ConfigMap", "pf-photofinish")["data"]["photofinish.yaml"]

    def refusal(self):
        return self.done.stderr if self.done.returncode != 0 else ""


class Chart(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plain = Rendered()
        cls.company = Rendered({}, COMPANY)

    def test_helm_lint_has_nothing_to_say(self):
        for files in ((), ("-f", COMPANY)):
            done = helm("lint", "--strict", *OLDEST, CHART, *files)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertNotIn("[WARNING]", done.stdout)

    def test_kubernetes_takes_every_object_of_its_own(self):
        others = {"HTTPRoute", "ServiceMonitor", "PrometheusRule", "ScaledObject"}
        more = {"ingress": {"enabled": True, "host": "llm.example.com", "tlsSecret": "tls"}, "config": {"redis": {"url": "redis://r"}},
                "autoscaling": {"enabled": True}, "extraEnv": [{"name": "A", "value": "b"}], "existingSecretFiles": "files"}
        checked = set()
        for rendered in (self.plain, self.company, Rendered(more)):
            self.assertEqual(rendered.refusal(), "")
            for each in rendered.objects:
                if each["kind"] in others:
                    continue
                checked.add(each["kind"])
                for version in VERSIONS:
                    kubernetes_validate.validate(each, version, strict=True)
        self.assertEqual(checked, {"ConfigMap", "Deployment", "HorizontalPodAutoscaler", "Ingress", "NetworkPolicy", "Pod",
                                   "PodDisruptionBudget", "Service", "ServiceAccount"})

    def test_an_unknown_value_is_refused_wherever_it_stands(self):
        for values in ({"replica": 2}, {"image": {"repo": "x"}}, {"networkPolicy": {"client": []}}, {"resources": {"limit": {}}}):
            self.assertIn("additional", Rendered(values).refusal().lower(), values)

    def test_the_gateway_takes_the_file_that_its_pods_read(self):
        variables = {"PATH": "/usr/bin:/bin", "GROQ_API_KEY": "g", "CEREBRAS_API_KEY": "c", "REDIS_PASSWORD": "r",
                     "PHOTOFINISH_ID_SECRET": "s" * 32}
        with tempfile.TemporaryDirectory() as folder:
            keys = pathlib.Path(folder) / "keys.yaml"
            keys.write_text("- {name: alice, key: a-key-of-alice, team: search}\n")
            for rendered in (self.plain, self.company):
                file = pathlib.Path(folder) / "photofinish.yaml"
                file.write_text(rendered.configuration().replace("/run/secrets/photofinish/keys.yaml", str(keys)))
                done = subprocess.run([BINARY, "check", "--config", file], capture_output=True, text=True, env=variables)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_chart_writes_where_the_gateway_listens(self):
        written = yaml.safe_load(self.company.configuration())
        self.assertEqual((written["listen"], written["admin"]), ("0.0.0.0:7777", "0.0.0.0:9464"))
        self.assertEqual(written["state_dir"], "/var/lib/photofinish")
        self.assertEqual(written["key_defaults"]["tpm_limit"], 4000000)
        self.assertIn("config.listen", Rendered({"config": {"listen": "0.0.0.0:1"}}).refusal())

    def test_another_configuration_is_another_pod(self):
        def checksum(rendered):
            return rendered.of("Deployment")["spec"]["template"]["metadata"]["annotations"]["checksum/config"]

        self.assertEqual(checksum(self.plain), checksum(Rendered({"replicas": 3})))
        self.assertNotEqual(checksum(self.plain), checksum(Rendered({"config": {"log_level": "warn"}})))

    def test_a_pod_has_the_time_that_its_drain_takes(self):
        def grace(config):
            return Rendered({"config": config}).pod()["terminationGracePeriodSeconds"]

        self.assertEqual(self.plain.pod()["terminationGracePeriodSeconds"], 5 + 600 + 10)
        self.assertEqual(self.company.pod()["terminationGracePeriodSeconds"], 10 + 900 + 10)
        self.assertEqual(grace({"drain_delay": 0, "drain_timeout": "1500ms"}), 0 + 2 + 10)
        self.assertEqual(grace({"drain_timeout": "1h"}), 5 + 3600 + 10)
        self.assertIn("config.drain_timeout", Rendered({"config": {"drain_timeout": "${DRAIN:-10m}"}}).refusal())

    def test_replicas_with_limits_need_a_store(self):
        for values in ({"replicas": 2}, {"autoscaling": {"enabled": True}}):
            for config in (LIMITED, {"teams": {"a": {"max_budget": 5}}}, {"access_keys": [{"name": "a", "by_route": {"r": {"tpm_limit": 1}}}]}):
                self.assertIn("config.redis", Rendered({**values, "config": config}).refusal(), (values, config))
            self.assertEqual(Rendered({**values, "config": {**LIMITED, "redis": {"url": "redis://r"}}}).refusal(), "")
            self.assertEqual(Rendered(values).refusal(), "")
        self.assertEqual(Rendered({"replicas": 1, "config": LIMITED}).refusal(), "")

    def test_probes_ask_the_admin_address(self):
        container = self.plain.container()
        ports = {each["name"]: each["containerPort"] for each in container["ports"]}
        self.assertEqual(ports, {"http": 7777, "admin": 9464})
        asked = {name: container[name]["httpGet"] for name in ("startupProbe", "livenessProbe", "readinessProbe")}
        self.assertEqual({each["port"] for each in asked.values()}, {"admin"})
        self.assertEqual([each["path"] for each in asked.values()], ["/livez", "/livez", "/readyz"])

    def test_a_pod_has_no_right_that_it_does_not_need(self):
        for pod in (self.plain.pod(), self.plain.of("Pod", "-test")["spec"]):
            self.assertIs(pod["automountServiceAccountToken"], False)
            self.assertIs(pod["securityContext"]["runAsNonRoot"], True)
            self.assertEqual(pod["securityContext"]["runAsUser"], 65532)
            self.assertEqual(pod["securityContext"]["seccompProfile"], {"type": "RuntimeDefault"})
            own = pod["containers"][0]["securityContext"]
            self.assertIs(own["readOnlyRootFilesystem"], True)
            self.assertIs(own["allowPrivilegeEscalation"], False)
            self.assertEqual(own["capabilities"], {"drop": ["ALL"]})
        self.assertIs(self.plain.of("ServiceAccount")["automountServiceAccountToken"], False)

    def test_secrets_come_as_variables_or_as_files(self):
        container = self.company.container()
        self.assertEqual(container["envFrom"], [{"secretRef": {"name": "photofinish-env"}}])
        self.assertIn({"name": "secrets", "mountPath": "/run/secrets/photofinish", "readOnly": True}, container["volumeMounts"])
        more = Rendered({"existingSecret": "a", "extraEnvFrom": [{"configMapRef": {"name": "b"}}]}).container()
        self.assertEqual(more["envFrom"], [{"secretRef": {"name": "a"}}, {"configMapRef": {"name": "b"}}])
        self.assertNotIn("envFrom", self.plain.container())

    def test_clients_reach_the_service_and_the_admin_address_is_apart(self):
        clients, admin = self.plain.of("Service", "photofinish"), self.plain.of("Service", "-admin")
        self.assertEqual([each["targetPort"] for each in clients["spec"]["ports"]], ["http"])
        self.assertEqual((admin["spec"]["clusterIP"], admin["spec"]["ports"][0]["targetPort"]), ("None", "admin"))
        selector = self.plain.of("Deployment")["spec"]["selector"]["matchLabels"]
        for each in (clients, admin):
            self.assertEqual(each["spec"]["selector"], selector)

    def test_pods_spread_and_go_one_by_one(self):
        spread = self.plain.pod()["topologySpreadConstraints"]
        self.assertEqual([each["topologyKey"] for each in spread], ["topology.kubernetes.io/zone", "kubernetes.io/hostname"])
        self.assertEqual(self.plain.of("PodDisruptionBudget")["spec"]["maxUnavailable"], 1)
        self.assertEqual(self.plain.of("Deployment")["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"], 0)

    def test_requests_at_a_time_decide_how_many_run(self):
        scaled = Rendered({"autoscaling": {"enabled": True}})
        self.assertNotIn("replicas", scaled.of("Deployment")["spec"])
        metric = scaled.of("HorizontalPodAutoscaler")["spec"]["metrics"][0]["pods"]
        self.assertEqual(metric["metric"]["name"], "photofinish_inflight_requests")
        self.assertEqual(metric["target"], {"type": "AverageValue", "averageValue": "200"})
        keda = self.company.of("ScaledObject")["spec"]
        self.assertEqual((keda["minReplicaCount"], keda["maxReplicaCount"]), (3, 12))
        self.assertEqual(keda["triggers"][0]["metadata"]["query"],
                         'sum(photofinish_inflight_requests{namespace="llm",service="pf-photofinish-admin"})')

    def test_the_network_policy_lets_in_whom_the_values_name(self):
        policy = self.company.of("NetworkPolicy")["spec"]
        http, admin = policy["ingress"]
        self.assertEqual(http["from"][0]["namespaceSelector"]["matchLabels"], {"kubernetes.io/metadata.name": "gateways"})
        self.assertEqual([http["ports"], admin["ports"]], [[{"port": "http"}], [{"port": "admin"}]])
        self.assertEqual(len(admin["from"]), 2)
        self.assertEqual([[port["port"] for port in each["ports"]] for each in policy["egress"]], [[53, 53], [443], [6379]])
        test = self.company.of("Pod", "-test")["metadata"]["labels"]
        self.assertLessEqual(admin["from"][1]["podSelector"]["matchLabels"].items(), test.items())
        self.assertNotIn("from", self.plain.of("NetworkPolicy")["spec"]["ingress"][0])

    def test_the_network_policy_lets_out_to_every_address_in_the_configuration(self):
        def ports(config, **values):
            policy = Rendered({"config": config, **values}).of("NetworkPolicy")["spec"]
            return [[port["port"] for port in each["ports"]] for each in policy["egress"]]

        self.assertEqual(ports({"tracing": {"endpoint": "http://otel:4318"}}), [[53, 53], [443, 4318]])
        config = {
            "redis": {"url": "rediss://pf:${PASSWORD:-a/b@c}@main", "sentinel": {"master": "main", "addresses": ["s1", "s2:5000"]}},
            "providers": {"here": {"base_url": "http://127.0.0.1:8000/v1"}, "there": {"base_url": "http://engine:8001/v1?a=b"},
                          "six": {"base_url": "http://[fd00::7]:8002/v1", "proxy": "http://u:p@proxy:3128"},
                          "variable": {"base_url": "${ENGINE}"}, "hosted": {"base_url": "https://api.example.com/v1"}},
            "jwt": [{"issuer": "https://sso.example.com:1", "jwks_url": "https://sso.example.com:8443/keys"}],
            "guardrails": [{"url": "http://pii.internal"}],
            "alerts": {"webhook": "${HOOK:-http://alerts:9093/api}", "external_url": "https://llm.example.com:2"},
            "tracing": {"endpoint": "http://otel:4318", "headers": {"url": "http://h:3"}, "resource": {"url": "http://h:4"}},
        }
        opened = ports(config, extraEnv=[{"name": "HTTPS_PROXY", "value": "http://proxy:3129"}, {"name": "OTHER", "value": "http://h:5"}])
        self.assertEqual((opened[0], sorted(opened[1])),
                         ([53, 53], [80, 443, 3128, 3129, 4318, 5000, 6379, 8001, 8002, 8443, 9093, 26379]))
        self.assertEqual(len(opened), 2)
        limited = {"extraEgress": [{"to": [{"podSelector": {}}], "ports": [{"port": 4318}]}]}
        self.assertEqual(ports({"tracing": config["tracing"]}, networkPolicy=limited), [[53, 53], [443], [4318]])
        alone = {"deriveEgressPorts": False, "egressPorts": []}
        self.assertEqual(ports(config, networkPolicy=alone), [[53, 53]])

    def test_an_example_of_egress_names_the_namespace_of_its_store(self):
        (peer,) = self.company.of("NetworkPolicy")["spec"]["egress"][-1]["to"]
        self.assertEqual(peer["namespaceSelector"]["matchLabels"], {"kubernetes.io/metadata.name": "photofinish"})
        self.assertIn("@redis.photofinish.svc:", yaml.safe_load(self.company.configuration())["redis"]["url"])

    def test_routes_allow_as_much_silence_as_a_whole_answer_takes(self):
        rule = self.company.of("HTTPRoute")["spec"]["rules"][0]
        self.assertEqual(rule["timeouts"], {"request": "31m", "backendRequest": "31m"})
        self.assertEqual(rule["backendRefs"], [{"name": "pf-photofinish", "port": 80}])
        ingress = Rendered({"ingress": {"enabled": True, "host": "llm.example.com"}}).of("Ingress")
        self.assertEqual(ingress["metadata"]["annotations"]["nginx.ingress.kubernetes.io/proxy-read-timeout"], "1860")
        self.assertIn("ingress.host", Rendered({"ingress": {"enabled": True}}).refusal())
        self.assertIn("parentRefs", Rendered({"httpRoute": {"enabled": True}}).refusal())

    def test_prometheus_finds_the_pods_under_the_name_that_the_rules_know(self):
        monitor = self.company.of("ServiceMonitor")["spec"]
        labels = self.company.of("Service", "-admin")["metadata"]["labels"]
        self.assertLessEqual(monitor["selector"]["matchLabels"].items(), labels.items())
        other = self.company.of("Service", "photofinish")["metadata"]["labels"]
        self.assertFalse(monitor["selector"]["matchLabels"].items() <= other.items(), "the pods would be scraped twice")
        self.assertIn({"targetLabel": "job", "replacement": "photofinish"}, monitor["endpoints"][0]["relabelings"])

    def test_it_brings_every_rule_and_every_dashboard(self):
        rules = sorted((ROOT / "deploy/prometheus/rules").glob("*.yml"))
        for file in rules:
            rendered = self.company.of("PrometheusRule", "-" + file.stem)
            self.assertEqual(rendered["spec"], yaml.safe_load(file.read_text()))
        files = sorted((ROOT / "deploy/grafana/dashboards").glob("*.json"))
        self.assertGreaterEqual((len(rules), len(files)), (2, 5))
        brought = [each for each in self.company.objects if "grafana_dashboard" in each["metadata"].get("labels", {})]
        self.assertEqual(len(brought), len(files))
        for file in files:
            shown = self.company.of("ConfigMap", file.stem.removeprefix("photofinish-"))
            self.assertEqual(json.loads(shown["data"][file.name]), json.loads(file.read_text()))
            self.assertEqual(shown["metadata"]["labels"]["grafana_dashboard"], "1")

    def test_alerts_link_to_runbooks_where_the_values_say(self):
        def links(**values):
            rules = Rendered({"prometheusRule": {"enabled": True, **values}}).of("PrometheusRule", "-alerts")["spec"]
            return {rule["annotations"]["runbook_url"] for group in rules["groups"] for rule in group["rules"]}

        pages = {each.name for each in (ROOT / "docs/runbooks").glob("*.md")}
        for runbooks in ("https://wiki.example.com/runbooks", "https://wiki.example.com/runbooks/"):
            for link in links(runbooks=runbooks):
                self.assertRegex(link, r"^https://wiki\.example\.com/runbooks/Photofinish\w+\.md$")
                self.assertIn(link.rsplit("/", 1)[1], pages)
        self.assertIn("runbooks", Rendered({"prometheusRule": {"runbooks": "docs/runbooks"}}).refusal())

    def test_logs_in_files_have_a_volume(self):
        def of(config, **values):
            rendered = Rendered({"config": config, **values})
            self.assertEqual(rendered.refusal(), "")
            volumes = {each["name"]: each for each in rendered.pod()["volumes"]}
            mounts = {each["mountPath"]: each for each in rendered.container()["volumeMounts"]}
            return rendered, volumes.get("logs"), mounts.get("/var/log/photofinish")

        audit = {"audit_log": {"file": "/var/log/photofinish/audit.jsonl"}}
        self.assertEqual(of({})[1:], (None, None))
        for config in (audit, {"content_log": {"file": "/var/log/photofinish/content.jsonl", "routes": ["r"]}}):
            _, volume, mount = of(config, logs={"sizeLimit": "2Gi"})
            self.assertEqual((volume["emptyDir"], mount["name"]), ({"sizeLimit": "2Gi"}, "logs"))
        rendered, volume, mount = of(audit, logs={"existingClaim": "audit"}, extraEnv=[{"name": "A", "value": "b"}])
        self.assertEqual(volume["persistentVolumeClaim"], {"claimName": "audit"})
        self.assertEqual(mount["subPathExpr"], "$(PHOTOFINISH_POD)")
        self.assertEqual([each["name"] for each in rendered.container()["env"]], ["PHOTOFINISH_POD", "A"])
        for version in VERSIONS:
            kubernetes_validate.validate(rendered.of("Deployment"), version, strict=True)
        for file in ("/var/log/audit.jsonl", "/var/log/photofinish-audit.jsonl", "/etc/photofinish/audit.jsonl"):
            self.assertIn("audit_log", Rendered({"config": {"audit_log": {"file": file}}}).refusal(), file)
        mounted = {"extraVolumes": [{"name": "a", "emptyDir": {}}], "extraVolumeMounts": [{"name": "a", "mountPath": "/audit/"}]}
        of({"audit_log": {"file": "/audit/audit.jsonl"}}, **mounted)
        of({"audit_log": {"file": "${AUDIT_FILE}"}})

    def test_a_test_of_the_release_asks_whether_it_is_ready(self):
        pod = self.plain.of("Pod", "-test")
        self.assertEqual(pod["metadata"]["annotations"]["helm.sh/hook"], "test")
        self.assertEqual(pod["spec"]["containers"][0]["args"], ["health", "http://pf-photofinish-admin:9464"])

    def test_an_image_is_named_by_its_digest_where_one_is_given(self):
        self.assertTrue(self.plain.container()["image"].startswith("photofinish:0."))
        digest = "sha256:" + "0" * 64
        self.assertEqual(Rendered({"image": {"digest": digest}}).container()["image"], f"photofinish@{digest}")


if __name__ == "__main__":
    BINARY = sys.argv.pop()
    HELM = sys.argv.pop()
    unittest.main()
