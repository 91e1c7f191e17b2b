//! The law of derivation: what is made out of other memories is trusted no more than the least of them.

use jiff::Timestamp;

use crate::memory::{Channel, Draft, Kind, Memory, Name, Origin, Replacement, Twin, Voice};
use crate::policy::Policy;
use crate::remember::{Outcome, remember};
use crate::revise::approve;
use crate::space::Space;
use crate::store::ram::Ram;
use crate::{Context, Error};
use apostille_cite::source::Nowhere;

/// After how many steps a new store is begun: what was derived long ago proves nothing more.
const STEPS: u32 = 400;

/// What came of many random derivations.
#[derive(Debug, Default)]
pub struct Derived {
    /// How many memories took the place of another, or joined one.
    pub derivations: usize,
    /// Those that are trusted more than what they were made of, told.
    pub elevations: Vec<String>,
    /// Those with words from outside that were in use before anybody approved them, told.
    pub unattended: Vec<String>,
}

/// Derives memories from memories until there were so many derivations, by voices of every sort, with people approving in
/// between. The same number gives the same run.
pub fn derived(wanted: usize) -> Result<Derived, Error> {
    let (mut dice, mut done) = (Dice(0x9e37_79b9_7f4a_7c15), Derived::default());
    while done.derivations < wanted {
        chain(&mut dice, &mut done, wanted)?;
    }
    Ok(done)
}

fn chain(dice: &mut Dice, done: &mut Derived, wanted: usize) -> Result<(), Error> {
    let (store, policy) = (Ram::default(), Policy::default());
    let mut known: Vec<Memory> = Vec::new();
    for n in 0..STEPS {
        let random = || u128::from(n + 1) << 48;
        let cx = Context {
            store: &store,
            source: &Nowhere,
            policy: &policy,
            now: Timestamp::UNIX_EPOCH + jiff::SignedDuration::from_hours(i64::from(n)),
            random: &random,
            late: &|| false,
            actor: None,
            beside: &[],
            guardian: None,
        };
        let voice = voice(dice);
        let from = dice.one_of(&known).cloned().filter(|_| dice.below(8) > 0);
        if done.derivations < wanted
            && let Some(memory) = step(&cx, dice, n, voice.clone(), from.as_ref())?
        {
            done.judge(&voice, from.as_ref(), &memory);
            known.push(approved(&cx, memory)?);
        }
    }
    Ok(())
}

fn step(
    cx: &Context<'_>,
    dice: &mut Dice,
    n: u32,
    voice: Voice,
    from: Option<&Memory>,
) -> Result<Option<Memory>, Error> {
    let twin = match (from.map(|it| Name::Id(it.id)), dice.below(3)) {
        (None, _) => Twin::Create("something new".into()),
        (Some(name), 0) => Twin::Merge(name),
        (Some(name), 1) => Twin::Replace(name, Replacement::Better),
        (Some(name), _) => Twin::Replace(name, Replacement::Correction),
    };
    let mut word = |letter: char| format!("{letter}{}", dice.below(1_000_000));
    let fact = format!("step{n} {} {} {}", word('x'), word('y'), word('z'));
    let draft = Draft {
        kind: Some(Kind::Feedback),
        twin,
        ..Draft::new(space(), fact, voice)
    };
    Ok(match remember(cx, draft)? {
        Outcome::Remembered { memory, .. } => Some(*memory),
        _ => None,
    })
}

/// A person lets it in, so that it can be derived from.
fn approved(cx: &Context<'_>, memory: Memory) -> Result<Memory, Error> {
    if memory.is_active() {
        return Ok(memory);
    }
    approve(cx, super::a_person(), &[space()], Name::Id(memory.id))?;
    Ok(cx.store.get_by_ids(&[memory.id])?.pop().unwrap_or(memory))
}

impl Derived {
    fn judge(&mut self, voice: &Voice, from: Option<&Memory>, made: &Memory) {
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

fn voice(dice: &mut Dice) -> Voice {
    let channel = dice
        .one_of(Channel::ALL)
        .copied()
        .unwrap_or(Channel::Unknown);
    let voice = Voice::of(dice.one_of(Origin::ALL).copied().unwrap_or(Origin::Agent)).via(channel);
    Voice {
        tainted: voice.tainted || dice.below(5) == 0,
        ..voice
    }
}

#[expect(clippy::expect_used, reason = "the name is a constant")]
fn space() -> Space {
    Space::repo("acme/shop").expect("a valid name")
}

/// Randomness that is the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    fn one_of<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        let n = u64::try_from(all.len()).ok().filter(|it| *it > 0)?;
        all.get(usize::try_from(self.below(n)).unwrap_or(0))
    }
}
