//! Rows in columns.

use super::{Paint, measure_text_width, truncate_to_width};

/// Rows in columns; the last column takes the room that is left, and is cut where there is none.
#[derive(Debug, Default)]
pub struct TextTable {
    rows: Vec<Vec<String>>,
}

impl TextTable {
    /// Adds a row. Its cells may be coloured, except the last.
    pub fn add_row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The rows as text, behind an indent.
    pub fn to_text(&self, paint: &Paint, indent: usize) -> String {
        let widths = self.column_widths();
        let lines = self
            .rows
            .iter()
            .map(|row| format_table_line(paint, &widths, row, indent));
        lines.fold(String::new(), |out, line| out + line.trim_end() + "\n")
    }

    fn column_widths(&self) -> Vec<usize> {
        let n = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widest = |at: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(at))
                .map(|it| measure_text_width(it))
                .max()
        };
        (0..n).map(|at| widest(at).unwrap_or(0)).collect()
    }
}

fn format_table_line(paint: &Paint, widths: &[usize], row: &[String], indent: usize) -> String {
    let Some((last, front)) = row.split_last() else {
        return String::new();
    };
    let mut out = " ".repeat(indent);
    let mut used = indent;
    for (cell, wide) in front.iter().zip(widths) {
        out.push_str(cell);
        out.push_str(&" ".repeat(wide.saturating_sub(measure_text_width(cell)) + 2));
        used += wide + 2;
    }
    match paint.columns() {
        Some(columns) if !last.contains('\u{1b}') => {
            out + &truncate_to_width(last, columns.saturating_sub(used).max(16))
        }
        _ => out + last,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    #[test]
    fn columns_line_up_and_the_last_is_cut() {
        let mut table = TextTable::default();
        table.add_row([
            "m-1".into(),
            "user".into(),
            "a text that is longer than the room there is".into(),
        ]);
        table.add_row(["m-100".into(), "feedback".into(), "short".into()]);
        let narrow = Paint::new(Timestamp::UNIX_EPOCH, Some(40));
        assert_eq!(
            table.to_text(&narrow, 0),
            "m-1    user      a text that is longer…\nm-100  feedback  short\n"
        );
        let pipe = Paint::new(Timestamp::UNIX_EPOCH, None);
        assert!(table.to_text(&pipe, 0).contains("than the room there is\n"));
    }
}
