"""The shared part of the tests of packages and images: makes them, and a Debian system to install them in."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "monitoring"))
from servers import ALL_SKIPPED, DEPLOY, House, wait_until

PATIENCE_S = 400  # for a package, or for a root whose packages arrive over a slow network


def binary_argument():
    """Returns the last argument, which is the only one from ctest."""
    return pathlib.Path(sys.argv.pop()).resolve()


def skip_without(suite, *programs):
    """If a program is missing, ends the script as skipped, with a message for tests/run.sh."""
    missing = [program for program in programs if not shutil.which(program)]
    if missing:
        skip(suite, f"no {' and no '.join(missing)} here (deploy/install.sh --long)")


def skip(suite, why):
    print(f"skip  {suite}: {why}", flush=True)
    sys.exit(ALL_SKIPPED)


def output_of(*command, stderr=subprocess.PIPE, patience_s=PATIENCE_S):
    """Returns the output of a command. If the command fails, the exception contains its output."""
    done = subprocess.run([*map(str, command)], stdout=subprocess.PIPE, stderr=stderr, text=True, timeout=patience_s)
    if done.returncode != 0:
        raise AssertionError(f"{command[0]} ended with {done.returncode}:\n{done.stdout[-4000:]}\n{(done.stderr or '')[-4000:]}")
    return done.stdout


def scratch_folder(case, name):
    """Makes a folder for a class of tests, which is removed at its end. Other users than root may read it."""
    scratch = tempfile.TemporaryDirectory(prefix=f"photofinish-{name}-")
    case.addClassCleanup(scratch.cleanup)
    folder = pathlib.Path(scratch.name)
    folder.chmod(0o755)
    return folder


def make_package(binary, folder, **variables):
    """Makes the package of the binary with deploy/package.sh."""
    named = [f"{name}={value}" for name, value in variables.items()]
    return pathlib.Path(output_of("env", *named, DEPLOY / "package.sh", "--binary", binary, folder).splitlines()[-1])


def complaints_of(deb):
    """Returns lintian's errors and warnings."""
    said = subprocess.run(["lintian", "--allow-root", "--tag-display-limit", "0", deb], capture_output=True, text=True)
    found = [line for line in said.stdout.splitlines() if re.match("[EW]:", line)]
    return found or ([] if said.returncode == 0 else [said.stderr])


def make_root(suite, deb, folder):
    """Makes the root of the package with deploy/root.sh, as a tar file. Without a mirror of Debian the suite is skipped."""
    try:
        return pathlib.Path(output_of(DEPLOY / "root.sh", "--deb", deb, folder).splitlines()[-1])
    except AssertionError:
        if has_mirror():
            raise
    skip(suite, "no mirror of Debian to make it from")


def unpacked(tar, folder):
    output_of("mkdir", "-p", folder / "dev")
    output_of("tar", "-x", "-C", folder, "-f", tar)
    return folder


def provided_by(names):
    """Returns the package of each name. A virtual name has a package also: libspdlog1.10 provides libspdlog1.10-fmt9."""
    found = {}
    for line in output_of("dpkg-query", "-W", "-f", "${Package}|${Provides}\\n").splitlines():
        package, _, provides = line.partition("|")
        found.update({each.split(" ")[0]: package for each in provides.split(", ") if each})
    return {found.get(name, name) for name in names}


def packages_of_libraries(binary, is_direct=False):
    """Returns the packages of the libraries that the loader loads for the binary, or only of those that the binary itself names."""
    names = re.findall(r"NEEDED\s+(\S+)", output_of("objdump", "-p", binary))
    found = set()
    for name, path in re.findall(r"(\S+) => (/\S+)", output_of("ldd", binary)):
        if not is_direct or name in names:
            found.add(owner_of(path))
    return found


def owner_of(path):
    """Returns the name by which dpkg knows a file: /lib and /usr/lib may be the same folder."""
    real = os.path.realpath(path)
    for name in (real, real.removeprefix("/usr")):
        said = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True)
        if said.returncode == 0:
            return said.stdout.split(":", 1)[0]
    raise AssertionError(f"no package has {path}")


def in_a_root(variant, hook, include=""):
    """Runs the hook on a fresh Debian 12 of that variant of mmdebstrap, which is removed afterwards. Returns all output."""
    options = [f"--include={include}"] if include else []
    return output_of("mmdebstrap", "--quiet", f"--variant={variant}", "--format=null", *options, f"--customize-hook={hook}",
                     "bookworm", "/dev/null", *mirror(), stderr=subprocess.STDOUT)


def mirror():
    """Returns the mirror that deploy/root.sh uses."""
    return [os.environ["DEBIAN_MIRROR"]] if "DEBIAN_MIRROR" in os.environ else []


def has_mirror():
    """Called after a failure: returns True if Debian's lists of packages can be reached."""
    command = ["mmdebstrap", "--quiet", "--variant=custom", "--format=null", "bookworm", "/dev/null", *mirror()]
    try:
        return subprocess.run(command, capture_output=True, timeout=PATIENCE_S).returncode == 0
    except subprocess.TimeoutExpired:
        return False
