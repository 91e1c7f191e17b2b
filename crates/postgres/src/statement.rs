//! A statement with its values and their types, so that it can be sent without asking the server first what it takes.

use std::borrow::Cow;

use jiff::Timestamp;
use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

/// A value of a statement.
pub(crate) type SqlValue = Box<dyn ToSql + Sync + Send>;

/// A statement and what it is given.
pub(crate) struct SqlStatement {
    pub(crate) sql: Cow<'static, str>,
    values: Vec<(SqlValue, Type)>,
}

impl SqlStatement {
    pub(crate) fn new(sql: impl Into<Cow<'static, str>>) -> Self {
        Self {
            sql: sql.into(),
            values: Vec::new(),
        }
    }

    /// The values as the driver takes them.
    pub(crate) fn borrow_values(&self) -> Vec<(&(dyn ToSql + Sync), Type)> {
        let mut borrowed: Vec<(&(dyn ToSql + Sync), Type)> = Vec::with_capacity(self.values.len());
        for it in &self.values {
            borrowed.push((&*it.0, it.1.clone()));
        }
        borrowed
    }

    /// The same for a statement whose types the server knows.
    pub(crate) fn borrow_plain_values(&self) -> Vec<&(dyn ToSql + Sync)> {
        let mut borrowed: Vec<&(dyn ToSql + Sync)> = Vec::with_capacity(self.values.len());
        for it in &self.values {
            borrowed.push(&*it.0);
        }
        borrowed
    }

    /// The types of the values.
    pub(crate) fn list_types(&self) -> Vec<Type> {
        self.values.iter().map(|it| it.1.clone()).collect()
    }

    /// The place that the next value has.
    pub(crate) fn next_place(&self) -> usize {
        self.values.len() + 1
    }

    fn push(mut self, value: impl ToSql + Sync + Send + 'static, kind: Type) -> Self {
        self.values.push((Box::new(value), kind));
        self
    }

    pub(crate) fn text(self, value: impl Into<String>) -> Self {
        self.push(value.into(), Type::TEXT)
    }

    pub(crate) fn maybe_text(self, value: Option<String>) -> Self {
        self.push(value, Type::TEXT)
    }

    pub(crate) fn texts(self, values: Vec<String>) -> Self {
        self.push(values, Type::TEXT_ARRAY)
    }

    pub(crate) fn maybe_texts(self, values: Vec<Option<String>>) -> Self {
        self.push(values, Type::TEXT_ARRAY)
    }

    pub(crate) fn int(self, value: i64) -> Self {
        self.push(value, Type::INT8)
    }

    pub(crate) fn ints(self, values: Vec<i64>) -> Self {
        self.push(values, Type::INT8_ARRAY)
    }

    pub(crate) fn bytes(self, value: Vec<u8>) -> Self {
        self.push(value, Type::BYTEA)
    }

    pub(crate) fn bytes_list(self, values: Vec<Vec<u8>>) -> Self {
        self.push(values, Type::BYTEA_ARRAY)
    }

    pub(crate) fn uuid(self, value: Uuid) -> Self {
        self.push(value, Type::UUID)
    }

    pub(crate) fn uuids(self, values: Vec<Uuid>) -> Self {
        self.push(values, Type::UUID_ARRAY)
    }

    pub(crate) fn maybe_uuids(self, values: Vec<Option<Uuid>>) -> Self {
        self.push(values, Type::UUID_ARRAY)
    }

    pub(crate) fn time(self, value: Timestamp) -> Self {
        self.push(value, Type::TIMESTAMPTZ)
    }

    pub(crate) fn times(self, values: Vec<Timestamp>) -> Self {
        self.push(values, Type::TIMESTAMPTZ_ARRAY)
    }
}
