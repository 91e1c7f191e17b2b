"""What is released: version, commit, time, target, and the folders that it is made from."""

import dataclasses
import os
import pathlib
import subprocess
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class PackagingError(Exception):
    """Why a package cannot be built."""


# By target: the name of its program, and what each kind of package calls the platform.
# A `None` for wheels is worked out from what the program links.
@dataclasses.dataclass(frozen=True)
class Platform:
    npm: str
    os: str
    cpu: str
    debian: str | None = None
    machine: str = ""

    @property
    def program(self):
        return "apostille.exe" if self.os == "win32" else "apostille"


PLATFORMS = {
    "x86_64-unknown-linux-gnu": Platform("linux-x64", "linux", "x64", "amd64", "x86_64"),
    "aarch64-unknown-linux-gnu": Platform("linux-arm64", "linux", "arm64", "arm64", "aarch64"),
    "x86_64-apple-darwin": Platform("darwin-x64", "darwin", "x64", machine="x86_64"),
    "aarch64-apple-darwin": Platform("darwin-arm64", "darwin", "arm64", machine="arm64"),
    "x86_64-pc-windows-msvc": Platform("win32-x64", "win32", "x64", machine="amd64"),
}


def run_for_text(*command, **options):
    """What a command prints; that it fails is a reason not to go on."""
    try:
        ran = subprocess.run(command, capture_output=True, text=True, check=True, **options)
    except FileNotFoundError as error:
        raise PackagingError(f"{command[0]} is not installed") from error
    except subprocess.CalledProcessError as error:
        raise PackagingError(f"{' '.join(map(str, command))}: {error.stderr.strip()}") from error
    return ran.stdout.strip()


def find_commit():
    """The commit that is packed; none where files were changed since, or where this is no checkout."""
    try:
        if run_for_text("git", "status", "--porcelain", "--untracked-files=no", cwd=ROOT):
            return None
        return run_for_text("git", "rev-parse", "HEAD", cwd=ROOT)
    except PackagingError:
        return None


def find_time():
    """The time that everything in a package bears: the commit's, unless SOURCE_DATE_EPOCH says another."""
    if said := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(said)
    try:
        return int(run_for_text("git", "log", "-1", "--format=%ct", cwd=ROOT))
    except (PackagingError, ValueError) as error:
        raise PackagingError("this is not a checkout: name the time with SOURCE_DATE_EPOCH") from error


@dataclasses.dataclass
class Release:
    """One release for one platform. Its version has one home, the workspace's Cargo.toml."""

    version: str
    description: str
    license: str
    commit: str | None
    time: int
    target: str
    out: pathlib.Path
    python: pathlib.Path
    releases: str
    repository: str
    maintainer: str
    pages_from: pathlib.Path | None
    # How hard archives are compressed, 1 to 9.
    level: int
    # Where the program is; set once it is there.
    program: pathlib.Path | None = None

    @classmethod
    def find(cls, arguments):
        package = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
        host = run_for_text("rustc", "-vV").split("host: ")[1].split()[0]
        target = arguments.target or host
        if target not in PLATFORMS:
            raise PackagingError(f"packages for {target} are not known; there are {', '.join(PLATFORMS)}")
        return cls(
            version=package["version"],
            description=package["description"],
            license=package["license"],
            commit=find_commit(),
            time=find_time(),
            target=target,
            out=(arguments.out or ROOT / "target/packages").absolute(),
            python=(arguments.python or ROOT / "python").absolute(),
            releases=arguments.releases,
            repository=arguments.repository,
            maintainer=arguments.maintainer,
            level=1 if arguments.quick else 9,
            pages_from=arguments.pages_from and arguments.pages_from.absolute(),
        )

    @property
    def platform(self):
        return PLATFORMS[self.target]

    @property
    def full_name(self):
        return f"apostille-{self.version}-{self.target}"
