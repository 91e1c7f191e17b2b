"""The Debian package."""

import email.utils
import os
import pathlib
import subprocess
import tempfile

from .archives import compress_gzip
from .licences import render_third_party
from .linked import Elf, find_glibc
from .program import list_completions, list_manual_pages
from .release import ROOT, PackagingError

DOC = "usr/share/doc/apostille"
COMPLETIONS = {
    "bash": "usr/share/bash-completion/completions/apostille",
    "zsh": "usr/share/zsh/vendor-completions/_apostille",
    "fish": "usr/share/fish/vendor_completions.d/apostille.fish",
}
# Hooks and the panel name git where code is cited; without it memories of a person still work.
CONTROL = """\
Package: apostille
Version: {version}
Architecture: {architecture}
Maintainer: {maintainer}
Installed-Size: {size}
Depends: {depends}
Recommends: git
Section: devel
Priority: optional
{homepage}Description: {description}
 Keeps what coding agents learn together with the lines of code that prove it,
 and looks those lines up again in the reader's own checkout before anything
 is shown. One program: command line, hooks, a server of the Model Context
 Protocol, and a panel in the browser. No model and no key is needed.
"""
CHANGES = """\
apostille ({version}) unstable; urgency=medium

  * What changed is in /usr/share/doc/apostille/CHANGELOG.md.gz.

 -- {maintainer}  {date}
"""
COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: apostille

Files: *
Copyright: The Apostille authors
License: MIT or Apache-2.0

License: MIT
{mit}

License: Apache-2.0
 The text is in /usr/share/common-licenses/Apache-2.0.
Comment:
 What the program carries of others is listed in
 /usr/share/doc/apostille/THIRD_PARTY.txt.gz, with the texts.
"""


def build_debian_package(release):
    if release.platform.debian is None:
        return []
    path = release.out / f"apostille_{release.version}_{release.platform.debian}.deb"
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder) / "tree"
        files = collect_files(release)
        for name, (content, mode) in files.items():
            write_file(tree / name, content, mode)
        size = sum(-(-len(content) // 1024) for content, _ in files.values())
        write_file(tree / "DEBIAN/control", render_control(release, size).encode(), 0o644)
        set_times(tree, release.time)
        command = ["dpkg-deb", "--root-owner-group", *(["-Zxz"] if release.level == 9 else ["-Zgzip", f"-z{release.level}"]), "--build", str(tree), str(path)]
        env = os.environ | {"SOURCE_DATE_EPOCH": str(release.time)}
        try:
            subprocess.run(command, env=env, check=True, capture_output=True, text=True)
        except FileNotFoundError as error:
            raise PackagingError("dpkg-deb is not installed; name the other parts to do without the Debian package") from error
        except subprocess.CalledProcessError as error:
            raise PackagingError(f"dpkg-deb: {error.stderr.strip()}") from error
    return [path]


def collect_files(release):
    files = {"usr/bin/apostille": (release.program.read_bytes(), 0o755)}
    completions = list_completions(release)
    for shell, name in COMPLETIONS.items():
        files[name] = (completions[shell].encode(), 0o644)
    for name, page in list_manual_pages(release).items():
        files[f"usr/share/man/man1/{name}.gz"] = (compress_gzip(page), 0o644)
    files[f"{DOC}/copyright"] = (render_copyright().encode(), 0o644)
    changes = CHANGES.format(version=release.version, maintainer=release.maintainer, date=email.utils.formatdate(release.time))
    files[f"{DOC}/changelog.gz"] = (compress_gzip(changes.encode()), 0o644)
    files[f"{DOC}/CHANGELOG.md.gz"] = (compress_gzip((ROOT / "CHANGELOG.md").read_bytes()), 0o644)
    files[f"{DOC}/THIRD_PARTY.txt.gz"] = (compress_gzip(render_third_party(release).encode()), 0o644)
    for unit in sorted((ROOT / "packaging/systemd").iterdir()):
        files[f"{DOC}/examples/{unit.name}"] = (unit.read_bytes(), 0o644)
    return files


def render_control(release, size):
    major, minor = find_glibc(release.program.read_bytes())
    depends = [f"libc6 (>= {major}.{minor})"]
    if "libgcc_s.so.1" in Elf(release.program.read_bytes()).list_libraries():
        depends.append("libgcc-s1")
    return CONTROL.format(
        version=release.version,
        maintainer=release.maintainer,
        architecture=release.platform.debian,
        size=size,
        depends=", ".join(depends),
        homepage=f"Homepage: {release.repository}\n" if release.repository else "",
        description="verified, shared memory for coding agents",
    )


def render_copyright():
    lines = (ROOT / "LICENSE-MIT").read_text().strip().split("\n")
    return COPYRIGHT.format(mit="\n".join(f" {it.strip() or '.'}" for it in lines))


def write_file(path, content, mode):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(mode)


def set_times(tree, at):
    """Of the folders, too, and their permissions whatever the umask is."""
    for path in [tree, *tree.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)
        os.utime(path, (at, at))
