"""The program itself: built so that nothing of this machine is in it, and asked for its completions and manual pages."""

import json
import os
import pathlib
import subprocess
import tempfile

from .archives import Entries
from .release import ROOT, PackagingError, run_for_text

# The shell, and the name that its completions have for each kind of package.
COMPLETIONS = {
    "bash": "apostille.bash",
    "zsh": "_apostille",
    "fish": "apostille.fish",
    "powershell": "_apostille.ps1",
    "elvish": "apostille.elv",
}


def prepare_program(release, binary):
    """Takes the program that was named, or builds it; it has to be of the version that is released."""
    release.program = binary.absolute() if binary else build_program(release)
    if not release.program.is_file():
        raise PackagingError(f"{release.program} is not there")
    build = ask_version(release)
    if build is None:
        return
    if build["version"] != release.version:
        raise PackagingError(f"{release.program} is {build['version']}, and {release.version} is released")
    if build["target"] != release.target:
        raise PackagingError(f"{release.program} was built for {build['target']}; name that with --target")


def ask_version(release):
    """What the program says of itself; nothing where this machine cannot run it."""
    if release.pages_from:
        return None
    try:
        return json.loads(run_for_text(release.program, "--version", "--json"))
    except (OSError, ValueError) as error:
        raise PackagingError(f"{release.program} cannot be run here; name one that can with --pages-from") from error


def build_program(release):
    # With --target the flags are for the program alone, and not for what runs while it is built.
    command = ["cargo", "build", "--locked", "--profile", "dist", "-p", "apostille", "--target", release.target]
    if subprocess.run(command, cwd=ROOT, env=os.environ | choose_build_environment(release)).returncode != 0:
        raise PackagingError("the program could not be built")
    return find_target_dir() / release.target / "dist" / release.platform.program


def find_target_dir():
    return pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).absolute()


def choose_build_environment(release):
    """Paths of this machine are renamed in what the compilers write down, so that another machine builds the same bytes."""
    cargo_home = os.environ.get("CARGO_HOME", pathlib.Path.home() / ".cargo")
    sysroot = run_for_text("rustc", "--print", "sysroot")
    # The last one that fits counts: the folder of what is built is within the sources' as a rule.
    renamed = [(sysroot, "/rust"), (cargo_home, "/cargo"), (ROOT, "/apostille"), (find_target_dir(), "/target")]
    flags = [f"--remap-path-prefix={path}={name}" for path, name in renamed]
    return {
        "APOSTILLE_COMMIT": release.commit or "",
        "SOURCE_DATE_EPOCH": str(release.time),
        "ZERO_AR_DATE": "1",
        # Where the environment asks for it: two incremental builds differ.
        "CARGO_INCREMENTAL": "0",
        "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(flags + list_link_flags(release)),
        "CFLAGS": " ".join(filter(None, [os.environ.get("CFLAGS"), *list_c_flags(release, renamed)])),
    }


def list_link_flags(release):
    """Microsoft's linker writes the time down unless it is told not to."""
    return ["-Clink-arg=/Brepro"] if release.target.endswith("msvc") else []


def list_c_flags(release, renamed):
    if release.target.endswith("msvc"):
        return []
    return [f"-ffile-prefix-map={path}={name}" for path, name in renamed]


def ask_program(release, *arguments):
    """What the program prints, in a home of its own: nothing of the person who packs is read."""
    with tempfile.TemporaryDirectory() as home:
        env = {"PATH": os.environ.get("PATH", ""), "HOME": home, "USERPROFILE": home, "NO_COLOR": "1"}
        # Windows starts nothing without it.
        env |= {"SYSTEMROOT": it} if (it := os.environ.get("SYSTEMROOT")) else {}
        return run_for_text(release.pages_from or release.program, *arguments, env=env, cwd=home)


def list_completions(release):
    return {shell: ask_program(release, "completions", shell) + "\n" for shell in COMPLETIONS}


def list_manual_pages(release):
    """The pages by their file names."""
    with tempfile.TemporaryDirectory() as folder:
        ask_program(release, "man", "--out", folder)
        pages = {it.name: it.read_bytes() for it in pathlib.Path(folder).iterdir()}
    if "apostille.1" not in pages:
        raise PackagingError("the program wrote no manual page")
    return pages


def collect_common_files(release, third_party):
    """What every package has beside the program."""
    entries = Entries()
    for name in ["LICENSE-MIT", "LICENSE-APACHE", "README.md", "CHANGELOG.md"]:
        entries.add(name, (ROOT / name).read_bytes())
    entries.add("THIRD_PARTY.txt", third_party)
    return entries
