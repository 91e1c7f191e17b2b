"""The program with completions, manual pages and licences, to be unpacked anywhere."""

from .archives import Entries, write_tar_gz, write_zip
from .licences import render_third_party
from .program import COMPLETIONS, collect_common_files, list_completions, list_manual_pages


def build_tarball(release):
    entries = Entries()
    inner = collect_common_files(release, render_third_party(release))
    inner.add(release.platform.program, release.program.read_bytes(), is_executable=True)
    for shell, text in list_completions(release).items():
        inner.add(f"completions/{COMPLETIONS[shell]}", text)
    for name, page in list_manual_pages(release).items():
        inner.add(f"man/man1/{name}", page)
    entries.add_all(release.full_name, inner)
    if release.platform.os == "win32":
        path = release.out / f"{release.full_name}.zip"
        write_zip(path, entries, release)
    else:
        path = release.out / f"{release.full_name}.tar.gz"
        write_tar_gz(path, entries, release)
    return [path]
