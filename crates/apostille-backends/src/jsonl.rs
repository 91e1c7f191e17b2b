//! scaffold
use apostille_core::space::Space;
use apostille_core::store::StoreError;
use std::path::Path;
/// scaffold
pub struct Jsonl;
impl Jsonl {
    /// scaffold
    pub fn open(
        _path: &Path,
        _repo: &Space,
        _user: &Space,
    ) -> Result<apostille_core::store::ram::Ram, StoreError> {
        Ok(apostille_core::store::ram::Ram::default())
    }
}
