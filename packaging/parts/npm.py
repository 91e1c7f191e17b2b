"""Packages for npm: a launcher, and one package for each platform, of which npm installs the one that fits."""

import json

from .archives import Entries, write_tar_gz
from .licences import render_third_party
from .release import PLATFORMS, ROOT

SCOPE = "@apostille"
LAUNCHER = ROOT / "packaging/npm"


def build_npm_packages(release):
    return [build_platform_package(release), build_launcher_package(release)]


def describe_package(release, name, more):
    described = {
        "name": name,
        "version": release.version,
        "description": release.description,
        "license": f"({release.license})",
    }
    if release.repository:
        described["repository"] = {"type": "git", "url": f"git+{release.repository}.git"}
    return json.dumps(described | more, indent=2) + "\n"


def collect_licences(release):
    entries = Entries()
    for name in ["LICENSE-MIT", "LICENSE-APACHE"]:
        entries.add(name, (ROOT / name).read_bytes())
    return entries


def write_package(release, name, entries):
    packed = Entries()
    packed.add_all("package", entries)
    path = release.out / f"{name}-{release.version}.tgz"
    write_tar_gz(path, packed, release)
    return path


def build_platform_package(release):
    platform = release.platform
    entries = collect_licences(release)
    entries.add("THIRD_PARTY.txt", render_third_party(release))
    entries.add(f"bin/{platform.program}", release.program.read_bytes(), is_executable=True)
    entries.add("README.md", f"The program of [apostille](https://www.npmjs.com/package/apostille) for {platform.npm}.\n")
    system = {"os": [platform.os], "cpu": [platform.cpu]}
    if platform.os == "linux":
        system["libc"] = ["glibc"]
    entries.add("package.json", describe_package(release, f"{SCOPE}/{platform.npm}", system | {"preferUnplugged": True}))
    return write_package(release, f"apostille-npm-{platform.npm}", entries)


def build_launcher_package(release):
    entries = collect_licences(release)
    entries.add("README.md", (ROOT / "README.md").read_bytes())
    entries.add("bin/apostille.js", (LAUNCHER / "apostille.js").read_bytes(), is_executable=True)
    platforms = {f"{SCOPE}/{it.npm}": release.version for it in PLATFORMS.values()}
    more = {
        "keywords": ["agents", "memory", "mcp", "llm"],
        "bin": {"apostille": "bin/apostille.js"},
        "engines": {"node": ">=18"},
        "optionalDependencies": dict(sorted(platforms.items())),
    }
    entries.add("package.json", describe_package(release, "apostille", more))
    return write_package(release, "apostille-npm", entries)
