//! What each call answers.

use std::time::Duration;

use apostille_agents::task_opening::{OPENING_TOKENS, OpeningRequest, open_task};
use apostille_api::access_token::Access;
use insta::assert_snapshot;

use super::{Desk, TestCaller, id};
use crate::world::{World, repo};

#[test]
fn memories_are_listed_by_what_they_are_and_page_by_page() {
    let desk = Desk::new();
    let caller = TestCaller::new(&desk, Access::Read);
    let lines = caller.told(&[
        "GET /api/memories",
        "GET /api/memories?kind=user&kind=feedback",
        "GET /api/memories?layer=episode&task=warm-the-cache",
        "GET /api/memories?status=pending",
        "GET /api/memories?path=src&order=oldest&limit=1",
        "GET /api/memories?origin=user&text=TABS&tag=",
        "GET /api/memories?since=1h&until=2026-02-26T12:00:01Z",
        "GET /api/memories?since=2027-01-01",
    ]);
    assert_snapshot!(lines, @r#"
    GET /api/memories
      → 200 {"memories":[{"handle":"m-4","fact":"saw that the cache is cold","task":"warm-the-cache","status":"active","standing":"stated","shown":"plain","verdicts":[]},{"handle":"m-3","fact":"the answer is 42","marks":["ungrounded"],"status":"pending","status_why":"the cited lines do not say `42`","standing":"stands","shown":"plain","verdicts":[{"verdict":"holds"}]},{"handle":"u-1","fact":"prefers tabs over spaces","status":"active","standing":"stated","shown":"plain","verdicts":[]},{"handle":"m-2","fact":"retries is 3","status":"active","standing":"contradicted","shown":"withheld","verdicts":[{"verdict":"changed","change":"substance","now":"let retries = 5;","contradicted":["3"]}]},{"handle":"m-1","fact":"API_VERSION is v3","status":"active","recalls":1,"verified":1,"standing":"stands","shown":"plain","verdicts":[{"verdict":"holds"}]}]}
    GET /api/memories?kind=user&kind=feedback
      → 200 {"memories":[{"handle":"u-1","fact":"prefers tabs over spaces","status":"active","standing":"stated","shown":"plain","verdicts":[]}]}
    GET /api/memories?layer=episode&task=warm-the-cache
      → 200 {"memories":[{"handle":"m-4","fact":"saw that the cache is cold","task":"warm-the-cache","status":"active","standing":"stated","shown":"plain","verdicts":[]}]}
    GET /api/memories?status=pending
      → 200 {"memories":[{"handle":"m-3","fact":"the answer is 42","marks":["ungrounded"],"status":"pending","status_why":"the cited lines do not say `42`","standing":"stands","shown":"plain","verdicts":[{"verdict":"holds"}]}]}
    GET /api/memories?path=src&order=oldest&limit=1
      → 200 {"memories":[{"handle":"m-1","fact":"API_VERSION is v3","status":"active","recalls":1,"verified":1,"standing":"stands","shown":"plain","verdicts":[{"verdict":"holds"}]}],"next":"oldest.1772107200000.1.myorg/myapp"}
    GET /api/memories?origin=user&text=TABS&tag=
      → 200 {"memories":[{"handle":"u-1","fact":"prefers tabs over spaces","status":"active","standing":"stated","shown":"plain","verdicts":[]}]}
    GET /api/memories?since=1h&until=2026-02-26T12:00:01Z
      → 200 {"memories":[{"handle":"m-1","fact":"API_VERSION is v3","status":"active","recalls":1,"verified":1,"standing":"stands","shown":"plain","verdicts":[{"verdict":"holds"}]}]}
    GET /api/memories?since=2027-01-01
      → 200 {"memories":[]}
    "#);
}

#[test]
fn a_listing_goes_on_where_it_ended() {
    let desk = Desk::new();
    let caller = TestCaller::new(&desk, Access::Read);
    for order in ["newest", "oldest", "refreshed"] {
        let (mut seen, mut after) = (Vec::new(), String::new());
        loop {
            let reply = caller.asks(&format!(
                "GET /api/memories?order={order}&limit=2&after={after}"
            ));
            let page: serde_json::Value = serde_json::from_str(&reply.body).unwrap();
            let handles = page["memories"]
                .as_array()
                .unwrap()
                .iter()
                .map(|it| it["handle"].to_string());
            seen.extend(handles);
            match page["next"].as_str() {
                Some(next) => after = next.to_owned(),
                None => break,
            }
        }
        seen.sort();
        assert_eq!(
            seen,
            ["\"m-1\"", "\"m-2\"", "\"m-3\"", "\"m-4\"", "\"u-1\""],
            "{order}"
        );
    }
}

#[test]
fn conversation_is_learned_from() {
    let desk = Desk::new();
    let caller = TestCaller::new(&desk, Access::Write);
    let lines = caller.told(&[
        r#"POST /api/learn {"turns":[{"speaker":"user","text":"From now on, always use tabs in this repo."},{"speaker":"assistant","text":"I will, see m-1."}],"shown":["m-1","m-2","m-99"],"session":"run-7"}"#,
        r#"POST /api/learn {"turns":[{"speaker":"assistant","text":"We always use spaces in this repo."}]}"#,
        r#"POST /api/learn {"turns":[{"speaker":"system","text":"x"}]}"#,
        "POST /api/learn",
    ]);
    assert_snapshot!(lines, @r#"
    POST /api/learn {"turns":[{"speaker":"user","text":"From now on, always use tabs in this repo."},{"speaker":"assistant","text":"I will, see m-1."}],"shown":["m-1","m-2","m-99"],"session":"run-7"}
      → 200 changed {"proposed":[{"handle":"m-5","fact":"The user wants the agent to always use tabs in this repo.","reason":"stated in session run-7, turn 1","tags":["gleaned","preference"],"session":"run-7","status":"pending","status_why":"it was extracted from a session and is not confirmed","standing":"stated","shown":"plain","verdicts":[]}],"applied":[{"handle":"m-1","fact":"API_VERSION is v3","status":"active","recalls":1,"applied":1,"verified":1,"standing":"stands","shown":"plain","verdicts":[{"verdict":"holds"}]}]}
    POST /api/learn {"turns":[{"speaker":"assistant","text":"We always use spaces in this repo."}]}
      → 200 {"proposed":[],"applied":[]}
    POST /api/learn {"turns":[{"speaker":"system","text":"x"}]}
      → 400 {"error":{"message":"turns[0].speaker: expected user or assistant"}}
    POST /api/learn
      → 200 {"proposed":[],"applied":[]}
    "#);
}

#[test]
fn facts_are_kept_known_merged_or_skipped() {
    let desk = Desk::new();
    let caller = TestCaller::new(&desk, Access::Write);
    let lines = caller.told(&[
        r##"POST /api/memories {"fact":"the docs begin with '# API'","citations":["docs/api.md:1"],"subject":"docs","tags":["docs"]}"##,
        r##"POST /api/memories {"fact":"the docs begin with '# API'","citations":["docs/api.md:1"],"subject":"docs"}"##,
        r#"POST /api/memories {"fact":"The version of the api is v3 for every one of the clients","citations":["src/api.rs:1-5"]}"#,
        r#"POST /api/memories {"fact":"The version of the api is v3 for every one of our clients","citations":["src/api.rs:1-5"]}"#,
        r#"POST /api/memories {"fact":"The version of the api is v3 for every one of our clients","citations":["src/api.rs:1-5"],"skip":true}"#,
        r#"POST /api/memories {"fact":"The version of the api is v3 for every one of our clients","citations":["src/api.rs:1-5"],"merge_with":"m-6"}"#,
        r#"POST /api/memories {"fact":"The version of the api is v3 for every one of their clients","citations":["src/api.rs:1-5"],"rationale":"they are others"}"#,
        r#"POST /api/memories {"fact":"likes short answers","kind":"user"}"#,
        r#"POST /api/memories {"fact":"is called Ana","layer":"identity"}"#,
        r#"POST /api/memories {"fact":"says a page","kind":"feedback","tainted":true}"#,
    ]);
    assert_snapshot!(lines, @r#"
    POST /api/memories {"fact":"the docs begin with '# API'","citations":["docs/api.md:1"],"subject":"docs","tags":["docs"]}
      → 201 changed {"outcome":"remembered","memory":{"handle":"m-5","subject":"docs","fact":"the docs begin with '# API'","tags":["docs"],"status":"active","standing":"stands","shown":"plain","verdicts":[{"verdict":"holds"}]}}
    POST /api/memories {"fact":"the docs begin with '# API'","citations":["docs/api.md:1"],"subject":"docs"}
      → 200 changed {"outcome":"refreshed","memory":{"handle":"m-5","subject":"docs","fact":"the docs begin with '# API'","tags":["docs"],"status":"active","standing":"stands","shown":"plain","verdicts":[{"verdict":"holds"}]}}
    POST /api/memories {"fact":"The version of the api is v3 for every one of the clients","citations":["src/api.rs:1-5"]}
      → 201 changed {"outcome":"remembered","memory":{"handle":"m-6","fact":"The version of the api is v3 for every one of the clients","status":"active","standing":"stands","shown":"plain","verdicts":[{"verdict":"holds"}]}}
    POST /api/memories {"fact":"The version of the api is v3 for every one of our clients","citations":["src/api.rs:1-5"]}
      → 422 {"similar":[{"handle":"m-6","fact":"The version of the api is v3 for every one of the clients","relation":"near-duplicate","overlap":0.90909094}],"choices":["skip","merge","create"]}
    POST /api/memories {"fact":"The version of the api is v3 for every one of our clients","citations":["src/api.rs:1-5"],"skip":true}
      → 200 {"outcome":"skipped","similar":[{"handle":"m-6","fact":"The version of the api is v3 for every one of the clients","relation":"near-duplicate","overlap":0.90909094}]}
    POST /api/memories {"fact":"The version of the api is v3 for every one of our clients","citations":["src/api.rs:1-5"],"merge_with":"m-6"}
      → 201 changed {"outcome":"remembered","memory":{"handle":"m-7","fact":"The version of the api is v3 for every one of our clients","status":"active","supersedes":"019c99d2-1158-7000-8000-000000000008","standing":"stands","shown":"plain","verdicts":[{"verdict":"holds"}]}}
    POST /api/memories {"fact":"The version of the api is v3 for every one of their clients","citations":["src/api.rs:1-5"],"rationale":"they are others"}
      → 201 changed {"outcome":"remembered","memory":{"handle":"m-8","fact":"The version of the api is v3 for every one of their clients","status":"active","standing":"stands","shown":"plain","verdicts":[{"verdict":"holds"}]}}
    POST /api/memories {"fact":"likes short answers","kind":"user"}
      → 201 changed {"outcome":"remembered","memory":{"handle":"u-2","fact":"likes short answers","marks":["ungrounded"],"status":"pending","status_why":"it is about the user or a command, and no record of this session can be read to prove it","standing":"stated","shown":"plain","verdicts":[]},"pending":"it is about the user or a command, and no record of this session can be read to prove it"}
    POST /api/memories {"fact":"is called Ana","layer":"identity"}
      → 201 changed {"outcome":"remembered","memory":{"handle":"u-3","fact":"is called Ana","marks":["ungrounded"],"status":"pending","status_why":"it is about the user or a command, and no record of this session can be read to prove it","standing":"stated","shown":"plain","verdicts":[]},"pending":"it is about the user or a command, and no record of this session can be read to prove it","identity_percent":2}
    POST /api/memories {"fact":"says a page","kind":"feedback","tainted":true}
      → 201 changed {"outcome":"remembered","memory":{"handle":"m-9","fact":"says a page","tainted":true,"status":"pending","status_why":"the text comes from outside","standing":"stated","shown":"plain","verdicts":[]},"pending":"the text comes from outside"}
    "#);
}

#[test]
fn one_memory_is_shown_with_its_chain_and_its_history() {
    let desk = Desk::new();
    let caller = TestCaller::new(&desk, Access::Write);
    let by_id = format!("GET /api/memories/{}", id(&desk, "m-2"));
    let lines = caller.told(&[
        &by_id,
        r#"POST /api/memories/m-2/correct {"fact":"retries is 5","citations":["src/old.rs:1"]}"#,
        "GET /api/memories/m-2",
    ]);
    assert_snapshot!(lines.replace(&by_id, "GET /api/memories/<id of m-2>"), @r#"
    GET /api/memories/<id of m-2>
      → 200 {"memory":{"handle":"m-2","fact":"retries is 3","status":"active","standing":"contradicted","shown":"withheld","verdicts":[{"verdict":"changed","change":"substance","now":"let retries = 5;","contradicted":["3"]}]},"supersedes":[],"superseded_by":[],"history":[{"event":"remembered","memory":{"fact":"retries is 3","status":"active"},"handle":"m-2"}]}
    POST /api/memories/m-2/correct {"fact":"retries is 5","citations":["src/old.rs:1"]}
      → 201 changed {"outcome":"remembered","memory":{"handle":"m-5","fact":"retries is 5","status":"active","supersedes":"019c99d1-f9e8-7000-8000-000000000002","standing":"stands","shown":"plain","verdicts":[{"verdict":"holds"}]}}
    GET /api/memories/m-2
      → 200 {"memory":{"handle":"m-2","fact":"retries is 3","status":"superseded","superseded_by":"019c99d2-0d70-7000-8000-000000000006","standing":"contradicted","shown":"withheld","verdicts":[{"verdict":"changed","change":"substance","now":"let retries = 5;","contradicted":["3"]}],"replaced_by":"m-5"},"supersedes":[],"superseded_by":[{"handle":"m-5","fact":"retries is 5","status":"active","supersedes":"019c99d1-f9e8-7000-8000-000000000002","standing":"stands","shown":"plain","verdicts":[{"verdict":"holds"}]}],"history":[{"event":"corrected","by":"019c99d2-0d70-7000-8000-000000000006","handle":"m-2"},{"event":"remembered","memory":{"fact":"retries is 3","status":"superseded","superseded_by":"019c99d2-0d70-7000-8000-000000000006"},"handle":"m-2"}]}
    "#);
}

#[test]
fn memories_are_revised() {
    let desk = Desk::new();
    let caller = TestCaller::new(&desk, Access::Write);
    let lines = caller.told(&[
        "POST /api/memories/m-1/refresh",
        "POST /api/memories/m-1/apply {}",
        "POST /api/memories/m-2/refresh",
        r#"POST /api/memories/m-2/invalidate {"reason":"it is five"}"#,
        r#"POST /api/memories/m-2/apply"#,
        r#"POST /api/memories/m-1/supersede {"fact":"API_VERSION is \"v3\" in src/api.rs"}"#,
        r#"POST /api/memories/m-4/promote {"subject":"cache","reason":"it costs a minute","kind":"feedback"}"#,
        "DELETE /api/memories/m-4?reason=done",
        "DELETE /api/memories/m-4",
    ]);
    assert_snapshot!(lines, @r#"
    POST /api/memories/m-1/refresh
      → 200 changed {"outcome":"refreshed","memories":[{"handle":"m-1","fact":"API_VERSION is v3","status":"active","recalls":1,"verified":1,"standing":"stands","shown":"plain","verdicts":[{"verdict":"holds"}]}]}
    POST /api/memories/m-1/apply {}
      → 200 changed {"outcome":"applied","memories":[{"handle":"m-1","fact":"API_VERSION is v3","status":"active","recalls":1,"applied":1,"verified":1,"standing":"stands","shown":"plain","verdicts":[{"verdict":"holds"}]}]}
    POST /api/memories/m-2/refresh
      → 422 {"refused":{"class":"does_not_hold","message":"m-2 is contradicted here; confirm it, correct it, or invalidate it"}}
    POST /api/memories/m-2/invalidate {"reason":"it is five"}
      → 200 changed {"outcome":"invalidated","memories":[{"handle":"m-2","fact":"retries is 3","status":"invalid","status_why":"it is five","standing":"contradicted","shown":"withheld","verdicts":[{"verdict":"changed","change":"substance","now":"let retries = 5;","contradicted":["3"]}]}]}
    POST /api/memories/m-2/apply
      → 422 {"refused":{"class":"not_active","message":"m-2 is invalid, only an active memory can be applied"}}
    POST /api/memories/m-1/supersede {"fact":"API_VERSION is \"v3\" in src/api.rs"}
      → 201 changed {"outcome":"remembered","memory":{"handle":"m-5","fact":"API_VERSION is \"v3\" in src/api.rs","status":"active","supersedes":"019c99d1-f600-7000-8000-000000000001","standing":"stands","shown":"plain","verdicts":[{"verdict":"holds"}]}}
    POST /api/memories/m-4/promote {"subject":"cache","reason":"it costs a minute","kind":"feedback"}
      → 201 changed {"outcome":"promoted","memory":{"handle":"m-6","subject":"cache","fact":"saw that the cache is cold","reason":"it costs a minute","task":"warm-the-cache","status":"active","standing":"stated","shown":"plain","verdicts":[]}}
    DELETE /api/memories/m-4?reason=done
      → 200 changed {"outcome":"forgotten","memories":[{"handle":"m-4"}]}
    DELETE /api/memories/m-4
      → 404 {"refused":{"class":"no_such_memory","message":"there is no memory m-4 here; `apostille list` shows the handles"}}
    "#);
}

#[test]
fn a_person_decides_what_waits() {
    let desk = Desk::new();
    let caller = TestCaller::new(&desk, Access::Review);
    let lines = caller.told(&[
        "GET /api/review",
        r#"POST /api/memories/m-3/reject {"reason":"nobody knows"}"#,
        "POST /api/memories/m-3/approve",
        r#"POST /api/memories {"fact":"a page says that tests are slow","kind":"feedback","tainted":true}"#,
        r#"POST /api/memories/m-5/reword {"fact":"tests take a minute","subject":"tests"}"#,
        r#"POST /api/memories {"fact":"a page says the API is stable","kind":"feedback","tainted":true}"#,
        r#"POST /api/memories/m-7/merge {"into":"m-1"}"#,
        r#"POST /api/memories {"fact":"deploys happen on Fridays","kind":"project","force":true}"#,
        "GET /api/breakers",
        r#"POST /api/breakers/close {"actor":"x"}"#,
    ]);
    assert_snapshot!(lines, @r#"
    GET /api/review
      → 200 {"waiting":1,"counts":{"doubtful":1},"due":["m-3"],"queue":[{"memory":{"handle":"m-3","fact":"the answer is 42","marks":["ungrounded"],"status":"pending","status_why":"the cited lines do not say `42`","standing":"stands","shown":"plain","verdicts":[{"verdict":"holds"}]},"care":"doubtful","safe":false,"waits_because":"the cited lines do not say `42`","unsaid":["42"],"near":[],"copies":[]}]}
    POST /api/memories/m-3/reject {"reason":"nobody knows"}
      → 200 changed {"outcome":"rejected","memories":[{"handle":"m-3","fact":"the answer is 42","marks":["ungrounded"],"status":"invalid","status_why":"rejected: nobody knows","standing":"stands","shown":"plain","verdicts":[{"verdict":"holds"}]}]}
    POST /api/memories/m-3/approve
      → 200 changed {"outcome":"approved","memories":[{"handle":"m-3","fact":"the answer is 42","marks":["ungrounded"],"status":"active","standing":"stated","shown":"plain","verdicts":[{"verdict":"holds"}]}]}
    POST /api/memories {"fact":"a page says that tests are slow","kind":"feedback","tainted":true}
      → 201 changed {"outcome":"remembered","memory":{"handle":"m-5","fact":"a page says that tests are slow","tainted":true,"status":"pending","status_why":"the text comes from outside","standing":"stated","shown":"plain","verdicts":[]},"pending":"the text comes from outside"}
    POST /api/memories/m-5/reword {"fact":"tests take a minute","subject":"tests"}
      → 201 changed {"outcome":"remembered","memory":{"handle":"m-6","subject":"tests","fact":"tests take a minute","status":"active","supersedes":"019c99d2-1540-7000-8000-000000000006","standing":"stated","shown":"plain","verdicts":[]}}
    POST /api/memories {"fact":"a page says the API is stable","kind":"feedback","tainted":true}
      → 201 changed {"outcome":"remembered","memory":{"handle":"m-7","fact":"a page says the API is stable","tainted":true,"status":"pending","status_why":"the text comes from outside","standing":"stated","shown":"plain","verdicts":[]},"pending":"the text comes from outside"}
    POST /api/memories/m-7/merge {"into":"m-1"}
      → 200 changed {"outcome":"merged","memories":[{"handle":"m-1","fact":"API_VERSION is v3","status":"active","recalls":1,"verified":1,"standing":"stands","shown":"plain","verdicts":[{"verdict":"holds"}]}]}
    POST /api/memories {"fact":"deploys happen on Fridays","kind":"project","force":true}
      → 201 changed {"outcome":"remembered","memory":{"handle":"m-8","fact":"deploys happen on Fridays","status":"active","standing":"stated","shown":"plain","verdicts":[]}}
    GET /api/breakers
      → 200 {"breakers":[]}
    POST /api/breakers/close {"actor":"x"}
      → 200 {"outcome":"closed","breakers":[]}
    "#);
}

#[test]
fn what_is_known_is_looked_at() {
    let desk = Desk::new();
    let caller = TestCaller::new(&desk, Access::Read);
    let lines = caller.told(&[
        r#"POST /api/recall {"query":"which API_VERSION?","paths":["src/api.rs"],"log":false}"#,
        r#"POST /api/recall {"query":"retries"}"#,
        r#"POST /api/verify {"names":["m-1"]}"#,
        r#"POST /api/verify {"path":"src/old.rs"}"#,
        "GET /api/audit?only=stale",
        "GET /api/stats",
        "GET /api/spaces",
        "GET /api/events?limit=2",
        "GET /api/events?memory=m-2&order=oldest&changes=true",
        "GET /api/report?since=1d",
        "GET /api/sessions",
        "GET /api/sessions/s-1?all=true",
        "GET /api/tasks",
        "GET /api/tasks/warm-the-cache",
    ]);
    assert_snapshot!(lines, @r#"
    POST /api/recall {"query":"which API_VERSION?","paths":["src/api.rs"],"log":false}
      → 200 {"relevant":true,"memories":[{"handle":"m-1","fact":"API_VERSION is v3","status":"active","recalls":1,"verified":1,"standing":"stands","shown":"plain","verdicts":[{"verdict":"holds"}]}],"withheld":[],"block":"<memory-context>\n[Memories]\n- API_VERSION is v3 (m-1; stands src/api.rs:3)\n</memory-context>\n","problems":[]}
    POST /api/recall {"query":"retries"}
      → 200 {"relevant":true,"memories":[],"withheld":[{"handle":"m-2","fact":"retries is 3","status":"active","standing":"contradicted","shown":"withheld","verdicts":[{"verdict":"changed","change":"substance","now":"let retries = 5;","contradicted":["3"]}]}],"block":"","problems":[]}
    POST /api/verify {"names":["m-1"]}
      → 200 {"settled":false,"counts":{"stands":1},"memories":[{"handle":"m-1","fact":"API_VERSION is v3","status":"active","recalls":1,"verified":1,"standing":"stands","shown":"plain","verdicts":[{"verdict":"holds"}]}]}
    POST /api/verify {"path":"src/old.rs"}
      → 200 {"settled":false,"counts":{"contradicted":1},"memories":[{"handle":"m-2","fact":"retries is 3","status":"active","standing":"contradicted","shown":"withheld","verdicts":[{"verdict":"changed","change":"substance","now":"let retries = 5;","contradicted":["3"]}]}]}
    GET /api/audit?only=stale
      → 200 {"spaces":["myorg/myapp","users/ana"],"commit":"c0ffee0000000000000000000000000000000001","memories":{"active":4,"pending":1},"unknown":0,"complete":true,"counts":{"stale":1},"affected":{"stale":1},"findings":[{"class":"stale","severity":"warning","what":"src/old.rs:1 changed (substance)","memories":[{"handle":"m-2","fact":"retries is 3","standing":"contradicted"}],"command":"apostille verify m-2 --fix"}]}
    GET /api/stats
      → 200 {"spaces":[{"active":3,"soft_limit":1000,"over_soft_limit":false,"status":{"active":3,"invalid":0,"pending":1,"retired":0,"superseded":0},"layers":{"episode":1,"identity":0,"knowledge":2,"session":0},"decided_this_week":0,"identity_percent":0,"identity_chars":0,"verified_share":0.5,"events":{"remembered":4,"retrieved":1,"verified_invalid":1,"verified_valid":1},"breakers":[]},{"active":1,"soft_limit":1000,"over_soft_limit":false,"status":{"active":1,"invalid":0,"pending":0,"retired":0,"superseded":0},"layers":{"episode":0,"identity":0,"knowledge":1,"session":0},"decided_this_week":0,"identity_percent":0,"identity_chars":0,"verified_share":null,"events":{"remembered":1},"breakers":[]}]}
    GET /api/spaces
      → 200 {"spaces":[{"active":3,"pending":1,"memories":4},{"active":1,"pending":0,"memories":1}]}
    GET /api/events?limit=2
      → 200 {"events":[{"event":"verified_invalid","found":["changed src/old.rs:1"],"commit":"c0ffee0000000000000000000000000000000001","handle":"m-2"},{"event":"verified_valid","found":["holds src/api.rs:3"],"commit":"c0ffee0000000000000000000000000000000001","handle":"m-1"}],"next":7}
    GET /api/events?memory=m-2&order=oldest&changes=true
      → 200 {"events":[{"event":"remembered","handle":"m-2"}]}
    GET /api/report?since=1d
      → 200 {"since":"2026-02-25T12:00:14Z","until":"2026-02-26T12:00:14.001Z","days":[{"date":"2026-02-26","items":[{"task":"warm-the-cache","title":"warm-the-cache","status":"open","decisions":[],"sessions":[{"handle":"m-4","fact":"saw that the cache is cold","task":"warm-the-cache","status":"active","standing":"stated","shown":"plain","verdicts":[]}],"notes":0}]}]}
    GET /api/sessions
      → 200 {"sessions":[{"session":"s-1","client":"codex","repo":"myorg/myapp","turns":1,"shown":1}]}
    GET /api/sessions/s-1?all=true
      → 200 {"session":"s-1","client":"codex","moments":[{"turn":1,"moment":"prompt","ignored":false,"shown":[{"handle":"m-1","fact":"API_VERSION is v3","standing":"stands","now":"stands","applied":false}],"withheld":[]}]}
    GET /api/tasks
      → 200 {"tasks":[{"slug":"warm-the-cache","title":"Warm the cache","status":"open","active":true,"phase":"look","phases":["look"],"passed":["look"],"started_at":"2026-02-26T12:00:04Z","touched_at":"2026-02-26T12:00:05Z","by":"ana","notes":{"blocker":0,"decision":0,"note":1,"verified":0}}]}
    GET /api/tasks/warm-the-cache
      → 200 {"task":{"slug":"warm-the-cache","title":"Warm the cache","status":"open","active":true,"phase":"look","phases":["look"],"passed":["look"],"started_at":"2026-02-26T12:00:04Z","touched_at":"2026-02-26T12:00:05Z","by":"ana","notes":{"blocker":0,"decision":0,"note":1,"verified":0}},"memories":[{"handle":"m-4","fact":"saw that the cache is cold","task":"warm-the-cache","status":"active","standing":"stated","shown":"plain","verdicts":[]}],"resolved":[]}
    "#);
}

/// What is only looked at leaves no trace.
#[test]
fn looking_writes_nothing() {
    let desk = Desk::new();
    let caller = TestCaller::new(&desk, Access::Read);
    let before = desk.world.log().len();
    for line in [
        "GET /api/memories",
        "GET /api/memories/m-1",
        r#"POST /api/verify {}"#,
        r#"POST /api/recall {"query":"API_VERSION","log":false}"#,
        "GET /api/audit",
        "GET /api/review",
        "GET /api/export",
        "GET /api/events",
        "GET /api/sessions/s-1",
    ] {
        assert_eq!(caller.asks(line).status, 200, "{line}");
        assert_eq!(desk.world.log().len(), before, "{line}");
    }
    caller.asks(r#"POST /api/recall {"query":"API_VERSION"}"#);
    let words = desk.world.words();
    assert_eq!(words[before..], ["retrieved", "verified_valid"]);
}

#[test]
fn what_was_exported_is_read_in_again() {
    let desk = Desk::new();
    let caller = TestCaller::new(&desk, Access::Review);
    for format in ["json", "jsonl"] {
        let exported = caller
            .asks(&format!("GET /api/export?format={format}"))
            .body;
        let other = Desk {
            world: crate::world::World::verified(),
            shelf: Desk::new().shelf,
        };
        let reader = TestCaller::new(&other, Access::Review);
        let rehearsed = reader.asks(&format!(
            "POST /api/import?dry_run=true&trust=true {exported}"
        ));
        assert!(
            !rehearsed.is_change && rehearsed.body.contains("\"kept\":5"),
            "{}",
            rehearsed.body
        );
        let read = reader.asks(&format!("POST /api/import?trust=true {exported}"));
        assert!(
            read.is_change && read.body.contains("\"kept\":5"),
            "{}",
            read.body
        );
        let again = reader
            .asks(&format!("GET /api/export?format={format}"))
            .body;
        let plain = |text: &str| {
            text.lines()
                .filter(|it| !it.contains("exported_at"))
                .collect::<String>()
        };
        assert_eq!(plain(&again), plain(&exported));
    }
}

#[test]
fn files_of_others_wait_for_a_person() {
    let desk = Desk::new();
    let caller = TestCaller::new(&desk, Access::Write);
    let lines = caller.told(&[
        "POST /api/import?name=AGENTS.md #\u{a0}Rules\n\n- Run the tests before you push\n- Use four spaces\n",
        "POST /api/import?name=AGENTS.md&dry_run=true #\u{a0}Rules\n\n- Run the tests before you push\n",
        "GET /api/export?format=markdown",
    ]);
    assert_snapshot!(lines, @r#"
    POST /api/import?name=AGENTS.md # Rules

    - Run the tests before you push
    - Use four spaces

      → 200 changed {"dry_run":false,"kept":3,"known":0,"waiting":3,"let_in":0,"refused":[],"files":[{"file":"AGENTS.md","format":"rules","kept":3,"known":0,"waiting":3,"let_in":0,"changed":[],"refused":[],"left_out":[]}]}
    POST /api/import?name=AGENTS.md&dry_run=true # Rules

    - Run the tests before you push

      → 200 {"dry_run":true,"kept":0,"known":2,"waiting":0,"let_in":0,"refused":[],"files":[{"file":"AGENTS.md","format":"rules","kept":0,"known":2,"waiting":0,"let_in":0,"changed":[],"refused":[],"left_out":[]}]}
    GET /api/export?format=markdown
      → 200 # Memories⏎⏎## myorg/myapp⏎⏎### knowledge⏎⏎- m-1 API_VERSION is v3⏎  `src/api.rs:3` · project · said by agent · 2026-02-26T12:00:00Z⏎- m-2 retries is 3⏎  `src/old.rs:1` · project · said by agent · 2026-02-26T12:00:01Z⏎⏎### episode⏎⏎- m-4 saw that the cache is cold⏎  project · said by agent · 2026-02-26T12:00:04Z⏎⏎### pending⏎⏎- m-3 the answer is 42⏎  `docs/api.md:3` · project · said by agent · the cited lines do not say `42` · 2026-02-26T12:00:03Z⏎- m-5 # Rules⏎  feedback · said by agent · the text comes from outside · 2026-02-26T12:00:05Z⏎- m-6 Run the tests before you push⏎  feedback · said by agent · the text comes from outside · 2026-02-26T12:00:05Z⏎- m-7 Use four spaces⏎  feedback · said by agent · the text comes from outside · 2026-02-26T12:00:05Z⏎⏎## users/ana⏎⏎### knowledge⏎⏎- u-1 prefers tabs over spaces⏎  user · said by user · 2026-02-26T12:00:02Z⏎
    "#);
}

#[test]
fn recall_and_listing_are_narrowed() {
    let desk = Desk::new();
    let caller = TestCaller::new(&desk, Access::Write);
    let kept = caller.asks(
        r#"POST /api/memories {"fact":"API_VERSION is what billing asks for","kind":"feedback","project":"Billing"}"#,
    );
    assert_eq!(kept.status, 201, "{}", kept.body);
    let handles = |line: &str, field: &str| {
        let reply = caller.asks(line);
        assert_eq!(reply.status, 200, "{line} {}", reply.body);
        let answer: serde_json::Value = serde_json::from_str(&reply.body).unwrap();
        let memories = answer[field].as_array().unwrap();
        let handle = |it: &serde_json::Value| {
            let memory = it.get("memory").unwrap_or(it);
            memory["handle"].as_str().unwrap().to_owned()
        };
        let mut handles: Vec<String> = memories.iter().map(handle).collect();
        handles.sort();
        handles.join(" ")
    };
    let check = |filter: &str, expected: &str| {
        let line = format!(r#"POST /api/recall {{"query":"API_VERSION cache"{filter}}}"#);
        assert_eq!(handles(&line, "memories"), expected, "{filter}");
    };
    check("", "m-1 m-5");
    check(r#","project":"billing""#, "m-5");
    check(r#","tag":"project:billing""#, "m-5");
    check(r#","kind":"project""#, "m-1");
    check(r#","citing":"src""#, "m-1");
    check(r#","since":"1h""#, "m-1 m-5");
    check(r#","until":"2020-01-01""#, "");
    check(
        r#","address":"/myorg/myapp/episodes/warm-the-cache/""#,
        "m-4",
    );
    let check = |query: &str, expected: &str| {
        let line = format!("GET /api/memories?{query}");
        assert_eq!(handles(&line, "memories"), expected, "{query}");
    };
    check("project=billing", "m-5");
    check("address=/myorg/myapp/episodes/", "m-4");
    check("address=users/ana/", "u-1");
}

#[test]
fn address_does_not_leave_the_reach_of_a_token() {
    let desk = Desk::new();
    let caller = TestCaller::new(&desk, Access::Read).in_spaces(&["myorg/myapp"]);
    let lines = caller.told(&[
        "GET /api/memories?address=users/ana/",
        "GET /api/memories?address=users/nobody/",
        r#"POST /api/recall {"query":"tabs","address":"users/ana/"}"#,
        r#"POST /api/recall {"query":"tabs","address":"tabs"}"#,
    ]);
    assert_snapshot!(lines, @r#"
    GET /api/memories?address=users/ana/
      → 400 {"error":{"message":"address: users/ana/ is not in a space that is asked here (myorg/myapp); behind the space stands one of: identity, knowledge, episodes, review-rules, sessions"}}
    GET /api/memories?address=users/nobody/
      → 400 {"error":{"message":"address: users/nobody/ is not in a space that is asked here (myorg/myapp); behind the space stands one of: identity, knowledge, episodes, review-rules, sessions"}}
    POST /api/recall {"query":"tabs","address":"users/ana/"}
      → 400 {"error":{"message":"address: users/ana/ is not in a space that is asked here (myorg/myapp); behind the space stands one of: identity, knowledge, episodes, review-rules, sessions"}}
    POST /api/recall {"query":"tabs","address":"tabs"}
      → 400 {"error":{"message":"address: 'tabs' is not an address: it names no space; write /OWNER/NAME/knowledge/, /OWNER/NAME/episodes/TASK/, /OWNER/NAME/review-rules/ or users/NAME/"}}
    "#);
}

#[test]
fn opening_that_is_late_says_so() {
    let world = World::verified();
    let ask = OpeningRequest {
        title: "Fix the login race",
        task: None,
        spaces: &[repo()],
        notes: Some("ask Bo first\n"),
        tokens: OPENING_TOKENS,
        time: Duration::ZERO,
    };
    let opening = world.with(|cx| open_task(cx, &ask));
    assert_eq!(
        opening.problems,
        ["looking up what helps with this task took more than 0 s; the rest is left out"]
    );
    assert_eq!(
        opening.block,
        "<memory-context>\n[NOTES.md]\nask Bo first\n</memory-context>\n"
    );
}
