#!/usr/bin/env python3
"""Tests the container's root and its image: tests/shipping/root_test.py BINARY

deploy/root.sh makes the root from Debian packages, deploy/image.sh makes the image. The root runs as in a cluster:
read-only, by a user who owns only the folder for statistics.
"""

import hashlib
import json
import os
import re
import stat
import sys
import tarfile
import unittest
import urllib.request

sys.dont_write_bytecode = True
import shipping
from shipping import DEPLOY, output_of

RACE = """
listen: 127.0.0.1:0
budget_timezone: Europe/Berlin
providers: {one: {base_url: "ONE/v1", api_key: none}, other: {base_url: "OTHER/v1", api_key: none}}
routes: {fast: {targets: [one/m, other/m], race: {policy: all}}}
"""
# sh -ec IN_THE_ROOT ROOT USER ARGUMENTS...: acts as the runtime of a container, with a separate view of the file system.
IN_THE_ROOT = """
root=$0 user=$1
shift
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
for each in dev proc; do mount --rbind "/$each" "$root/$each"; done
mount -t tmpfs -o "uid=$user,mode=0700" state "$root/var/lib/photofinish"
exec chroot --userspec="$user:$user" "$root" /usr/bin/photofinish "$@"
"""


def member_name(member):
    return "/" + member.name.removeprefix(".").removeprefix("/")


class Root(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = shipping.scratch_folder(cls, "root")
        deb = shipping.make_package(BINARY, cls.folder)
        cls.tar = shipping.make_root("root", deb, cls.folder)
        cls.sbom = json.loads((cls.folder / "sbom.spdx.json").read_text())
        with tarfile.open(cls.tar) as tar:
            cls.members = {member_name(each): each for each in tar}
        cls.root = shipping.unpacked(cls.tar, cls.folder / "root")

    def command(self, *arguments):
        """Runs photofinish in the root: read-only, by user 65532; if the test is not root, by the only available user."""
        user, options = ("65532", "-m") if os.geteuid() == 0 else ("0", "-rm")
        return ["unshare", options, "sh", "-ec", IN_THE_ROOT, str(self.root), user, *arguments]

    def test_photofinish_is_its_only_program(self):
        programs = [name for name, member in self.members.items()
                    if member.isfile() and member.mode & 0o111 and not re.search(r"\.so(\.|$)", name)]
        self.assertEqual(programs, ["/usr/bin/photofinish"])
        links = [name for name, member in self.members.items()
                 if re.search(r"/s?bin/", name) and name != "/usr/bin/photofinish"]
        self.assertEqual(links, [])

    def test_no_file_gives_more_rights_than_its_caller_has(self):
        special = [name for name, member in self.members.items() if member.mode & (stat.S_ISUID | stat.S_ISGID)]
        self.assertEqual(special, [])

    def test_only_the_folder_for_statistics_is_the_users(self):
        owned = [name for name, member in self.members.items() if member.uid == 65532]
        self.assertEqual(owned, ["/var/lib/photofinish"])
        open_to_all = [name for name, member in self.members.items() if member.mode & 0o002 and not member.issym()
                       and not name.startswith("/dev")]
        self.assertEqual(open_to_all, ["/tmp"])

    def test_the_bill_of_materials_lists_each_library(self):
        listed = {each["name"]: each["versionInfo"] for each in self.sbom["packages"]}
        libraries = shipping.packages_of_libraries(BINARY)
        self.assertGreater(len(libraries), 10)
        self.assertEqual(libraries - listed.keys(), set())
        for name in self.stanzas():
            self.assertIn(name, listed)

    def stanzas(self):
        return [path.name for path in (self.root / "var/lib/dpkg/status.d").iterdir() if path.suffix != ".md5sums"]

    def test_each_library_in_the_root_belongs_to_a_package_that_is_listed(self):
        known = "".join(path.read_text() for path in (self.root / "var/lib/dpkg/status.d").glob("*.md5sums"))
        known = set(re.findall(r"^[0-9a-f]{32}  (?:usr/)?(.*)$", known, re.MULTILINE))
        libraries = [name for name, member in self.members.items() if member.isfile() and re.search(r"\.so(\.\d|$)", name)]
        self.assertGreater(len(libraries), 10)
        self.assertEqual([name for name in libraries if re.sub("^/(usr/)?", "", name) not in known], [])

    def test_the_bill_of_materials_is_of_one_piece(self):
        self.assertEqual((self.sbom["spdxVersion"], self.sbom["dataLicense"]), ("SPDX-2.3", "CC0-1.0"))
        ids = [each["SPDXID"] for each in self.sbom["packages"]]
        self.assertEqual(len(ids), len(set(ids)))
        for each in self.sbom["relationships"]:
            self.assertIn(each["spdxElementId"], ids + ["SPDXRef-DOCUMENT"])
            self.assertIn(each["relatedSpdxElement"], ids)
        inside = {each["relatedSpdxElement"] for each in self.sbom["relationships"] if each["relationshipType"] == "STATIC_LINK"}
        self.assertEqual(inside, {f"SPDXRef-{name}" for name in ("boost1.81-source", "cli11-source", "nlohmann-json3-source", "uplot")})

    def test_it_knows_the_authorities_where_openssl_looks_for_them(self):
        authorities = (self.root / "etc/ssl/certs/ca-certificates.crt").read_text()
        self.assertGreater(authorities.count("-----BEGIN CERTIFICATE-----"), 100)
        self.assertEqual(os.readlink(self.root / "usr/lib/ssl/cert.pem"), "/etc/ssl/certs/ca-certificates.crt")

    def test_it_runs_by_a_user_without_rights(self):
        def parts(text):  # without the loaded libraries: those of the mirror may be newer
            return [line for line in text.splitlines() if not line.startswith(("openssl", "c-ares"))]
        self.assertEqual(parts(output_of(*self.command("version"))), parts(output_of(BINARY, "version")))

    def test_it_serves_a_race_while_it_can_write_nothing(self):
        with shipping.House(BINARY) as house:
            slow = ("--ttft-sigma", "0", "--stall-share", "0", "--tokens", "5")
            one = house.start_provider("one", "--ttft", "2s", *slow)
            other = house.start_provider("other", "--ttft", "1ms", *slow)
            (self.root / "etc/photofinish/photofinish.yaml").write_text(RACE.replace("ONE", one).replace("OTHER", other))
            house.run("gateway", *self.command("serve", "--config", "/etc/photofinish/photofinish.yaml"),
                      environment={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "XDG_STATE_HOME": "/var/lib"})
            url = house.url_in_log("gateway", r"listening on (http://\S+)").rstrip("/")
            body = {"model": "fast", "messages": [{"role": "user", "content": "Say hello"}]}
            request = urllib.request.Request(f"{url}/v1/chat/completions", json.dumps(body).encode(),
                                             {"content-type": "application/json"})
            with urllib.request.urlopen(request, timeout=60) as answer:
                self.assertEqual(answer.headers["x-race-winner"], "other/m")
                self.assertEqual(json.load(answer)["object"], "chat.completion")
            self.assertNotIn("warn", house.logs["gateway"].read_text())

    def test_the_image_is_the_root_and_says_how_it_is_started(self):
        output_of(DEPLOY / "image.sh", "--root", self.tar, self.folder)
        layout = self.folder / "oci"

        def blob(digest):
            return (layout / "blobs" / digest.replace(":", "/")).read_bytes()

        index = json.loads((layout / "index.json").read_text())
        manifest = json.loads(blob(index["manifests"][0]["digest"]))
        image = json.loads(blob(manifest["config"]["digest"]))
        self.assertEqual(image["rootfs"]["diff_ids"], ["sha256:" + hashlib.sha256(self.tar.read_bytes()).hexdigest()])
        self.assertEqual((image["os"], image["architecture"]), ("linux", output_of("dpkg", "--print-architecture").strip()))
        said = image["config"]
        self.assertEqual((said["User"], said["Entrypoint"], said["Cmd"]), ("65532:65532", ["photofinish"], ["serve"]))
        self.assert_as_the_dockerfile_says(said)

    def assert_as_the_dockerfile_says(self, said):
        lines = (DEPLOY / "Dockerfile").read_text().split("\nFROM ${BASE}\n")[1].splitlines()
        words = [line.split(maxsplit=1) for line in lines if line and line[0].isupper()]
        self.assertEqual({said["User"]}, {rest for word, rest in words if word == "USER"})
        self.assertEqual({said["WorkingDir"]}, {rest for word, rest in words if word == "WORKDIR"})
        self.assertEqual(set(said["Env"]) - {"PATH=/usr/bin"}, {rest for word, rest in words if word == "ENV"})
        self.assertEqual(set(said["Volumes"]), {rest for word, rest in words if word == "VOLUME"})
        self.assertEqual({said["StopSignal"]}, {rest for word, rest in words if word == "STOPSIGNAL"})
        self.assertEqual({each.split("/")[0] for each in said["ExposedPorts"]}, {rest for word, rest in words if word == "EXPOSE"})
        self.assertIn(["ENTRYPOINT", json.dumps(said["Entrypoint"])], words)
        self.assertIn(["CMD", json.dumps(said["Cmd"])], words)


if __name__ == "__main__":
    BINARY = shipping.binary_argument()
    shipping.skip_without("root", "dpkg-shlibdeps", "mmdebstrap", "umoci", "unshare")
    unittest.main()
