"""The licences of everything that the program carries, with their texts as their authors wrote them."""

import collections
import functools
import pathlib
import re

from .cargo_graph import read_carried_crates
from .release import ROOT, PackagingError

NAMES = re.compile(r"^(un)?licen[cs]e|^copying|^notice|^copyright", re.IGNORECASE)
NOT_TEXTS = re.compile(r"\.(rs|html|toml|json|py)$", re.IGNORECASE)
# What a crate's own licence does not cover: code in other languages inside it.
INSIDE = {
    "libsqlite3-sys": "contains SQLite, which its authors have put in the public domain (https://sqlite.org/copyright.html)",
}
STANDARD_LIBRARY = (
    "The Rust standard library is part of the program: MIT OR Apache-2.0, copyright (c) The Rust Project contributors "
    "(https://www.rust-lang.org/policies/licenses). The text of the Apache License 2.0 is below."
)


def render_third_party(release):
    """One list of crates, and then each different text once, with the crates that it belongs to."""
    return render_for_target(release.target)


@functools.cache
def render_for_target(target):
    crates = [it for it in read_carried_crates(target)[0] if it["source"] is not None]
    texts = collections.defaultdict(list)
    rows = []
    for crate in crates:
        name = f"{crate['name']} {crate['version']}"
        if not crate["license"]:
            raise PackagingError(f"{name} names no licence")
        note = f"\n    {INSIDE[crate['name']]}" if crate["name"] in INSIDE else ""
        rows.append(f"{name}: {crate['license']}{note}\n")
        for text in read_licence_texts(crate):
            texts[text].append(name)
    texts[(ROOT / "LICENSE-APACHE").read_text().strip()].append("the Rust standard library")
    parts = [f"This program contains the following, under the licences named.\n\n{''.join(rows)}\n{STANDARD_LIBRARY}\n"]
    by_first = sorted(texts.items(), key=lambda it: it[1])
    parts += [f"{'=' * 80}\n{', '.join(names)}\n{'-' * 80}\n\n{text}\n" for text, names in by_first]
    return "\n".join(parts)


def read_licence_texts(crate):
    """The texts that lie beside the crate. Where there are none, the one that its licence has for everybody."""
    folder = pathlib.Path(crate["manifest_path"]).parent
    files = sorted(it for it in folder.iterdir() if it.is_file() and NAMES.match(it.name) and not NOT_TEXTS.search(it.name))
    texts = [normalise(it.read_text(errors="replace")) for it in files]
    if texts:
        return texts
    if "Apache-2.0" in crate["license"]:
        return [(ROOT / "LICENSE-APACHE").read_text().strip()]
    raise PackagingError(f"{crate['name']} {crate['version']} ({crate['license']}) has no text of its licence")


def normalise(text):
    return "\n".join(it.rstrip() for it in text.replace("\r\n", "\n").split("\n")).strip("\n")
