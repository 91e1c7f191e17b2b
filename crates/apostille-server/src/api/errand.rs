//! One call under way: whose it is, how far it reaches, and what is answered.

use apostille_core::memory::{Channel, Memory, Name, Origin, Voice};
use apostille_core::refusal::Refusal;
use apostille_core::remember::Outcome;
use apostille_core::revise::Revised;
use apostille_core::space::Space;
use apostille_core::verify::{Verified, look};
use apostille_core::{Context, list};
use apostille_text::moderate;
use serde::Serialize;

use super::about::Call;
use super::args::Args;
use crate::json::{
    KeptReply, Memories, MemoryView, NearView, RefusalView, Refused, SimilarReply, views,
};
use crate::pass::Access;
use crate::visit::{Asked, Reply, Visit};
use crate::wire::Malformed;
use crate::{Fault, Here};

/// A call under way.
pub(super) struct Errand<'a> {
    pub(super) visit: &'a Visit<'a>,
    pub(super) asked: &'a Asked,
    /// The spaces in play that the pass reaches; never none, because none would mean all.
    pub(super) spaces: Vec<Space>,
    pub(super) args: Args,
}

impl<'a> Errand<'a> {
    /// Reads what was sent.
    pub(super) fn begin(
        visit: &'a Visit<'a>,
        asked: &'a Asked,
        call: &Call,
    ) -> Result<Self, Fault> {
        let (args, spaces) = (Args::read(asked, &call.about)?, visit.spaces());
        if spaces.is_empty() {
            let why = format!(
                "'{}' reaches nothing of {}",
                visit.pass.name, visit.here.repo
            );
            return Err(Malformed::new("repo", why).into());
        }
        Ok(Self {
            visit,
            asked,
            spaces,
            args,
        })
    }

    pub(super) fn here(&self) -> &'a Here<'a> {
        self.visit.here
    }

    /// The store, the code, the rules; whoever has the pass is the one who does it.
    pub(super) fn cx(&self) -> Context<'_> {
        Context {
            beside: &self.spaces,
            actor: Some(&self.visit.pass.name),
            ..*self.visit.cx
        }
    }

    /// The same for what is written into this space.
    pub(super) fn cx_for(&self, space: &Space) -> Context<'_> {
        self.visit.here.ruled(&self.cx(), space)
    }

    /// The repository's space, or the person's, where the pass reaches it.
    pub(super) fn space(&self, is_persons: bool) -> Option<&Space> {
        self.spaces.iter().find(|it| it.is_user() == is_persons)
    }

    pub(super) fn is_review(&self) -> bool {
        self.visit.pass.allows(Access::Review)
    }

    /// A person's voice, from whoever may decide as one.
    pub(super) fn persons_voice(&self) -> Voice {
        let author = Some(self.visit.pass.name.clone());
        Voice {
            author,
            ..Voice::of(Origin::User).via(Channel::Http)
        }
    }

    /// Whose words these are: a person's where a check is to be overridden and the pass allows it.
    pub(super) fn voice(&mut self, is_forced: bool) -> Result<Voice, Fault> {
        let voice = if is_forced && self.is_review() {
            self.persons_voice()
        } else {
            self.visit.voice()
        };
        Ok(Voice {
            tainted: self.args.flag("tainted")?,
            session: self.here().session.map(Into::into),
            ..voice
        })
    }

    /// The name that stands in the path.
    pub(super) fn name(&self) -> Result<Name, Malformed> {
        self.asked
            .part("name")
            .parse()
            .map_err(|error| Malformed::new("name", error))
    }

    /// The memory that the path names.
    pub(super) fn memory(&self) -> Result<Result<Memory, Refusal>, Fault> {
        let name = self.name()?;
        let found = list::named(&self.cx(), &self.spaces, name)?;
        Ok(found.ok_or_else(|| Refusal::NoSuchMemory {
            name: name.to_string(),
        }))
    }

    /// A memory with how it stands here.
    pub(super) fn looked_up(&self, memory: Memory) -> MemoryView {
        let plain = MemoryView::from(&memory);
        look(&self.cx(), vec![memory])
            .first()
            .map_or(plain, MemoryView::from)
    }

    /// What became of a draft.
    pub(super) fn kept(&self, word: &'static str, outcome: Outcome) -> Result<Reply, Fault> {
        match outcome {
            Outcome::Remembered {
                memory,
                identity_percent,
                retired,
                superseded,
            } => {
                let kept = KeptReply::new(word, &memory);
                let near = superseded
                    .map(|it| crate::told_near(&self.cx(), vec![it]))
                    .transpose()?;
                let superseded = near.and_then(|it| it.first().map(NearView::from));
                let retired = (retired > 0).then_some(retired);
                let memory = self.looked_up(*memory);
                let kept = KeptReply {
                    memory,
                    identity_percent,
                    retired,
                    superseded,
                    ..kept
                };
                Ok(reply(201, &kept)?.changed())
            }
            Outcome::Refreshed { memory } => {
                let kept = KeptReply::new("refreshed", &memory);
                Ok(reply(
                    200,
                    &KeptReply {
                        memory: self.looked_up(*memory),
                        ..kept
                    },
                )?
                .changed())
            }
            Outcome::Similar { near } => reply(
                422,
                &SimilarReply::choose(&crate::told_near(&self.cx(), near)?),
            ),
            Outcome::Refused(refusal) => refused(&refusal),
        }
    }

    /// What became of a memory that something was done to.
    pub(super) fn revised(&self, word: &'static str, revised: Revised) -> Result<Reply, Fault> {
        match revised {
            Revised::Refused(refusal) => refused(&refusal),
            Revised::Done(memory) => {
                let memories: Vec<Verified> = look(&self.cx(), vec![*memory]);
                let done = Memories {
                    ok: true,
                    outcome: Some(word),
                    memories: views(&memories),
                };
                Ok(reply(200, &done)?.changed())
            }
        }
    }
}

/// An answer as JSON. Whoever asked may put it before a model, so nothing hides in it and no secret is told.
pub(super) fn reply(status: u16, answer: &impl Serialize) -> Result<Reply, Fault> {
    let text = moderate::json(serde_json::to_string(answer)?, moderate::told);
    Ok(Reply::of(status, "application/json", text))
}

/// What was turned away. What is not there is not found; everything else is refused.
pub(super) fn refused(refusal: &Refusal) -> Result<Reply, Fault> {
    let status = match refusal {
        Refusal::NoSuchMemory { .. } | Refusal::NoSuchTask { .. } => 404,
        _ => 422,
    };
    reply(
        status,
        &Refused {
            ok: false,
            refused: RefusalView::from(refusal),
        },
    )
}

/// The same for what only this face turns away.
pub(super) fn turned_away(class: &'static str, message: impl Into<String>) -> Result<Reply, Fault> {
    reply(
        422,
        &Refused {
            ok: false,
            refused: RefusalView::new(class, message.into()),
        },
    )
}

/// What is not there, and is no memory and no task.
pub(super) fn not_found(message: String) -> Result<Reply, Fault> {
    #[derive(Serialize)]
    struct NotFound {
        ok: bool,
        error: Message,
    }
    #[derive(Serialize)]
    struct Message {
        message: String,
    }
    reply(
        404,
        &NotFound {
            ok: false,
            error: Message { message },
        },
    )
}
