//! How many requests a day has seen: one line in a file, such as `2026-03-01 7`.

use std::fs::{File, OpenOptions};
use std::{
    io::{self, Read as _, Seek as _, Write as _},
    path::PathBuf,
};

use apostille_core::model::ModelError;
use jiff::civil::Date;

use apostille_files::lock::{create_private_folder, set_private_mode};

/// More than a line ever has.
const MAX_LINE: u64 = 64;

/// Counts requests by the day, across processes. A file that is lost or damaged counts from nothing.
#[derive(Debug, Clone)]
pub struct DailyRequestMeter {
    path: PathBuf,
    per_day: u32,
}

impl DailyRequestMeter {
    /// A count that is kept in this file.
    pub fn new(path: impl Into<PathBuf>, per_day: u32) -> Self {
        Self {
            path: path.into(),
            per_day,
        }
    }

    /// Counts one request, before it is made. What cannot be counted must not be made.
    pub fn count_request(&self, day: Date) -> Result<(), ModelError> {
        match self.try_count(day) {
            Ok(true) => Ok(()),
            Ok(false) => Err(ModelError::Spent {
                per_day: self.per_day,
            }),
            Err(error) => Err(ModelError::Uncounted(error.into())),
        }
    }

    /// `false`: the day has seen all its requests.
    fn try_count(&self, day: Date) -> io::Result<bool> {
        self.path.parent().map_or(Ok(()), create_private_folder)?;
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).read(true).write(true);
        let mut file = set_private_mode(&mut options).open(&self.path)?;
        // Held for as long as it takes to read and write a line.
        file.lock()?;
        let spent = read_meter_count(&mut file, day)?;
        if spent >= self.per_day {
            return Ok(false);
        }
        file.rewind()?;
        let line = format!("{day} {}\n", spent + 1);
        file.write_all(line.as_bytes())?;
        file.set_len(line.len() as u64)?;
        Ok(true)
    }
}

/// The requests of this day so far.
fn read_meter_count(file: &mut File, day: Date) -> io::Result<u32> {
    let mut bytes = Vec::new();
    file.take(MAX_LINE).read_to_end(&mut bytes)?;
    let line = String::from_utf8_lossy(&bytes);
    let count = line.trim_end().strip_prefix(&format!("{day} "));
    Ok(count.and_then(|it| it.parse().ok()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const TODAY: Date = jiff::civil::date(2026, 3, 1);

    #[test]
    fn a_day_has_so_many_requests() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/requests");
        let meter = DailyRequestMeter::new(&path, 2);
        meter.count_request(TODAY).unwrap();
        meter.clone().count_request(TODAY).unwrap();
        let error = meter.count_request(TODAY).unwrap_err();
        assert!(matches!(error, ModelError::Spent { per_day: 2 }), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "2026-03-01 2\n");
        meter.count_request(TODAY.tomorrow().unwrap()).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "2026-03-02 1\n");
    }

    #[test]
    fn what_is_damaged_counts_from_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("requests");
        let check = |content: &[u8], expected: &str| {
            fs::write(&path, content).unwrap();
            DailyRequestMeter::new(&path, 50)
                .count_request(TODAY)
                .unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), expected, "{content:?}");
        };
        check(b"2026-03-01 7\n", "2026-03-01 8\n");
        check(b"2026-03-01 7", "2026-03-01 8\n");
        check(b"2026-02-28 49\n", "2026-03-01 1\n");
        check(b"2026-03-01 -7\n", "2026-03-01 1\n");
        check(b"2026-03-01\n", "2026-03-01 1\n");
        check(b"\xff\xfe", "2026-03-01 1\n");
        check(&[b'9'; 100_000], "2026-03-01 1\n");
        check(b"", "2026-03-01 1\n");
    }

    #[test]
    fn what_cannot_be_counted_is_not_made() {
        let folder = tempfile::tempdir().unwrap();
        let error = DailyRequestMeter::new(folder.path(), 50)
            .count_request(TODAY)
            .unwrap_err();
        assert!(matches!(error, ModelError::Uncounted(_)), "{error}");
    }

    #[test]
    fn writers_at_once_are_all_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("requests");
        let spent: usize = std::thread::scope(|scope| {
            let work = || {
                (0..20)
                    .filter(|_| {
                        DailyRequestMeter::new(&path, 50)
                            .count_request(TODAY)
                            .is_ok()
                    })
                    .count()
            };
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
            threads.into_iter().map(|it| it.join().unwrap()).sum()
        });
        assert_eq!(spent, 50);
        assert_eq!(fs::read_to_string(&path).unwrap(), "2026-03-01 50\n");
    }
}
