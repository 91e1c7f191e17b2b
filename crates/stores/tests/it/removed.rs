//! A store whose file is removed or replaced while it is open.

use std::{fs, path::Path};

use apostille_core::store::{Store, StoreError};

use crate::rig::{STORES, all, fact, keep, open};

/// What is done to the file of an open store.
fn check_after(spoil: impl Fn(&Path)) {
    for (kind, name) in STORES {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let first = open(kind, &path).unwrap();
        keep(&*first, fact("kept before")).unwrap();
        spoil(&path);
        match keep(&*first, fact("written into nothing")) {
            Err(StoreError::Removed) => assert!(!first.is_in_place()),
            Err(other) => panic!("{kind}: {other}"),
            // A file of lines is opened for each write: then it is really there.
            Ok(_) => assert!(fs::read_to_string(&path).unwrap().contains("into nothing")),
        }
        let second = open(kind, &path).unwrap();
        assert!(second.is_in_place());
        keep(&*second, fact("kept afterwards")).unwrap();
        // The first one must not take the log of the second one away with it.
        drop(first);
        let seen = |store: &dyn Store| {
            all(store)
                .unwrap()
                .iter()
                .any(|it| it.fact == "kept afterwards")
        };
        assert!(seen(&*open(kind, &path).unwrap()), "{kind}");
        drop(second);
        assert!(seen(&*open(kind, &path).unwrap()), "{kind}");
    }
}

#[test]
fn write_into_a_removed_file_is_not_acknowledged() {
    check_after(|path| fs::remove_file(path).unwrap());
}

#[test]
fn write_into_a_removed_folder_is_not_acknowledged() {
    check_after(|path| {
        for it in fs::read_dir(path.parent().unwrap()).unwrap() {
            fs::remove_file(it.unwrap().path()).unwrap();
        }
    });
}

#[test]
fn write_into_a_replaced_file_is_not_acknowledged() {
    check_after(|path| {
        let copy = path.with_extension("copy");
        fs::write(&copy, "").unwrap();
        fs::rename(copy, path).unwrap();
    });
}
