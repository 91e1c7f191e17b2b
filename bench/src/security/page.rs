//! Everything that a run found out, as text and as JSON: the bars first.

use serde_json::{Map, Value, json};

use super::Section;
use crate::{
    bars::Bar,
    machine::Machine,
    table::{self, Table},
};

/// What a run found out.
pub(crate) struct Page {
    /// The machine.
    pub(crate) machine: Machine,
    /// Every section.
    pub(crate) sections: Vec<Section>,
    /// How long the run took, in seconds.
    pub(crate) seconds: f64,
}

impl Page {
    /// The tables.
    pub(crate) fn text(&self, markdown: bool) -> String {
        let mut out = table::machine(&self.machine, markdown);
        let bars = ("Bars".to_owned(), judged(self.bars()));
        let details = self.sections.iter().flat_map(|it| &it.tables);
        for (name, table) in std::iter::once(&bars)
            .chain(details)
            .filter(|it| !it.1.rows.is_empty())
        {
            out.push_str(&table::title(name, markdown));
            out.push_str(&table.text(markdown));
        }
        let notes: String = self.notes().map(|it| format!("- {it}\n")).collect();
        if !notes.is_empty() {
            out.push_str(&table::title("Notes", markdown));
            out.push_str(&notes);
        }
        out.push_str(&format!("\nThe run took {:.0} s.\n", self.seconds));
        out
    }

    fn bars(&self) -> impl Iterator<Item = &Bar> {
        self.sections.iter().flat_map(|it| &it.bars)
    }

    fn notes(&self) -> impl Iterator<Item = &String> {
        self.sections.iter().flat_map(|it| &it.notes)
    }

    /// The figures.
    pub(crate) fn json(&self) -> Value {
        let machine = self
            .machine
            .0
            .iter()
            .map(|(name, value)| ((*name).to_owned(), json!(value)));
        let bar = |it: &Bar| json!({"what": it.what, "bar": it.bar, "figure": it.figure, "holds": it.holds});
        let tables = self.sections.iter().flat_map(|it| &it.tables);
        json!({
            "machine": machine.collect::<Map<_, _>>(),
            "bars": self.bars().map(bar).collect::<Vec<_>>(),
            "tables": tables.map(|(name, it)| (name.clone(), rows(it))).collect::<Map<_, _>>(),
            "notes": self.notes().collect::<Vec<_>>(),
            "seconds": self.seconds,
        })
    }
}

/// A table's rows as objects.
fn rows(table: &Table) -> Value {
    let row = |cells: &Vec<String>| -> Value {
        let named = table
            .head
            .iter()
            .zip(cells)
            .map(|(head, cell)| ((*head).to_owned(), json!(cell)));
        named.collect::<Map<_, _>>().into()
    };
    table.rows.iter().map(row).collect()
}

fn judged<'b>(bars: impl Iterator<Item = &'b Bar>) -> Table {
    let row = |it: &Bar| {
        let verdict = match it.holds {
            Some(true) => "met",
            Some(false) => "MISSED",
            None => "not measured",
        };
        let figure = it.figure.clone().unwrap_or_else(|| "–".into());
        vec![
            it.what.to_owned(),
            it.bar.to_owned(),
            figure,
            verdict.to_owned(),
        ]
    };
    Table {
        head: vec!["class", "bar", "figure", "verdict"],
        rows: bars.map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::security::tally::Tally;

    #[test]
    fn bars_come_first_and_everything_is_told() {
        let mut tally = Tally::default();
        tally.add("wild", true);
        let section = Section {
            bars: vec![tally.of("wild").bar("alarms", "≤ 0.5 %", |it| it <= 0.5)],
            tables: vec![("By class".into(), tally.table("class", "alarms"))],
            notes: vec!["one of them".into()],
        };
        let page = Page {
            machine: Machine(Vec::new()),
            sections: vec![section],
            seconds: 0.0,
        };
        let text = page.text(false);
        let at = |part: &str| {
            text.find(part)
                .unwrap_or_else(|| panic!("{part} in {text}"))
        };
        assert!(at("MISSED") < at("By class") && at("By class") < at("one of them"));
        assert_eq!(page.json()["tables"]["By class"][0]["alarms"], "1");
    }
}
