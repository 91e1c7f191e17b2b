//! The law of derivation: what is made out of other memories is trusted no more than the least of them.

use jiff::Timestamp;

use apostille_cite::source::NoRepositorySource;
use apostille_core::{
    Context, CoreError,
    memory::{
        Channel, Draft, DuplicateChoice, Kind, Memory, MemoryName, Origin, ReplacementKind, Voice,
    },
    policy::Policy,
    remember::{RememberOutcome, remember},
    revise::approve_memory,
    space::Space,
    store::ram::RamStore,
};

/// After how many steps a new store is begun: what was derived long ago proves nothing more.
const STEPS: u32 = 400;

/// What came of many random derivations.
#[derive(Debug, Default)]
pub struct DerivationReport {
    /// How many memories took the place of another, or joined one.
    pub derivations: usize,
    /// Those that are trusted more than what they were made of, told.
    pub elevations: Vec<String>,
    /// Those with words from outside that were in use before anybody approved them, told.
    pub unattended: Vec<String>,
}

/// Derives memories from memories until there were so many derivations, by voices of every sort, with people approving in
/// between. The same number gives the same run.
pub fn run_derivations(wanted: usize) -> Result<DerivationReport, CoreError> {
    let mut dice = SeededRandom(0x9e37_79b9_7f4a_7c15);
    let mut done = DerivationReport::default();
    while done.derivations < wanted {
        run_derivation_chain(&mut dice, &mut done, wanted)?;
    }
    Ok(done)
}

fn run_derivation_chain(
    dice: &mut SeededRandom,
    done: &mut DerivationReport,
    wanted: usize,
) -> Result<(), CoreError> {
    let (store, policy) = (RamStore::default(), Policy::default());
    let mut known: Vec<Memory> = Vec::new();
    for n in 0..STEPS {
        let random = || u128::from(n + 1) << 48;
        let cx = Context {
            store: &store,
            source: &NoRepositorySource,
            policy: &policy,
            now: Timestamp::UNIX_EPOCH + jiff::SignedDuration::from_hours(i64::from(n)),
            random: &random,
            late: &|| false,
            actor: None,
            other_spaces: &[],
            guardian: None,
            testimony: None,
            embedder: None,
            archive: None,
            commit_reasons: None,
        };
        let voice = random_voice(dice);
        let from = dice.pick_one(&known).cloned();
        let from = from.filter(|_| dice.number_below(8) > 0);
        if done.derivations < wanted
            && let Some(memory) = derive_memory(&cx, dice, n, voice.clone(), from.as_ref())?
        {
            done.record_derivation(&voice, from.as_ref(), &memory);
            known.push(approve_if_pending(&cx, memory)?);
        }
    }
    Ok(())
}

fn derive_memory(
    cx: &Context,
    dice: &mut SeededRandom,
    n: u32,
    voice: Voice,
    from: Option<&Memory>,
) -> Result<Option<Memory>, CoreError> {
    let twin = match (from.map(|it| MemoryName::Id(it.id)), dice.number_below(3)) {
        (None, _) => DuplicateChoice::Create("something new".into()),
        (Some(name), 0) => DuplicateChoice::Merge(name),
        (Some(name), 1) => DuplicateChoice::Replace(name, ReplacementKind::Better),
        (Some(name), _) => DuplicateChoice::Replace(name, ReplacementKind::Correction),
    };
    let mut word = |letter: char| format!("{letter}{}", dice.number_below(1_000_000));
    let fact = format!("step{n} {} {} {}", word('x'), word('y'), word('z'));
    let draft = Draft {
        kind: Some(Kind::Feedback),
        on_duplicate: twin,
        ..Draft::new(derivation_space(), fact, voice)
    };
    Ok(match remember(cx, draft)? {
        RememberOutcome::Remembered { memory, .. } => Some(*memory),
        _ => None,
    })
}

/// A person lets it in, so that it can be derived from.
fn approve_if_pending(cx: &Context, memory: Memory) -> Result<Memory, CoreError> {
    if memory.is_active() {
        return Ok(memory);
    }
    let name = MemoryName::Id(memory.id);
    approve_memory(cx, super::sample_person(), &[derivation_space()], name)?;
    Ok(cx.store.get_by_ids(&[memory.id])?.pop().unwrap_or(memory))
}

impl DerivationReport {
    fn record_derivation(&mut self, voice: &Voice, from: Option<&Memory>, made: &Memory) {
        if made.voice.tainted && made.is_active() {
            self.unattended.push(format!("{:?}", made.voice));
        }
        let Some(from) = from else { return };
        self.derivations += 1;
        let is_raised =
            |than: &Voice| made.voice.origin < than.origin || (than.tainted && !made.voice.tainted);
        // A person's own words are the one thing that is not derived.
        if is_raised(voice) || (!voice.is_person() && is_raised(&from.voice)) {
            self.elevations.push(format!(
                "{:?} out of {voice:?} and {:?}",
                made.voice, from.voice
            ));
        }
    }
}

fn random_voice(dice: &mut SeededRandom) -> Voice {
    let channel = dice.pick_one(Channel::ALL).unwrap_or(&Channel::Unknown);
    let origin = dice.pick_one(Origin::ALL).unwrap_or(&Origin::Agent);
    let voice = Voice::from_origin(*origin).with_channel(*channel);
    Voice {
        tainted: voice.tainted || dice.number_below(5) == 0,
        ..voice
    }
}

fn derivation_space() -> Space {
    Space::repo("acme/shop").expect("a valid name")
}

/// Randomness that is the same in every run.
struct SeededRandom(u64);

impl SeededRandom {
    fn number_below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    fn pick_one<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        let n = u64::try_from(all.len()).ok().filter(|it| *it > 0)?;
        all.get(usize::try_from(self.number_below(n)).unwrap_or(0))
    }
}
