//! Rows in columns.

use super::{Paint, measure_text_width, truncate_to_width};

impl Paint {
    /// Rows in columns, behind an indent. The last column takes the room that is left, and is cut where there is none;
    /// the cells of the others may be coloured.
    pub fn format_table<R: AsRef<[String]>>(
        &self,
        indent: usize,
        rows: impl IntoIterator<Item = R>,
    ) -> String {
        let rows: Vec<R> = rows.into_iter().collect();
        let mut widths: Vec<usize> = Vec::new();
        for row in &rows {
            let row = row.as_ref();
            widths.resize(widths.len().max(row.len()), 0);
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = measure_text_width(cell).max(*width);
            }
        }
        rows.iter()
            .map(|row| self.format_table_line(&widths, row.as_ref(), indent))
            .map(|line| format!("{}\n", line.trim_end()))
            .collect()
    }

    fn format_table_line(&self, widths: &[usize], row: &[String], indent: usize) -> String {
        let Some((last, front)) = row.split_last() else {
            return String::new();
        };
        let mut out = " ".repeat(indent);
        let mut used = indent;
        for (cell, wide) in front.iter().zip(widths) {
            out += cell;
            out += &" ".repeat(wide.saturating_sub(measure_text_width(cell)) + 2);
            used += wide + 2;
        }
        match self.columns {
            Some(columns) if !last.contains('\u{1b}') => {
                out + &truncate_to_width(last, columns.saturating_sub(used).max(16))
            }
            _ => out + last,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    #[test]
    fn columns_line_up_and_the_last_is_cut() {
        let rows = [
            [
                "m-1",
                "user",
                "a text that is longer than the room there is",
            ],
            ["m-100", "feedback", "short"],
        ]
        .map(|row| row.map(String::from));
        let narrow = Paint::new(Timestamp::UNIX_EPOCH, Some(40));
        assert_eq!(
            narrow.format_table(0, &rows),
            "m-1    user      a text that is longer…\nm-100  feedback  short\n"
        );
        let pipe = Paint::new(Timestamp::UNIX_EPOCH, None);
        assert!(
            pipe.format_table(0, &rows)
                .contains("than the room there is\n")
        );
    }
}
