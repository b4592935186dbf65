#!/usr/bin/env python3
"""Tests troubles of gateways and of their store: files that a reload refuses, full disks, a certificate that expires soon, and
a store that is frozen, contains keys of other programs or loses its data. Each alert must name the gateway, reach the right
receiver, and end.

    tests/fleet/gateways_test.py BINARY
Full disks are file systems of 256 KiB in a separate mount namespace. Their tests are skipped if this process may not create the
namespace.
"""

import os
import re
import signal
import ssl
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
from stage import PATIENCE_S, Stage, lasting_port, run_tests
from servers import wait_until

ROUTES = {"main": ("policy: fallback", ["first", "second"]), "other": ("policy: fallback", ["second"])}
RATES = {"main": 6, "other": 3}
NAMESPACE = "PHOTOFINISH_TEST_NAMESPACE"  # "mounted", or "none" if this process may not mount
REFUSED = "PhotofinishReloadRefused"
TICKET_S, PAGE_S, END_S = 240, 180, 420
SETTINGS = {"loss_window": "3m", "restored_window": "3m"}  # otherwise these alerts end after up to an hour
DAY_S = 86400


class FrontDoor:
    """A gateway that terminates TLS itself. Prometheus scrapes it together with the other gateways."""

    def __init__(self, stage):
        self._stage, self.port, self.admin = stage, lasting_port(), lasting_port()
        self.folder = stage.house.folder / "front"
        self.folder.mkdir()
        self.make_pair("tls", days=60)
        stage.house.start_gateway(
            f"listen: 127.0.0.1:{self.port}\nadmin: 127.0.0.1:{self.admin}\nstate_dir: none\n"
            f"tls: {{cert_file: {self.folder}/tls.crt, key_file: {self.folder}/tls.key}}\n"
            f"providers:\n  first: {{base_url: 'http://127.0.0.1:{stage.provider_ports['first']}/v1', api_key: none}}\n"
            "routes:\n  main: {targets: [first/sim-model]}\n", "front")

    @property
    def instance(self):
        return f"127.0.0.1:{self.admin}"

    def make_pair(self, name, days):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
             "-days", str(days), "-subj", "/CN=127.0.0.1",
             "-out", self.folder / f"{name}.crt", "-keyout", self.folder / f"{name}.key"],
            check=True, capture_output=True)

    def days_left(self):
        """Returns the number of days until the served certificate expires."""
        pem = ssl.get_server_certificate(("127.0.0.1", self.port))
        said = subprocess.run(["openssl", "x509", "-noout", "-enddate"], input=pem, capture_output=True, text=True,
                              check=True)
        return (ssl.cert_time_to_seconds(said.stdout.strip().partition("=")[2]) - time.time()) / DAY_S

    def replace_one_after_the_other(self, days):
        self.make_pair("new", days)
        (self.folder / "new.crt").rename(self.folder / "tls.crt")
        time.sleep(4)  # longer than the gateway's interval between checks of its files
        assert self.days_left() > 30, "half of a new pair is in use"
        (self.folder / "new.key").rename(self.folder / "tls.key")


class Gateways(unittest.TestCase):
    def test_troubles_of_gateways_and_of_their_store(self):
        self.stage = self.enterContext(
            Stage(sys.argv[1], ROUTES, SETTINGS, prepare=self.mount_small_disks, more=FrontDoor))
        self.addCleanup(self.unmount_small_disks)
        self.refuses, self.loses_keys, self.is_full = self.stage.gateways
        self.missing = []
        self.expected = [("PhotofinishConfigsDiffer", "tickets", {})]  # the gateway with TLS has its own configuration file
        with self.stage.traffic(RATES) as traffic:
            time.sleep(30)
            self.assertEqual([str(each) for each in self.stage.receivers.notices], [], "an alert without a trouble")
            self.files_and_disks()
            self.frozen_store()
            self.foreign_keys_in_the_store()
            self.store_forgets()
        failed = traffic.failed()
        print(f"{len(failed)} of {len(traffic.of())} requests failed in all troubles")
        firing = [each for each in self.stage.receivers.notices if each.status == "firing"]
        wrong = [str(each) for each in firing if not self.is_expected(each)]
        if self.missing or wrong:
            self.fail("\n".join(["missing:", *self.missing, "not expected:", *wrong]))
        self.assertLess(len(failed), 0.01 * len(traffic.of()), failed[:3])

    def mount_small_disks(self, stage):
        if os.environ.get(NAMESPACE) == "mounted":
            for part in ("content", "state"):
                folder = stage.gateways[2].folder / part
                subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder], check=True)

    def unmount_small_disks(self):
        if os.environ.get(NAMESPACE) == "mounted":
            for part in ("content", "state"):
                subprocess.run(["umount", "--lazy", self.is_full.folder / part], check=True)

    def is_expected(self, notice):
        return any(notice.receiver == receiver and notice.matches(name, labels)
                   for name, receiver, labels in self.expected)

    def expect(self, name, receiver, seconds, since, **labels):
        """Waits for the alert. Missing alerts are reported only at the end, so that every trouble is tried."""
        self.expected.append((name, receiver, labels))
        try:
            self.stage.wait_for_alert(name, receiver, max(1, since + seconds - time.monotonic()), since, **labels)
            return [(name, labels)]
        except AssertionError as failed:
            self.missing.append(str(failed))
            return []

    def expect_end(self, came, since):
        for name, labels in came:
            try:
                self.stage.wait_for_end(name, max(1, since + END_S - time.monotonic()), since, **labels)
            except AssertionError as failed:
                self.missing.append(str(failed))

    def files_and_disks(self):
        """Four gateways have different troubles at the same time."""
        began = time.monotonic()
        front = self.stage.more
        before = {each: (each.configuration.read_text(), each.keys.read_text()) for each in self.stage.gateways}
        self.refuse_broken_files(before[self.refuses][0])
        self.drop_store_then_keys(*before[self.loses_keys])
        front.replace_one_after_the_other(days=3)
        wait_until("the new pair is shown", PATIENCE_S, lambda: front.days_left() < 4)
        disks = os.environ.get(NAMESPACE) == "mounted"
        if disks:
            self.fill_disks()
        else:
            print("skip  fleet: full disks: this process may not mount a file system")

        came = []
        for each in (self.refuses, self.loses_keys):
            came += self.expect(REFUSED, "tickets", TICKET_S, began, instance=re.escape(each.instance))
        if disks:
            full = re.escape(self.is_full.instance)
            came += self.expect("PhotofinishContentLinesLost", "tickets", TICKET_S, began, instance=full)
            came += self.expect("PhotofinishStateNotWritable", "tickets", TICKET_S, began, instance=full)
        pending = [labels["instance"] for labels in self.stage.alerts("pending", "PhotofinishCertificateExpiry")]
        if pending != [front.instance]:
            self.missing.append(f"PhotofinishCertificateExpiry is pending for {pending}, not for {front.instance}")

        mended = time.monotonic()
        for each, (configuration, keys) in before.items():
            each.configuration.write_text(configuration)
            each.keys.write_text(keys)
            each.reload()
        if disks:
            for part in ("content", "state"):
                (self.is_full.folder / part / "filler").unlink()
        self.expect_end(came, mended)

    def refuse_broken_files(self, text):
        """Each kind of broken file is refused, and the running configuration stays in use."""
        path = self.refuses.configuration
        kinds = {"empty": b"", "cut": text[:len(text) // 2].encode(), "binary": bytes(range(256)) * 8, "missing": None}
        for kind, data in kinds.items():
            path.unlink() if data is None else path.write_bytes(data)
            self.is_refused(self.refuses, kind)
            if kind != "missing":
                path.write_text(text)
                self.refuses.reload()
                wait_until(f"{kind}: mended", PATIENCE_S, lambda: self.last_reload(self.refuses) == 1)

    def drop_store_then_keys(self, text, keys):
        gateway = self.loses_keys
        without = [line for line in text.splitlines(True) if not line.startswith("redis:")]
        gateway.configuration.write_text("".join(without))
        self.is_refused(gateway, "without redis")
        gateway.configuration.write_text(text)
        gateway.reload()
        wait_until("with redis again", PATIENCE_S, lambda: self.last_reload(gateway) == 1)
        gateway.keys.write_text(keys.splitlines(True)[0])  # keeps only one of nine keys
        self.is_refused(gateway, "keys cut")

    def is_refused(self, gateway, kind):
        gateway.reload()
        try:
            wait_until(f"a reload is refused: {kind}", 15, lambda: self.last_reload(gateway) == 0)
        except AssertionError as failed:
            self.missing.append(str(failed))

    def last_reload(self, gateway):
        return gateway.metric("photofinish_config_last_reload_successful")

    def fill_disks(self):
        for part in ("content", "state"):
            with open(self.is_full.folder / part / "filler", "wb", buffering=0) as filler:
                try:
                    while True:
                        filler.write(bytes(512))
                except OSError:
                    pass

    def all_instances(self):
        return [re.escape(each.instance) for each in self.stage.gateways]

    def frozen_store(self):
        began = time.monotonic()
        store = self.stage.house.processes["redis"]
        store.send_signal(signal.SIGSTOP)
        try:
            came = []
            for instance in self.all_instances():
                came += self.expect("PhotofinishStoreDown", "pages", PAGE_S, began, instance=instance)
        finally:
            store.send_signal(signal.SIGCONT)
        self.expect_end(came, time.monotonic())

    def foreign_keys_in_the_store(self):
        """Every key of the store that gateways use for limits gets a wrong type."""
        began = time.monotonic()
        came = []
        self.turn_keys("LPUSH")
        came += self.expect("PhotofinishStoreRefuses", "tickets", TICKET_S, began)
        for key in self.limit_keys():
            self.stage.redis("DEL", key)
        self.expect_end(came, time.monotonic())
        # The sums under these keys are gone as well.
        self.expected.append(("PhotofinishBudgetsRestored", "tickets", {}))

    def limit_keys(self):
        return [key for part in ("spend", "budget") for key in
                self.stage.redis("--scan", "--pattern", f"pf:{part}*").split()]

    def turn_keys(self, command):
        for key in self.limit_keys():
            script = f"redis.call('DEL', KEYS[1]) redis.call('{command}', KEYS[1], 'foreign')"
            self.stage.redis("EVAL", script, "1", key)

    def store_forgets(self):
        """The store is emptied, and later restarted without data. This causes one ticket, and no page alert because the sums
        are restored immediately."""
        began = time.monotonic()
        self.stage.redis("FLUSHALL")
        time.sleep(5)
        process = self.stage.house.processes.pop("redis")
        process.kill()
        process.wait()
        self.stage.start_redis()
        came = self.expect("PhotofinishBudgetsRestored", "tickets", TICKET_S, began)
        self.expect_end(came, time.monotonic())


def enter_namespace():
    """Starts this script again in a mount namespace, in which it may mount file systems that no other process sees."""
    if NAMESPACE in os.environ:
        return
    for way in (["unshare", "--mount"], ["unshare", "--map-root-user", "--mount"]):
        if subprocess.run([*way, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True).returncode == 0:
            os.execvpe("unshare", [*way, sys.executable, *sys.argv], {**os.environ, NAMESPACE: "mounted"})
    os.environ[NAMESPACE] = "none"


if __name__ == "__main__":
    enter_namespace()
    run_tests()
