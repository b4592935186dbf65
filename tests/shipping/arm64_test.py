#!/usr/bin/env python3
"""Tests the product for arm64, which is built on another machine: tests/shipping/arm64_test.py BINARY

deploy/package.sh --arm64 compiles it, with warnings as errors, and makes its package. deploy/root.sh makes a root of the package.
qemu runs the root's binary with the root's libraries.
"""

import json
import pathlib
import re
import sys
import unittest
import urllib.request

sys.dont_write_bytecode = True
import shipping
from shipping import DEPLOY, output_of

BUILD_S = 3000  # without ccache, on a busy machine
ASKED = "Grüße aus Łódź, 東京 und 🏁"  # bytes that are negative if char is signed; on arm64 it is unsigned


def make_package(folder):
    try:
        return pathlib.Path(output_of(DEPLOY / "package.sh", "--arm64", folder, patience_s=BUILD_S).splitlines()[-1])
    except AssertionError:
        if shipping.has_mirror():
            raise
    shipping.skip("arm64", "no mirror of Debian to compile against")


def depends(deb):
    return set(re.findall(r"(?:^|, )([a-z0-9.+-]+)", output_of("dpkg-deb", "-f", deb, "Depends")))


class Arm64(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = shipping.scratch_folder(cls, "arm64")
        cls.deb = make_package(cls.folder)
        cls.tar = shipping.make_root("arm64", cls.deb, cls.folder)
        cls.root = shipping.unpacked(cls.tar, cls.folder / "root")

    def command(self, *arguments):
        return ["qemu-aarch64-static", "-L", self.root, self.root / "usr/bin/photofinish", *arguments]

    def test_its_package_is_this_machines_but_for_the_architecture(self):
        self.assertEqual(output_of("dpkg-deb", "-f", self.deb, "Architecture").strip(), "arm64")
        native = shipping.make_package(BINARY, self.folder)
        self.assertEqual(depends(self.deb), depends(native))
        self.assertEqual(self.deb.name.replace("_arm64.deb", ""), re.sub("_[a-z0-9]+[.]deb$", "", native.name))
        for field in ("Built-Using", "Maintainer", "Description"):
            self.assertEqual(output_of("dpkg-deb", "-f", self.deb, field), output_of("dpkg-deb", "-f", native, field))
        self.assertEqual(self.names_in(self.deb), self.names_in(native))

    def names_in(self, deb):
        return [line.split()[5] for line in output_of("dpkg-deb", "-c", deb).splitlines()]

    def test_lintian_finds_no_error_and_no_warning(self):
        self.assertEqual(shipping.complaints_of(self.deb), [])

    def test_it_says_what_it_is(self):
        said = output_of(*self.command("version")).splitlines()
        self.assertEqual(said[0], output_of(BINARY, "version").splitlines()[0])

    def test_it_races_without_a_configuration(self):
        with shipping.House(BINARY) as house:
            house.run("gateway", *self.command("serve", "--listen", "127.0.0.1:0"), environment={"PATH": "/usr/bin:/bin"})
            url = house.url_in_log("gateway", r"listening on (http://\S+)").rstrip("/")
            for is_stream in (False, True):
                body = {"model": "demo", "stream": is_stream, "messages": [{"role": "user", "content": ASKED}]}
                request = urllib.request.Request(f"{url}/v1/chat/completions", json.dumps(body).encode(),
                                                 {"content-type": "application/json"})
                with urllib.request.urlopen(request, timeout=60) as answer:
                    self.assertRegex(answer.headers["x-race-winner"], "^[a-z-]+/.+")
                    text = answer.read().decode()
                if is_stream:
                    self.assertTrue(text.endswith("data: [DONE]\n\n"), text[-300:])
                else:
                    said = json.loads(text)
                    self.assertEqual((said["object"], said["choices"][0]["finish_reason"]), ("chat.completion", "stop"))
                    self.assertGreater(len(said["choices"][0]["message"]["content"]), 0)
            process = house.processes["gateway"]
            process.terminate()
            self.assertEqual(process.wait(60), 0)

    def test_its_image_is_of_its_architecture(self):
        output_of(DEPLOY / "image.sh", "--root", self.tar, self.folder)
        blobs = self.folder / "oci/blobs"
        index = json.loads((self.folder / "oci/index.json").read_text())
        manifest = json.loads((blobs / index["manifests"][0]["digest"].replace(":", "/")).read_text())
        image = json.loads((blobs / manifest["config"]["digest"].replace(":", "/")).read_text())
        self.assertEqual((image["os"], image["architecture"]), ("linux", "arm64"))


if __name__ == "__main__":
    BINARY = shipping.binary_argument()
    shipping.skip_without("arm64", "aarch64-linux-gnu-g++", "qemu-aarch64-static", "mmdebstrap", "dpkg-shlibdeps", "lintian", "umoci")
    unittest.main()
