"""What a program asks of the system that it runs on, read from the program itself."""

import re
import struct

from .release import PackagingError

SHT_DYNAMIC, SHT_GNU_VERNEED = 6, 0x6FFFFFFE
DT_NEEDED = 1
LC_VERSION_MIN_MACOSX, LC_BUILD_VERSION = 0x24, 0x32

# What every Linux with the C library of the policy has (PEP 600), of what a program in Rust can ask for.
SYSTEM_LIBRARIES = re.compile(r"^(libc|libm|libdl|librt|libpthread|libgcc_s|ld-linux-x86-64|ld-linux-aarch64)\.so\.\d+$")


class Elf:
    """The dynamic section and the wanted versions of a 64-bit little-endian ELF file."""

    def __init__(self, content):
        if content[:6] != b"\x7fELF\x02\x01":
            raise PackagingError("the program is not a 64-bit little-endian ELF file")
        self.content = content
        offset, = struct.unpack_from("<Q", content, 0x28)
        size, count = struct.unpack_from("<HH", content, 0x3A)
        # type, offset, size, link of each section
        self.sections = []
        for at in range(offset, offset + size * count, size):
            _, kind, _, _, start, length, link = struct.unpack_from("<IIQQQQI", content, at)
            self.sections.append((kind, start, length, link))

    def read_text(self, link, at):
        start = self.sections[link][1] + at
        return self.content[start:self.content.index(b"\0", start)].decode()

    def list_libraries(self):
        found = []
        for kind, start, length, link in self.sections:
            if kind == SHT_DYNAMIC:
                entries = struct.iter_unpack("<qQ", self.content[start:start + length])
                found += [self.read_text(link, value) for tag, value in entries if tag == DT_NEEDED]
        return found

    def list_versions(self):
        """As `GLIBC_2.34`: what is asked for of the libraries."""
        found = set()
        for kind, start, length, link in self.sections:
            if kind != SHT_GNU_VERNEED:
                continue
            at, more = start, True
            while more:
                _, count, _, aux, step = struct.unpack_from("<HHIII", self.content, at)
                inner = at + aux
                for _ in range(count):
                    _, _, _, name, inner_step = struct.unpack_from("<IHHII", self.content, inner)
                    found.add(self.read_text(link, name))
                    inner += inner_step
                at, more = at + step, step != 0
        return found


def find_glibc(content):
    """The oldest C library that the program runs with, as (2, 34)."""
    elf = Elf(content)
    foreign = [it for it in elf.list_libraries() if not SYSTEM_LIBRARIES.match(it)]
    if foreign:
        raise PackagingError(f"the program links {', '.join(foreign)}, which not every Linux has")
    asked = [re.fullmatch(r"GLIBC_(\d+)\.(\d+)(?:\.\d+)?", it) for it in elf.list_versions()]
    versions = [(int(it[1]), int(it[2])) for it in asked if it]
    if not versions:
        raise PackagingError("the program asks for no version of the C library")
    return max(versions)


def find_macos(content):
    """The oldest macOS that the program runs on, as (11, 0)."""
    if content[:4] != b"\xcf\xfa\xed\xfe":
        raise PackagingError("the program is not a 64-bit Mach-O file")
    count, = struct.unpack_from("<I", content, 16)
    at = 32
    for _ in range(count):
        command, size = struct.unpack_from("<II", content, at)
        if command in (LC_VERSION_MIN_MACOSX, LC_BUILD_VERSION):
            version, = struct.unpack_from("<I", content, at + (12 if command == LC_BUILD_VERSION else 8))
            return version >> 16, (version >> 8) & 0xFF
        at += size
    raise PackagingError("the program does not say which macOS it needs")


def find_wheel_tag(release):
    """The platform of a wheel, by what the program links."""
    content = release.program.read_bytes()
    platform = release.platform
    if platform.os == "linux":
        major, minor = find_glibc(content)
        # Nothing older than 2.17 is a policy of every architecture.
        minor = max(minor, 17) if major == 2 else minor
        return f"manylinux_{major}_{minor}_{platform.machine}"
    if platform.os == "darwin":
        major, minor = find_macos(content)
        # From 11 on only the first number counts.
        return f"macosx_{major}_{0 if major >= 11 else minor}_{platform.machine}"
    return f"win_{platform.machine}"
