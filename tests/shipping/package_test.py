#!/usr/bin/env python3
"""Tests the Debian package: tests/shipping/package_test.py BINARY

deploy/package.sh makes it from the binary, lintian checks it, and apt installs it in a separate Debian system.
"""

import io
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest

sys.dont_write_bytecode = True
import shipping
from shipping import DEPLOY, output_of


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="photofinish-package-")
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.folder.chmod(0o755)
        cls.deb = shipping.make_package(BINARY, cls.folder)

    def field(self, name):
        return output_of("dpkg-deb", "-f", self.deb, name).strip()

    def test_lintian_finds_no_error_and_no_warning(self):
        self.assertEqual(shipping.complaints_of(self.deb), [])

    def test_the_same_commit_gives_the_same_bytes(self):
        again = shipping.make_package(BINARY, self.folder / "again")
        self.assertEqual(self.deb.name, again.name)
        self.assertEqual(self.deb.read_bytes(), again.read_bytes())

    def test_it_depends_on_the_package_of_each_library(self):
        needed = shipping.provided_by(re.findall(r"(?:^|, )([a-z0-9.+-]+)", self.field("Depends")))
        self.assertGreater(len(needed), 8)
        libraries = shipping.packages_of_libraries(BINARY)
        self.assertGreater(len(libraries), 8)
        # Only direct dependencies are compared. The others are packages that the libraries need themselves.
        direct = shipping.packages_of_libraries(BINARY, is_direct=True)
        self.assertEqual(direct - needed, set(), f"needed: {needed}")

    def test_the_image_installs_what_it_depends_on(self):
        needed = shipping.provided_by(re.findall(r"(?:^|, )([a-z0-9.+-]+)", self.field("Depends")))
        lines = (DEPLOY / "Dockerfile").read_text().split("apt-get install -y --no-install-recommends ", 1)[1]
        named = set(lines.split(" && ", 1)[0].replace("\\", " ").split())
        # debian:12-slim has the C and C++ libraries.
        self.assertEqual(needed - {"libc6", "libgcc-s1", "libstdc++6"}, named)

    def test_its_configuration_is_a_conffile(self):
        said = output_of("dpkg-deb", "-I", self.deb, "conffiles")
        self.assertEqual(said, "/etc/photofinish/photofinish.yaml\n")

    def test_it_holds_what_a_package_of_a_server_should(self):
        files = {line.split()[5].removeprefix(".") for line in output_of("dpkg-deb", "-c", self.deb).splitlines()}
        for each in ("/usr/bin/photofinish", "/lib/systemd/system/photofinish.service", "/lib/systemd/system/photofinish.socket",
                     "/usr/share/man/man1/photofinish.1.gz", "/usr/share/bash-completion/completions/photofinish",
                     "/usr/share/zsh/vendor-completions/_photofinish", "/usr/share/fish/vendor_completions.d/photofinish.fish",
                     "/usr/share/doc/photofinish/copyright", "/usr/share/doc/photofinish/changelog.Debian.gz",
                     "/usr/share/doc/photofinish/examples/team.yaml",
                     "/usr/share/doc/photofinish/examples/alertmanager/alertmanager.yml",
                     "/usr/share/doc/photofinish/examples/prometheus/make_rules.py",
                     "/usr/share/doc/photofinish/examples/prometheus/templates/alerts.yml",
                     "/usr/share/doc/photofinish/docs/operating.md",
                     "/usr/share/doc/photofinish/docs/operating/log.md"):
            self.assertIn(each, files)
        for each in (DEPLOY.parent / "docs/runbooks").glob("*.md"):
            self.assertIn(f"/usr/share/doc/photofinish/docs/runbooks/{each.name}", files)

    def links_of(self, deb):
        whole = subprocess.run(["dpkg-deb", "--fsys-tarfile", deb], stdout=subprocess.PIPE, check=True, timeout=60).stdout
        with tarfile.open(fileobj=io.BytesIO(whole)) as tree:
            rules = tree.extractfile("./usr/share/doc/photofinish/examples/prometheus/rules/alerts.yml").read().decode()
        return re.findall(r"runbook_url: +(\S+)", rules)

    def test_its_alerts_link_to_pages_that_are_there(self):
        files = {line.split()[5].removeprefix(".") for line in output_of("dpkg-deb", "-c", self.deb).splitlines()}
        links = self.links_of(self.deb)
        self.assertGreater(len(links), 10)
        for link in links:
            self.assertIn(link.removeprefix("file://"), files)
        other = shipping.make_package(BINARY, self.folder / "elsewhere", RUNBOOKS="https://wiki.example.com/runbooks/")
        for link in self.links_of(other):
            self.assertRegex(link, r"^https://wiki\.example\.com/runbooks/Photofinish\w+\.md$")

    def seen_in_a_debian(self, hook):
        try:
            return shipping.in_a_root("apt", hook, include="systemd")
        except AssertionError:
            if shipping.has_mirror():
                raise
        print("skip  package: no mirror of Debian to install it from", flush=True)
        self.skipTest("no mirror")

    def test_it_installs_starts_from_a_socket_and_goes_again(self):
        with shipping.House(BINARY) as house:
            sim = house.start_provider("sim", "--ttft", "1ms", "--ttft-sigma", "0", "--stall-share", "0", "--tokens", "5")
            said = self.seen_in_a_debian(f"{shipping.HERE}/installed.sh \"$1\" {self.deb} {sim}")
        lines = dict(line.split(": ", 1) for line in said.splitlines() if ": " in line)
        version = output_of(BINARY, "version").splitlines()[0]
        self.assertEqual(lines.get("version"), version)
        self.assertEqual(lines.get("check"), "ok")
        self.assertEqual(lines.get("verify"), "ok", lines.get("verify says"))
        self.assertEqual((lines.get("enabled"), lines.get("socket enabled")), ("yes", "no"))
        self.assertIn('"chat.completion"', lines.get("answer", ""))
        self.assertEqual(lines.get("end"), "0")
        self.assertEqual(lines.get("removed"), "binary no, configuration yes")
        self.assertEqual(lines.get("purged"), "configuration no, state no, logs no")


if __name__ == "__main__":
    BINARY = shipping.binary_argument()
    shipping.skip_without("package", "lintian", "dpkg-shlibdeps", "mmdebstrap", "curl")
    unittest.main()
