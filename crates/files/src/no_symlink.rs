//! Opening a file that must not be a link: beside a file of a repository, a link may have been put to lead elsewhere.

use std::fs::File;
use std::{io, path::Path};

use cap_std::{
    ambient_authority,
    fs::{Dir, OpenOptions},
};

use crate::regular_file::{check_regular_file, check_regular_path, set_nonblocking};

/// Opens a file of its owner alone, and nothing behind a link. Should one be put there between the look and the opening,
/// it cannot lead out of the folder. A pipe, a device or a folder is refused and never waited for.
pub fn open_unlinked_file(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    if std::fs::symlink_metadata(path).is_ok_and(|it| it.is_symlink()) {
        return Err(io::Error::other(format!(
            "'{}' is a link, and links are not followed here; take it away",
            path.display()
        )));
    }
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::Error::other(format!(
            "'{}' is not the name of a file",
            path.display()
        )));
    };
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    check_regular_path(path)?;
    set_nonblocking(options);
    #[cfg(unix)]
    cap_std::fs::OpenOptionsExt::mode(options, 0o600);
    let file = Dir::open_ambient_dir(folder, ambient_authority())?
        .open_with(name, options)?
        .into_std();
    check_regular_file(&file, path)?;
    Ok(file)
}
