//! What came with reviews is kept by every store: comments as evidence, and how a pull request ended.

use apostille_core::{
    evidence::{ReviewAuthority, ReviewRemark},
    memory::Stage,
    pull_outcome::{PullOutcome, record_pull_end},
    review_remarks::list_remarks,
    review_rules::{ProposedRule, propose_rule, withdraw_comment},
};
use tempfile::TempDir;

use crate::rig::{all, open, space, with_context};

fn ask(pull_request: u64, reviewer: &str) -> ProposedRule {
    ProposedRule {
        space: space(),
        text: "We always wrap database calls in a transaction.".into(),
        remark: ReviewRemark {
            pull_request,
            comment: format!("discussion_r{pull_request}"),
            reviewer: reviewer.into(),
            authority: ReviewAuthority::Maintainer,
            author: Some("erin".into()),
            path: Some("src/api.rs".parse().unwrap()),
            at: "2026-03-02T09:00:00Z".parse().unwrap(),
        },
    }
}

#[test]
fn rule_of_reviewers_is_kept_and_its_outcomes_are_counted() {
    for kind in ["sqlite", "jsonl"] {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("store");
        let store = open(kind, &path).unwrap();
        for rule in [ask(1, "alice"), ask(2, "bob")] {
            with_context(&*store, |cx| propose_rule(cx, &rule).unwrap());
        }
        let rules = all(&*store).unwrap();
        assert_eq!(rules.len(), 1, "{kind}");
        assert!(rules[0].is_active(), "{kind}: {rules:?}");
        for outcome in [
            PullOutcome::Merged,
            PullOutcome::Merged,
            PullOutcome::Rejected,
        ] {
            with_context(&*store, |cx| {
                record_pull_end(cx, &rules, outcome, 3).unwrap()
            });
        }
        with_context(&*store, |cx| {
            withdraw_comment(cx, &space(), "discussion_r1").unwrap()
        });
        drop(store);
        let store = open(kind, &path).unwrap();
        let summary = store.summarize_space(&space()).unwrap();
        let counts = ["pull_merged", "pull_rejected"].map(|it| summary.count_events(it));
        assert_eq!(counts, [2, 1], "{kind}");
        let rules = all(&*store).unwrap();
        assert_eq!(rules[0].status.stage(), Stage::Pending, "{kind}");
        assert_eq!(list_remarks(&rules[0]).count(), 1, "{kind}");
        assert!(store.check_health().unwrap().problems.is_empty(), "{kind}");
    }
}
