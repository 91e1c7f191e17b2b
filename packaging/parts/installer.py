"""install.sh for one release: with its version, its address, and the digests of its tarballs."""

import re

from .release import ROOT, PackagingError
from .sums import digest_file


def write_installer(release):
    """The digests stand in the script, so that whoever reads the script has read what will be installed."""
    text = (ROOT / "packaging/install.sh").read_text()
    prefix = f"apostille-{release.version}-"
    tarballs = sorted(it for it in release.out.iterdir() if it.name.startswith(prefix) and it.name.endswith(".tar.gz"))
    if not tarballs:
        raise PackagingError(f"{release.out} has no tarball of {release.version}")
    sums = "".join(f"{digest_file(it)}  {it.name}\n" for it in tarballs)
    for name, value in [("VERSION", release.version), ("RELEASES", release.releases), ("SUMS", sums.strip())]:
        if re.search(r"['\\]", value):
            raise PackagingError(f"{name} cannot be written into install.sh: {value}")
        text, n = re.subn(rf"^{name}=''$", lambda _: f"{name}='{value}'", text, flags=re.MULTILINE)
        if n != 1:
            raise PackagingError(f"packaging/install.sh has no line {name}=''")
    path = release.out / "install.sh"
    path.write_text(text, newline="\n")
    path.chmod(0o755)
    return [path]
