//! Opening what must be a regular file: a named pipe in its place would be waited for without end, and a device is read
//! without end. What was looked at may be swapped before it is opened, so the opened file is what counts.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use cap_std::fs::OpenOptions;

/// The beginning of a regular file, at most `limit` bytes; an error for everything else.
pub fn read_regular_start(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    if let Some(flag) = nonblocking_flag() {
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flag);
    }
    check_regular_path(path)?;
    let file = options.open(path)?;
    let found = file.metadata()?;
    check_regular(&found, path)?;
    // Where the size is known, a large file is not copied again and again while the room for it grows.
    let room = usize::try_from(found.len().min(limit)).unwrap_or_default();
    let mut bytes = Vec::with_capacity(room);
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Has the opening not wait for the other end of a pipe, where the platform can be told so.
pub fn set_nonblocking(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    if let Some(flag) = nonblocking_flag() {
        cap_std::fs::OpenOptionsExt::custom_flags(options, flag);
    }
    options
}

/// An error for a path that leads to something else than a regular file. Nothing there is no error.
pub fn check_regular_path(path: &Path) -> io::Result<()> {
    match std::fs::metadata(path) {
        Ok(found) => check_regular(&found, path),
        Err(_) => Ok(()),
    }
}

/// An error for an open file that is not a regular one.
pub fn check_regular_file(file: &File, path: &Path) -> io::Result<()> {
    check_regular(&file.metadata()?, path)
}

fn check_regular(found: &std::fs::Metadata, path: &Path) -> io::Result<()> {
    if found.is_file() {
        return Ok(());
    }
    let what = if found.is_dir() {
        "a folder"
    } else {
        "a pipe or a device"
    };
    let path = path.display();
    Err(io::Error::other(format!("'{path}' is {what}, not a file")))
}

/// `O_NONBLOCK`, which the standard library does not name; `None` where its number is not known for sure.
#[cfg(unix)]
fn nonblocking_flag() -> Option<i32> {
    let is_usual = cfg!(any(
        target_arch = "x86_64",
        target_arch = "x86",
        target_arch = "aarch64",
        target_arch = "arm",
        target_arch = "riscv64",
        target_arch = "powerpc64",
        target_arch = "s390x"
    ));
    if cfg!(any(target_os = "linux", target_os = "android")) {
        is_usual.then_some(0o4000)
    } else {
        cfg!(any(
            target_vendor = "apple",
            target_os = "freebsd",
            target_os = "openbsd",
            target_os = "netbsd"
        ))
        .then_some(0x4)
    }
}
