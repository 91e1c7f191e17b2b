"""What `cargo publish` would send, in the order in which it has to be sent."""

import json
import pathlib
import shutil
import tempfile

from .release import ROOT, run_for_text


def package_crates(release):
    """Without building them: `packaging/try-crates` installs from them, as `cargo install apostille` will."""
    names = list_published_crates()
    folder = release.out / "crates"
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        selected = [argument for name in names for argument in ("-p", name)]
        run_for_text("cargo", "package", "--no-verify", "--locked", *allow_changes(release), "--target-dir", scratch, *selected, cwd=ROOT)
        packed = pathlib.Path(scratch) / "package"
        return [pathlib.Path(shutil.copy(packed / f"{it}-{release.version}.crate", folder)) for it in names]


def allow_changes(release):
    """A package of a changed checkout names no commit; it is for trying."""
    return [] if release.commit else ["--allow-dirty"]


def list_published_crates():
    """Each behind those that it needs."""
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--locked"]
    packages = json.loads(run_for_text(*command, cwd=ROOT))["packages"]
    needs = {
        it["name"]: {dep["name"] for dep in it["dependencies"] if dep["kind"] is None or dep["req"] != "*"}
        for it in packages
        if it["publish"] is None
    }
    ordered = []
    while len(ordered) < len(needs):
        ready = [it for it in sorted(needs) if it not in ordered and not (needs[it] & set(needs)) - set(ordered)]
        if not ready:
            raise RuntimeError(f"a cycle among {sorted(set(needs) - set(ordered))}")
        ordered += ready
    return ordered
