//! The names of the settings.

use apostille_text::secrets::mask_secrets;
use apostille_text::{typo, words::words};

words! {
    /// What can be set.
    SettingKey as "key" {
        /// Where memories are kept.
        Store = "store",
        /// The user's name.
        User = "user",
        /// The repository's name.
        Repo = "repo",
        /// What is put before a model by itself.
        InjectMode = "inject_mode",
        /// How many characters of it.
        MaxInjectChars = "max_inject_chars",
        /// How many memories.
        MaxInjectCount = "max_inject_count",
        /// How many of the most recent a first prompt is shown that matches nothing.
        InjectFallback = "inject_fallback",
        /// What is kept of conversations.
        Archive = "archive",
        /// How many are kept active.
        MaxTotal = "max_total",
        /// How relevance is scored.
        Scoring = "scoring",
        /// Whether repository facts need a citation.
        RequireCitations = "require_citations",
        /// How a person confirms what only a person decides.
        Confirm = "confirm",
        /// Where GitHub's API is.
        GithubUrl = "github.url",
        /// Which repositories servers read there, where they are not checked out.
        GithubRead = "github.read",
        /// Which repositories are trusted without a question.
        TrustAllow = "trust.allow",
        /// Where a server listens.
        ServeListen = "serve.listen",
        /// The certificate that it shows.
        ServeCert = "serve.cert",
        /// The key of that.
        ServeKey = "serve.key",
        /// The proxies that stand before it.
        ServeBehindProxy = "serve.behind_proxy",
        /// Where they say who asks.
        ServeProxyHeader = "serve.proxy_header",
        /// What clients call it.
        ServePublicHost = "serve.public_host",
        /// Where a server finds the code of repositories that are not checked out.
        Repos = "repos",
        /// Where the model is.
        ModelUrl = "model.url",
        /// What the model is called.
        ModelName = "model.name",
        /// Which protocol it speaks.
        ModelApi = "model.api",
        /// Which variable holds its key.
        ModelKeyEnv = "model.key_env",
        /// How long it may take.
        ModelTimeoutMs = "model.timeout_ms",
        /// How many requests a day has.
        ModelBudget = "model.budget",
        /// Whether it looks over what agents want to keep.
        ModelGuard = "model.guard",
        /// Where the gates of tasks are written down.
        TaskDir = "task.dir",
        /// Whether tasks write files into the repository.
        TaskFiles = "task.files",
        /// Whether NOTES.md tells of the active task.
        TaskNotes = "task.notes",
        /// How many decisions a week are put before the person.
        QueuePerWeek = "queue.per_week",
        /// Of which repositories reviews are read.
        ReviewsRepos = "reviews.repos",
        /// The secret that deliveries are signed with.
        ReviewsSecret = "reviews.secret",
        /// The file that holds it.
        ReviewsSecretFile = "reviews.secret_file",
        /// What the user is called at the host.
        ReviewsLogin = "reviews.login",
        /// How many maintainers make a rule.
        ReviewsMaintainers = "reviews.maintainers",
        /// Or how many comments.
        ReviewsComments = "reviews.comments",
        /// Of how many people.
        ReviewsCollaborators = "reviews.collaborators",
        /// In how many pull requests.
        ReviewsPulls = "reviews.pulls",
        /// After how many days a rule that nobody confirmed is marked.
        ReviewsExpireDays = "reviews.expire_days",
        /// After how many tasks.
        ReviewsExpireTasks = "reviews.expire_tasks",
        /// The share of sessions that go without memory.
        ImpactHoldout = "impact.holdout",
        /// Which memories are shown unasked.
        ImpactTier = "impact.tier",
        /// After how many finished tasks patterns are looked for.
        ReflectEvery = "reflect.every",
        /// After how many memories are consolidated.
        ConsolidateEvery = "consolidate.every",
        /// Where replicas meet.
        Sync = "sync",
        /// Which values are no secrets.
        SecretsAllow = "secrets.allow",
        /// What is a secret besides.
        SecretsRules = "secrets.rules",
        /// How many new memories at once trip a breaker.
        BreakersBurst = "breakers.burst",
        /// How many that say nearly the same.
        BreakersCopies = "breakers.copies",
        /// From how many on a sudden change is looked for.
        BreakersDrift = "breakers.drift",
        /// How many found wrong at once.
        BreakersInvalidations = "breakers.invalidations",
        /// How long at once is.
        BreakersWindowMinutes = "breakers.window_minutes",
        /// After how long a breaker closes by itself.
        BreakersQuietMinutes = "breakers.quiet_minutes",
    }
}

impl SettingKey {
    /// The keys that `agent.json` knows.
    pub const OF_AGENT_JSON: &'static [Self] = &[
        Self::InjectMode,
        Self::MaxInjectChars,
        Self::MaxInjectCount,
        Self::MaxTotal,
    ];

    /// Whether it is about the model.
    pub fn is_model(self) -> bool {
        self.as_str().starts_with("model.")
    }

    /// Whether it is about a server for other machines.
    pub fn is_serve(self) -> bool {
        self == Self::Repos || self.as_str().starts_with("serve.")
    }

    /// Whether it is about the breakers.
    pub fn is_breakers(self) -> bool {
        self.as_str().starts_with("breakers.")
    }

    /// Whether it is about reviews.
    pub fn is_reviews(self) -> bool {
        self.as_str().starts_with("reviews.")
    }

    /// Whether it is the secret of deliveries, or says where that is.
    pub fn is_review_secret(self) -> bool {
        matches!(self, Self::ReviewsSecret | Self::ReviewsSecretFile)
    }

    /// Whether it is about secrets.
    pub fn is_secrets(self) -> bool {
        self.as_str().starts_with("secrets.")
    }

    /// Its variable in the environment.
    pub fn env_variable(self) -> String {
        format!(
            "APOSTILLE_{}",
            self.as_str().to_ascii_uppercase().replace('.', "_")
        )
    }

    /// The key of this name among those known, or what to write instead.
    pub fn from_name(name: &str, known: &[Self]) -> Result<Self, String> {
        if let Some(key) = known.iter().find(|it| it.as_str() == name) {
            return Ok(*key);
        }
        let errors = |it: &Self| typo::count_spelling_errors(name, it.as_str());
        let nearest = known
            .iter()
            .filter_map(|it| Some((errors(it)?, it)))
            .min_by_key(|it| it.0);
        let shown = mask_secrets(name);
        let shown: String = shown.chars().filter(|c| !c.is_control()).take(60).collect();
        Err(match nearest {
            Some((_, key)) => format!("unknown key '{shown}'; did you mean '{key}'?"),
            None => {
                let known: Vec<&str> = known.iter().map(|it| it.as_str()).collect();
                format!("unknown key '{shown}'; there are: {}", known.join(", "))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variable_of_every_setting_is_read() {
        for key in SettingKey::ALL {
            let name = key.env_variable();
            assert!(crate::system::NAMES.contains(&&*name), "{name}");
        }
    }

    #[test]
    fn a_misspelt_key_is_told_its_name() {
        let check = |name: &str, expected: &str| {
            assert_eq!(
                SettingKey::from_name(name, SettingKey::ALL).unwrap_err(),
                expected
            );
        };
        check(
            "inject_modee",
            "unknown key 'inject_modee'; did you mean 'inject_mode'?",
        );
        check(
            "scorring",
            "unknown key 'scorring'; did you mean 'scoring'?",
        );
        assert!(
            SettingKey::from_name("endpoint", SettingKey::ALL)
                .unwrap_err()
                .starts_with("unknown key 'endpoint'; there are: store, ")
        );
    }
}
