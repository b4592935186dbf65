#!/usr/bin/env python3
"""Writes the bill of materials of a container's root, as SPDX 2.3 in JSON: deploy/package/sbom.py ROOT.tar

The packages come from the stanzas of the root's own packages (var/lib/dpkg/status.d), header-only libraries in the
binary from photofinish's stanza (Built-Using), and the live page's library from its file.
"""
import datetime
import email.parser
import json
import os
import pathlib
import re
import sys
import tarfile
import urllib.parse
import uuid

CURVES = pathlib.Path(__file__).resolve().parents[2] / "gateway/page/uplot/uPlot.iife.min.js"


def stanzas_of(root):
    """Returns the fields of each package by its name."""
    found = {}
    with tarfile.open(root) as tar:
        for member in tar:
            if re.fullmatch(r"(\./)?var/lib/dpkg/status\.d/[^/]+", member.name) and not member.name.endswith(".md5sums"):
                stanza = email.parser.Parser().parsestr(tar.extractfile(member).read().decode())
                found[stanza["Package"]] = stanza
    return found


def package_url(name, version, architecture):
    quoted = urllib.parse.quote(version, safe="~")
    return f"pkg:deb/debian/{urllib.parse.quote(name, safe='')}@{quoted}?arch={architecture}&distro=debian-12"


def package(name, version, url, supplier="NOASSERTION", license="NOASSERTION"):
    return {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name),
        "name": name,
        "versionInfo": version,
        "supplier": supplier,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": license,
        "copyrightText": "NOASSERTION",
        "externalRefs": [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": url}
        ],
    }


def installed_package(stanza):
    name, version = stanza["Package"], stanza["Version"]
    if name == "photofinish":
        return package(name, version, f"pkg:generic/photofinish@{urllib.parse.quote(version, safe='~')}", license="Apache-2.0")
    supplier = "Organization: " + re.sub(r" <(.*)>$", r" (\1)", stanza["Maintainer"])
    return package(name, version, package_url(name, version, stanza["Architecture"]), supplier)


def compiled_in(stanza):
    """Returns the parts that are compiled into photofinish: "boost1.81 (= 1.81.0-5), ..." of its stanza, and uPlot."""
    parts = re.findall(r"(\S+) \(= ([^)]+)\)", stanza.get("Built-Using", ""))
    found = [package(f"{name}-source", version, package_url(name, version, "source")) for name, version in parts]
    version = re.search(r"\(v([0-9.]+)\)", CURVES.read_text()[:200])[1]
    return found + [package("uplot", version, f"pkg:npm/uplot@{version}", license="MIT")]


def document(stanzas):
    ours = stanzas["photofinish"]
    installed = [installed_package(stanzas[name]) for name in sorted(stanzas)]
    inside = compiled_in(ours)
    names = {each["name"]: each["SPDXID"] for each in installed}
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", names["photofinish"])]
    for name in sorted(stanzas):
        needed = re.findall(r"(?:^|, )([a-z0-9.+-]+)", stanzas[name].get("Depends", ""))
        relations += [(names[name], "DEPENDS_ON", names[each]) for each in needed if each in names]
    relations += [(names["photofinish"], "STATIC_LINK", each["SPDXID"]) for each in inside]
    created = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), datetime.timezone.utc)
    content = json.dumps([installed, inside], sort_keys=True)
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"photofinish {ours['Version']} {ours['Architecture']}",
        "documentNamespace": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, content)}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: photofinish-sbom.py"]},
        "packages": installed + inside,
        "relationships": [
            {"spdxElementId": one, "relationshipType": how, "relatedSpdxElement": other} for one, how, other in relations
        ],
    }


if __name__ == "__main__":
    json.dump(document(stanzas_of(sys.argv[1])), sys.stdout, indent=1)
    print()
