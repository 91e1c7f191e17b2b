"""The digests of everything that lies in the folder."""

import hashlib

NAME = "SHA256SUMS"


def digest_file(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_sums(release):
    files = sorted(it for it in release.out.iterdir() if it.is_file() and it.name != NAME)
    lines = [f"{digest_file(it)}  {it.name}\n" for it in files]
    path = release.out / NAME
    path.write_text("".join(lines), newline="\n")
    return [path]
