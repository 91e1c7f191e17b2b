"""Archives whose bytes depend on what is in them alone: sorted, owned by root, of one time."""

import gzip
import io
import tarfile
import time
import zipfile

# Zip knows no time before 1980.
ZIP_BEGIN = 315532800
EXECUTABLE, PLAIN = 0o755, 0o644


class Entries:
    """Files by their path in the archive: bytes, and whether they are executed."""

    def __init__(self):
        self.files = {}

    def add(self, path, content, is_executable=False):
        content = content.encode() if isinstance(content, str) else content
        self.files[str(path)] = (content, EXECUTABLE if is_executable else PLAIN)

    def add_all(self, folder, others):
        for path, (content, mode) in others.files.items():
            self.files[f"{folder}/{path}" if folder else path] = (content, mode)

    def sorted(self):
        return sorted(self.files.items())


def compress_gzip(content, level=9):
    """Without a name and without a time."""
    out = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=level, fileobj=out, mtime=0) as stream:
        stream.write(content)
    return out.getvalue()


def write_tar_gz(path, entries, release):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, (content, mode) in entries.sorted():
            info = tarfile.TarInfo(name)
            info.size, info.mode, info.mtime = len(content), mode, release.time
            info.uid = info.gid = 0
            info.uname = info.gname = "root"
            archive.addfile(info, io.BytesIO(content))
    path.write_bytes(compress_gzip(out.getvalue(), release.level))


def write_zip(path, entries, release, order=None):
    """In the order of the names, or in that of the names given."""
    stamp = time.gmtime(max(release.time, ZIP_BEGIN))[:6]
    names = order or [name for name, _ in entries.sorted()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            content, mode = entries.files[name]
            info = zipfile.ZipInfo(name, stamp)
            info.create_system = 3
            info.external_attr = (0o100000 | mode) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content, compresslevel=release.level)
