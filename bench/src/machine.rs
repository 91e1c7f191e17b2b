//! What the figures were measured on.

use std::path::Path;
use std::process::Command;

use crate::scratch;

/// The machine, as lines of a name and a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Machine(pub(crate) Vec<(&'static str, String)>);

impl Machine {
    /// Looks at the machine; `scratch` is the folder that is measured.
    pub(crate) fn look(scratch: &Path) -> Self {
        let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
        Self(vec![
            ("CPU", field("/proc/cpuinfo", "model name")),
            ("cores", cores.to_string()),
            ("memory", memory()),
            ("kernel", first_line("/proc/sys/kernel/osrelease")),
            ("file system", scratch::file_system(scratch)),
            ("load at the start", load()),
            ("rustc", rustc()),
            ("SQLite", rusqlite::version().to_owned()),
        ])
    }
}

impl Machine {
    /// Whether other programs wanted more than half of the cores at the start.
    pub(crate) fn is_busy(&self) -> bool {
        let number = |name: &str| {
            let value = self
                .0
                .iter()
                .find(|it| it.0 == name)
                .and_then(|it| it.1.parse::<f64>().ok());
            value.unwrap_or(0.0)
        };
        number("load at the start") > number("cores") / 2.0
    }
}

fn field(file: &str, name: &str) -> String {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let value = |line: &str| {
        line.strip_prefix(name)?
            .trim_start()
            .strip_prefix(':')
            .map(|it| it.trim().to_owned())
    };
    text.lines()
        .find_map(value)
        .unwrap_or_else(|| "unknown".into())
}

fn first_line(file: &str) -> String {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines().next().unwrap_or("unknown").to_owned()
}

/// The memory in whole gigabytes.
fn memory() -> String {
    let kilobytes = field("/proc/meminfo", "MemTotal")
        .trim_end_matches(" kB")
        .parse::<u64>();
    kilobytes.map_or("unknown".into(), |it| {
        format!("{} GB", it.div_ceil(1024 * 1024))
    })
}

/// How busy the machine was: other programs on it make every figure worse.
fn load() -> String {
    first_line("/proc/loadavg")
        .split(' ')
        .next()
        .unwrap_or("unknown")
        .to_owned()
}

fn rustc() -> String {
    let said = Command::new("rustc").arg("--version").output();
    let text = said
        .ok()
        .and_then(|it| String::from_utf8(it.stdout).ok())
        .unwrap_or_default();
    text.split(' ').nth(1).unwrap_or("unknown").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_machine_is_seen() {
        let check = |load: &str, expected: bool| {
            let machine = Machine(vec![
                ("cores", "2".into()),
                ("load at the start", load.into()),
            ]);
            assert_eq!(machine.is_busy(), expected, "{load}");
        };
        check("0.40", false);
        check("3.35", true);
        check("unknown", false);
    }
}
