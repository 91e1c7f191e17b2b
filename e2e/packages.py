"""The packages: built twice from one program, byte for byte the same, and each installed where nothing was before.

In every such place a repository is made, the tour is seen, agents are looked for, a client shakes hands, and a fact is remembered and
recalled. Registries are stand-ins on this machine that serve what was built, so that people's own commands are what is run.
"""

import contextlib
import functools
import hashlib
import http.server
import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import tomllib
import urllib.parse
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = os.environ.get("APOSTILLE_BIN", str(ROOT / "target/debug/apostille"))
VERSION = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
MARK = "APOSTILLE_CLIENTS_RUN"
FACT = "requests are tried 3 times by MAX_RETRIES"
WHEEL_WITHOUT_CLIENT = {
    "pyproject.toml": '[project]\nname = "apostille"\ndynamic = ["version"]\n[project.scripts]\napostille = "apostille.start:main"\n',
    "src/apostille/__init__.py": "",
    "src/apostille/start.py": "import os, pathlib, sys\n\n\ndef main():\n    program = str(pathlib.Path(__file__).parent / '_bin/apostille')\n"
    "    os.execv(program, [program, *sys.argv[1:]])\n",
}


def run(*command, cwd=None, env=None, fails=False, stdin=None, **more):
    ran = subprocess.run([str(it) for it in command], cwd=cwd, env=env, capture_output=True, text=True, input=stdin, **more)
    if (ran.returncode != 0) != fails:
        raise AssertionError(f"{' '.join(map(str, command))}: exit code {ran.returncode}\n{ran.stdout}{ran.stderr}")
    return ran.stdout if not fails else ran.stdout + ran.stderr


class Place:
    """A home and a repository where Apostille never was."""

    def __init__(self, folder):
        self.folder = folder
        self.home, self.repo = folder / "home", folder / "app"
        self.home.mkdir(parents=True)
        (self.repo / "src").mkdir(parents=True)
        (self.home / ".codex").mkdir()
        (self.repo / "src/retry.rs").write_text("pub const MAX_RETRIES: u32 = 3;\n")
        self.search = ["/usr/local/bin", "/usr/bin", "/bin"]
        for args in [["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "begin"]]:
            run("git", "-c", "user.name=Ana", "-c", "user.email=ana@example.com", *args, cwd=self.repo, env=self.env())

    def env(self):
        # The folder of the node that the clients of the suite use, where it is not the system's.
        node = [str(pathlib.Path(it).parent)] if (it := shutil.which("node")) else []
        return {
            "PATH": os.pathsep.join([*map(str, self.search), *node]),
            "HOME": str(self.home),
            "USER": "ana",
            "LANG": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "NO_UPDATE_NOTIFIER": "1",
            MARK: os.environ.get(MARK, "1"),
        }

    def run(self, *command, **more):
        return run(*command, cwd=self.repo, env=self.env(), **more)

    def use(self):
        """From nothing to a recalled memory."""
        build = json.loads(self.run("apostille", "--version", "--json"))
        same(build["version"], VERSION)
        assert "were temporary and are gone" in self.run("apostille", "tour"), "the tour did not come to its end"
        plan = self.run("apostille", "init", "--dry-run")
        assert "[mcp_servers.apostille]" in plan and not (self.repo / ".codex").exists(), plan
        self.shake_hands("apostille")
        self.run("apostille", "remember", "--cite", "src/retry.rs:1", FACT)
        told = self.run("apostille", "recall", "how often is a request tried?")
        assert FACT in told and "src/retry.rs:1" in told, told

    def shake_hands(self, *command):
        about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "e2e", "version": "1"}}
        messages = [
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        ]
        said = self.run(*command, "mcp", stdin="".join(json.dumps(it) + "\n" for it in messages), timeout=60)
        answers = {it["id"]: it["result"] for it in map(json.loads, said.splitlines()) if "id" in it}
        same(answers[1]["serverInfo"], answers[1]["serverInfo"] | {"name": "apostille", "version": VERSION})
        assert "memory_recall" in [it["name"] for it in answers[2]["tools"]], said


def same(found, expected):
    assert found == expected, f"{found!r} is not {expected!r}"


# -- Building.


def choose_program(folder):
    """A program for tests carries what only debuggers read, which would be most of every package."""
    program = folder / "apostille"
    if shutil.which("strip"):
        run("strip", "-o", program, BIN)
    else:
        shutil.copy(BIN, program)
    return program


def choose_python(folder):
    if (ROOT / "python/pyproject.toml").is_file():
        return ROOT / "python"
    for name, text in WHEEL_WITHOUT_CLIENT.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def build(out, program, python, **env):
    parts = ["tarball", "wheel", "npm", "sbom", "installer", "sums"] + (["deb"] if shutil.which("dpkg-deb") else [])
    command = [sys.executable, ROOT / "packaging/build", "--quick", "--binary", program, "--python", python, "--out", out, *parts]
    run(*command, cwd=out.parent, env=os.environ | {"SOURCE_DATE_EPOCH": "1700000000", **env})
    return {it.name: it for it in out.iterdir()}


def packages_are_the_same_twice(first, folder, program, python):
    """At another time, in another zone, under another umask, in another folder: not a byte differs."""
    before = os.umask(0o077)
    try:
        second = build(folder / "again", program, python, TZ="Asia/Kathmandu", LC_ALL="C", TMPDIR=str(folder))
    finally:
        os.umask(before)
    same(sorted(first), sorted(second))
    differ = [it for it in first if first[it].read_bytes() != second[it].read_bytes()]
    same(differ, [])


def the_sums_are_of_the_files(built):
    lines = dict(reversed(it.split("  ")) for it in built["SHA256SUMS"].read_text().splitlines())
    same(sorted(lines), sorted(set(built) - {"SHA256SUMS"}))
    for name, digest in lines.items():
        same(hashlib.sha256(built[name].read_bytes()).hexdigest(), digest)


def the_bill_of_materials_is_what_cargo_builds(built):
    """Every crate once, each with what it asks for; what came from elsewhere has its digest and the text of its licence."""
    bom = json.loads(find(built, r".*\.cdx\.json").read_text())
    same((bom["bomFormat"], bom["specVersion"]), ("CycloneDX", "1.5"))
    listed = {f"{it['name']} v{it['version']}" for it in bom["components"]}
    tree = run("cargo", "tree", "--locked", "-p", "apostille", "-e", "normal,no-proc-macro", "--prefix", "none", "-f", "{p}", cwd=ROOT)
    carried = {" ".join(it.split()[:2]) for it in tree.splitlines() if it} - {f"apostille v{VERSION}"}
    same(listed, carried)
    references = {it["bom-ref"] for it in [bom["metadata"]["component"], *bom["components"]]}
    same({it["ref"] for it in bom["dependencies"]}, references)
    assert all(set(it["dependsOn"]) <= references for it in bom["dependencies"])
    unsigned = [it["name"] for it in bom["components"] if "hashes" not in it and not it["name"].startswith("apostille-")]
    same(unsigned, [])
    with tarfile.open(find(built, r".*linux-gnu\.tar\.gz")) as archive:
        name = next(it for it in archive.getnames() if it.endswith("THIRD_PARTY.txt"))
        licences = archive.extractfile(name).read().decode()
    for crate in sorted(it for it in listed if not it.startswith("apostille-")):
        assert f"\n{crate.replace(' v', ' ')}: " in licences, f"{crate} has no licence in THIRD_PARTY.txt"


def the_wheel_is_for_the_systems_that_it_names(built):
    wheel = find(built, r".*\.whl")
    said = run(sys.executable, "-m", "auditwheel", "show", wheel)
    tag = re.search(r"(manylinux_\d+_\d+_\w+)", wheel.name)[1]
    assert re.search(rf'platform tag:\s+"{tag}"', said), said
    with zipfile.ZipFile(wheel) as archive:
        program = archive.getinfo("apostille/_bin/apostille")
        assert program.external_attr >> 16 & stat.S_IXUSR, "the program in the wheel is not executable"


def find(built, pattern):
    return next(path for name, path in sorted(built.items()) if re.fullmatch(pattern, name))


# -- Installing. Each way gives back the place in which `apostille` is on the path.


def by_pip(place, built):
    wheel = find(built, r".*\.whl")
    run(sys.executable, "-m", "venv", place.folder / "venv")
    place.run(place.folder / "venv/bin/pip", "install", "--quiet", "--no-index", "--find-links", wheel.parent, "apostille")
    place.search.insert(0, place.folder / "venv/bin")
    place.use()


def by_uv(place, built):
    """`uvx` alone: nothing is installed first, and `uv tool install` puts it on the path."""
    uv = pathlib.Path(sys.executable).parent / "uv"
    links = ["--no-index", "--find-links", find(built, r".*\.whl").parent, "--python", sys.executable, "--no-python-downloads"]
    same(place.run(uv, "tool", "run", *links, "apostille", "--version"), f"apostille {VERSION}\n")
    place.run(uv, "tool", "install", "--quiet", *links, "apostille")
    place.search.insert(0, place.home / ".local/bin")
    place.use()


def by_npm(place, built):
    with serve_npm(built) as registry:
        npm = ["--registry", registry, "--cache", place.folder / "npm-cache", "--no-audit", "--no-fund", "--no-update-notifier"]
        place.run("npm", "install", "--global", "--silent", "--prefix", place.folder / "prefix", *npm, "apostille")
        place.search.insert(0, place.folder / "prefix/bin")
        place.use()
        exits_with_what_the_program_says(place)
        from_npx(Place(place.folder / "npx"), npm)


def exits_with_what_the_program_says(place):
    ran = subprocess.run(["apostille", "show", "m-99"], cwd=place.repo, env=place.env(), capture_output=True)
    same(ran.returncode, 1)
    server = subprocess.Popen(["apostille", "mcp"], cwd=place.repo, env=place.env(), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    server.terminate()
    server.wait(20)
    assert server.returncode in (-15, 143, 0), server.returncode
    server.stdin.close()


def from_npx(place, npm):
    """`npx apostille init` leaves settings that work when npx has cleared its folder."""
    npx = ["npx", "--yes", *npm, "apostille"]
    shown = place.run(*npx, "init", "--dry-run")
    assert "[mcp_servers.apostille]" in shown and not (place.home / ".local").exists(), shown
    place.run(*npx, "init", "--yes")
    shutil.rmtree(place.folder.parent / "npm-cache")
    place.run("git", "add", "-A")
    settings = tomllib.loads((place.repo / ".codex/config.toml").read_text())
    command = settings["mcp_servers"]["apostille"]["command"]
    same(command, str(place.home / ".local/bin/apostille"))
    place.shake_hands(command)


def by_deb(place, built):
    deb = find(built, r".*\.deb")
    root = place.folder / "root"
    if shutil.which("dpkg"):
        for name in ["updates", "info"]:
            (root / "var/lib/dpkg" / name).mkdir(parents=True)
        (root / "var/lib/dpkg/status").touch()
        # A root without anything has no C library; that of this machine is used.
        run("dpkg", f"--root={root}", "--force-not-root", "--force-depends", "--force-bad-path", f"--log={root}/log", "--install", deb)
        listed = run("dpkg", f"--root={root}", "--listfiles", "apostille").split()
        for name in ["/usr/share/man/man1/apostille-recall.1.gz", "/usr/share/bash-completion/completions/apostille"]:
            assert name in listed, f"{name} is not in the package"
    else:
        run("dpkg-deb", "-x", deb, root)
    place.search.insert(0, root / "usr/bin")
    place.use()


def by_tarball(place, built):
    run("tar", "-xzf", find(built, r".*linux-gnu\.tar\.gz"), "-C", place.folder)
    folder = next(place.folder.glob("apostille-*"))
    for name in ["completions/_apostille", "man/man1/apostille.1", "LICENSE-MIT", "THIRD_PARTY.txt"]:
        assert (folder / name).stat().st_size > 500, f"{name} is not there"
    run("bash", "-n", folder / "completions/apostille.bash")
    place.search.insert(0, folder)
    place.use()


def by_installer(place, built):
    """What a release has: the address stands in the script, and the script comes through a pipe."""
    released = place.folder / "released"
    shutil.copytree(built["install.sh"].parent, released)
    with serve_folder(released) as address:
        run(sys.executable, ROOT / "packaging/build", "--releases", address, "--out", released, "installer")
        place.run("sh", "-c", f"curl -LsSf {address}/install.sh | sh")
        place.search.insert(0, place.home / ".local/bin")
        place.use()
    refuses_what_was_not_released(place, built)


def refuses_what_was_not_released(place, built):
    """One byte more in the package, whether the digests stand in the script or beside the packages."""
    forged, target = place.folder / "forged", place.folder / "bin"
    forged.mkdir()
    name = find(built, r".*linux-gnu\.tar\.gz").name
    (forged / name).write_bytes(built[name].read_bytes() + b"\0")
    shutil.copy(built["SHA256SUMS"], forged)
    plain = ROOT / "packaging/install.sh"
    for script, env in [(built["install.sh"], {}), (plain, {"APOSTILLE_VERSION": VERSION})]:
        said = run("sh", script, "--from", forged, "--to", target, env=place.env() | env, fails=True)
        assert "nothing was installed" in said and not target.exists(), said
    run("sh", plain, "--from", built["SHA256SUMS"].parent, "--to", target, env=place.env() | {"APOSTILLE_VERSION": VERSION})
    said = run("sh", plain, "--from", "http://example.com", "--to", target, env=place.env() | {"APOSTILLE_VERSION": VERSION}, fails=True)
    assert "is not an https address" in said, said


# -- Stand-ins.


@contextlib.contextmanager
def serve(handler):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def serve_folder(folder):
    return serve(functools.partial(Quiet, directory=str(folder)))


def serve_npm(built):
    """A registry of npm with what was built; of the other platforms' packages it knows nothing."""
    packages = {}
    for path in built.values():
        if path.name.endswith(".tgz"):
            with tarfile.open(path) as archive:
                described = json.load(archive.extractfile("package/package.json"))
            packages[described["name"]] = (path, described)

    class Registry(Quiet):
        def do_GET(self):
            name = urllib.parse.unquote(self.path.strip("/"))
            if name.startswith("-/"):
                content = built[name[2:]].read_bytes()
            elif name in packages:
                content = json.dumps(self.describe(*packages[name])).encode()
            else:
                return self.send_error(404)
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def describe(self, path, described):
            shasum = hashlib.sha1(path.read_bytes()).hexdigest()
            dist = {"tarball": f"http://{self.headers['Host']}/-/{path.name}", "shasum": shasum}
            return {"name": described["name"], "dist-tags": {"latest": VERSION}, "versions": {VERSION: described | {"dist": dist}}}

    return serve(Registry)


WAYS = [by_pip, by_uv, by_npm, by_deb, by_tarball, by_installer]


def main():
    with tempfile.TemporaryDirectory(prefix="apostille-packages-") as scratch:
        folder = pathlib.Path(scratch).resolve()
        program, python = choose_program(folder), choose_python(folder / "python")
        built = build(folder / "packages", program, python)
        packages_are_the_same_twice(built, folder, program, python)
        checks = [the_sums_are_of_the_files, the_bill_of_materials_is_what_cargo_builds, the_wheel_is_for_the_systems_that_it_names]
        for check in checks:
            check(built)
            print(f"ok {check.__name__}")
        for way in WAYS:
            if way is by_deb and not shutil.which("dpkg-deb"):
                print("left out by_deb: dpkg-deb is not on this machine")
                continue
            began = time.monotonic()
            way(Place(folder / way.__name__), built)
            print(f"ok {way.__name__}: from nothing to a recalled memory, {time.monotonic() - began:.1f} s")


if __name__ == "__main__":
    main()
