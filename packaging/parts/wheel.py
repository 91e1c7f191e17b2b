"""The wheel: the Python package of `python/` with the program in it. It fits every Python 3, and one platform.

It is put together here and not by a build backend: the file list, the order and the times are all that a wheel is, and so nothing
has to be installed. What `pyproject.toml` says is taken from there (PEP 621), the version from Cargo.toml.
"""

import base64
import hashlib
import re
import tomllib

from .archives import Entries, write_zip
from .licences import render_third_party
from .linked import find_wheel_tag
from .release import ROOT, PackagingError
from .sbom import render_sbom

KNOWN = {
    "name", "version", "description", "readme", "requires-python", "license", "license-files", "authors", "maintainers", "keywords",
    "classifiers", "urls", "scripts", "gui-scripts", "entry-points", "dependencies", "optional-dependencies", "dynamic",
}
LEFT_OUT = re.compile(r"(^|/)(__pycache__|\.[^/]*|_bin)(/|$)|\.py[co]$")


def build_wheel(release):
    project = read_project(release)
    tag = f"py3-none-{find_wheel_tag(release)}"
    name = project["name"].replace("-", "_")
    info = f"{name}-{release.version}.dist-info"
    entries = collect_package(release, name)
    entries.add(f"{name}/_bin/{release.platform.program}", release.program.read_bytes(), is_executable=True)
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"]:
        entries.add(f"{info}/licenses/{licence}", (ROOT / licence).read_bytes())
    entries.add(f"{info}/licenses/THIRD_PARTY.txt", render_third_party(release))
    # PEP 770: where scanners look.
    entries.add(f"{info}/sboms/apostille.cdx.json", render_sbom(release))
    entries.add(f"{info}/METADATA", render_metadata(release, project))
    entries.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: apostille packaging\nRoot-Is-Purelib: false\nTag: {tag}\n")
    entries.add(f"{info}/entry_points.txt", render_entry_points(project))
    entries.add(f"{info}/RECORD", render_record(entries, f"{info}/RECORD"))
    path = release.out / f"{name}-{release.version}-{tag}.whl"
    # What describes a wheel comes last in it, so that installers find it at once.
    names = [it for it, _ in entries.sorted()]
    write_zip(path, entries, release, order=sorted(names, key=lambda it: (it.startswith(info), it)))
    return [path]


def read_project(release):
    path = release.python / "pyproject.toml"
    if not path.is_file():
        raise PackagingError(f"{path} is not there; name the Python package with --python")
    project = tomllib.loads(path.read_text())["project"]
    if unknown := set(project) - KNOWN:
        raise PackagingError(f"{path}: {', '.join(sorted(unknown))} is not known here")
    if (said := project.get("version", release.version)) != release.version:
        raise PackagingError(f"{path} says version {said}, and Cargo.toml {release.version}")
    if others := set(project.get("dynamic", [])) - {"version"}:
        raise PackagingError(f"{path}: {', '.join(sorted(others))} may not be dynamic")
    return project


def collect_package(release, name):
    """The files of the package that are in git, or would be: no caches, and no program from before."""
    folder = next((it for it in [release.python / "src" / name, release.python / name] if it.is_dir()), None)
    if folder is None:
        raise PackagingError(f"{release.python} has no package {name}")
    entries = Entries()
    for path in folder.rglob("*"):
        relative = path.relative_to(folder).as_posix()
        if path.is_file() and not LEFT_OUT.search(relative):
            entries.add(f"{name}/{relative}", path.read_bytes())
    return entries


def render_metadata(release, project):
    lines = [("Metadata-Version", "2.4"), ("Name", project["name"]), ("Version", release.version)]
    lines.append(("Summary", project.get("description", release.description)))
    lines += [("Keywords", ",".join(it))] if (it := project.get("keywords")) else []
    lines += list_people(project)
    licence = project.get("license", release.license)
    lines.append(("License-Expression", licence if isinstance(licence, str) else release.license))
    lines += [("License-File", it) for it in ["LICENSE-MIT", "LICENSE-APACHE", "THIRD_PARTY.txt"]]
    # A classifier for a licence may not stand beside an expression.
    lines += [("Classifier", it) for it in project.get("classifiers", []) if not it.startswith("License ::")]
    urls = dict(project.get("urls", {}))
    if release.repository:
        urls.setdefault("Repository", release.repository)
    lines += [("Project-URL", f"{label}, {url}") for label, url in urls.items()]
    lines += [("Requires-Python", it)] if (it := project.get("requires-python")) else []
    lines += [("Requires-Dist", it) for it in project.get("dependencies", [])]
    for extra, needs in project.get("optional-dependencies", {}).items():
        lines.append(("Provides-Extra", extra))
        lines += [("Requires-Dist", add_extra_marker(it, extra)) for it in needs]
    readme = read_readme(release, project)
    lines += [("Description-Content-Type", "text/markdown")] if readme else []
    head = "".join(f"{name}: {value}\n" for name, value in lines)
    return f"{head}\n{readme}" if readme else head


def list_people(project):
    lines = []
    for key, label in [("authors", "Author"), ("maintainers", "Maintainer")]:
        people = project.get(key, [])
        names = [it["name"] for it in people if "email" not in it]
        mails = [f"{it['name']} <{it['email']}>" if "name" in it else it["email"] for it in people if "email" in it]
        lines += [(label, ", ".join(names))] if names else []
        lines += [(f"{label}-email", ", ".join(mails))] if mails else []
    return lines


def add_extra_marker(requirement, extra):
    requirement, _, marker = (it.strip() for it in requirement.partition(";"))
    condition = f'extra == "{extra}"'
    return f"{requirement}; ({marker}) and {condition}" if marker else f"{requirement}; {condition}"


def read_readme(release, project):
    readme = project.get("readme")
    if isinstance(readme, dict):
        if "text" in readme:
            return readme["text"]
        readme = readme["file"]
    if not readme:
        return ""
    path = release.python / readme
    if not path.is_file():
        raise PackagingError(f"{path} is not there, and pyproject.toml names it")
    return path.read_text()


def render_entry_points(project):
    groups = {"console_scripts": project.get("scripts", {}), "gui_scripts": project.get("gui-scripts", {})}
    groups |= project.get("entry-points", {})
    if not groups["console_scripts"]:
        raise PackagingError("pyproject.toml has no [project.scripts]: nothing would start the program")
    parts = [f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in sorted(those.items())) for group, those in groups.items() if those]
    return "\n".join(parts)


def render_record(entries, record):
    lines = []
    for name, (content, _) in entries.sorted():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}\n")
    return "".join(lines) + f"{record},,\n"
