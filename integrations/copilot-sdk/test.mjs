// The hooks against a command that answers as the real one does, and against commands that do not.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import { apostilleHooks } from "./apostille.mjs";

const folder = mkdtempSync(join(tmpdir(), "apostille-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const BASE = { sessionId: "s-1", timestamp: new Date(1794766652431), workingDirectory: "/shop" };
const INVOCATION = { sessionId: "s-1" };

/** Hooks that ask a small script in the place of the program. Time enough for it to start on a busy machine. */
function asking(script, options = {}) {
  const file = join(folder, `${Math.random().toString(36).slice(2)}.mjs`);
  writeFileSync(file, script);
  const problems = [];
  const onProblem = (event, problem) => problems.push(`${event}: ${problem.message}`);
  const hooks = apostilleHooks({ command: process.execPath, args: [file], timeout: 30_000, onProblem, ...options });
  return { hooks, problems };
}

/** A script that writes down what it was asked, and answers. */
function recording(answer) {
  const seen = join(folder, `${Math.random().toString(36).slice(2)}.json`);
  const script = `
    import { readFileSync, writeFileSync } from "node:fs";
    const stdin = JSON.parse(readFileSync(0, "utf8"));
    writeFileSync(${JSON.stringify(seen)}, JSON.stringify({ words: process.argv.slice(2), stdin }));
    process.stdout.write(${JSON.stringify(answer)});
  `;
  return { ...asking(script), seen: () => JSON.parse(readFileSync(seen, "utf8")) };
}

test("a prompt is asked about, and the context comes back", async () => {
  const { hooks, seen } = recording('{"additionalContext":"retry 3 times"}');
  const answer = await hooks.onUserPromptSubmitted({ ...BASE, prompt: "why?" }, INVOCATION);
  assert.deepEqual(answer, { additionalContext: "retry 3 times" });
  assert.deepEqual(seen(), {
    words: ["hook", "--client", "copilot", "userPromptSubmitted"],
    stdin: { sessionId: "s-1", timestamp: 1794766652431, cwd: "/shop", prompt: "why?" },
  });
});

const EVENTS = [
  ["onSessionStart", "sessionStart", { source: "new" }],
  ["onUserPromptSubmitted", "userPromptSubmitted", { prompt: "why?" }],
  ["onPostToolUse", "postToolUse", { toolName: "view", toolArgs: { path: "a.rs" } }],
  ["onAgentStop", "agentStop", { transcriptPath: "/t.jsonl", stopReason: "end_turn" }],
  ["onSessionEnd", "sessionEnd", { reason: "complete", finalMessage: "done" }],
];

for (const [hook, event, fields] of EVENTS) {
  test(`${hook} is ${event}, with its fields`, async () => {
    const { hooks, seen, problems } = recording("");
    assert.equal(await hooks[hook]({ ...BASE, ...fields }, INVOCATION), undefined);
    assert.equal(seen().words.at(-1), event);
    assert.deepEqual(seen().stdin, { ...fields, sessionId: "s-1", timestamp: 1794766652431, cwd: "/shop" });
    assert.deepEqual(problems, []);
  });
}

test("the end of a turn is never answered", async () => {
  const { hooks } = recording('{"decision":"block","reason":"go on","additionalContext":"x"}');
  assert.equal(await hooks.onAgentStop(BASE, INVOCATION), undefined);
  assert.equal(await hooks.onSessionEnd(BASE, INVOCATION), undefined);
});

test("nothing but context is handed on", async () => {
  const { hooks } = recording('{"additionalContext":"x","modifiedPrompt":"y","permissionDecision":"deny"}');
  assert.deepEqual(await hooks.onUserPromptSubmitted(BASE, INVOCATION), { additionalContext: "x" });
});

test("a tool's result is not sent", async () => {
  const { hooks, seen } = recording("");
  await hooks.onPostToolUse({ ...BASE, toolName: "view", toolResult: { textResultForLlm: "x".repeat(1e6) } }, INVOCATION);
  assert.equal("toolResult" in seen().stdin, false);
});

test("the older shape of the input is understood", async () => {
  const { hooks, seen } = recording("");
  await hooks.onUserPromptSubmitted({ timestamp: 7, cwd: "/old", prompt: "why?" }, INVOCATION);
  assert.deepEqual(seen().stdin, { sessionId: "s-1", timestamp: 7, cwd: "/old", prompt: "why?" });
});

const SILENCE = [
  ["says nothing", ""],
  ["says an empty object", 'process.stdout.write("{}")'],
  ["says null", 'process.stdout.write("null")'],
  ["says a text", "process.stdout.write('\"x\"')"],
  ["says an empty context", "process.stdout.write('{\"additionalContext\":\"\"}')"],
  ["says a context that is no text", "process.stdout.write('{\"additionalContext\":7}')"],
];

for (const [what, script] of SILENCE) {
  test(`a command that ${what} is no problem and no answer`, async () => {
    const { hooks, problems } = asking(script);
    assert.equal(await hooks.onUserPromptSubmitted({ ...BASE, prompt: "x".repeat(1e6) }, INVOCATION), undefined);
    assert.deepEqual(problems, []);
  });
}

const PROBLEMS = [
  ["fails", 'process.stdout.write(\'{"additionalContext":"x"}\'); process.exitCode = 1;', /ended with 1/],
  ["says no JSON", 'process.stdout.write("{oops")', /JSON/],
  ["talks without end", 'setInterval(() => process.stdout.write("x".repeat(100_000)), 1)', /too long/],
];

for (const [what, script, why] of PROBLEMS) {
  test(`a command that ${what} is a problem, and the agent goes on`, async () => {
    const { hooks, problems } = asking(script);
    assert.equal(await hooks.onUserPromptSubmitted(BASE, INVOCATION), undefined);
    assert.equal(problems.length, 1);
    assert.match(problems[0], why);
  });
}

test("a command that never answers is not waited for", async () => {
  const { hooks, problems } = asking("setInterval(() => {}, 1000)", { timeout: 50 });
  assert.equal(await hooks.onSessionStart(BASE, INVOCATION), undefined);
  assert.deepEqual(problems, ["sessionStart: no answer after 50 ms"]);
});

test("a command that is not there is not missed", async () => {
  const hooks = apostilleHooks({ command: join(folder, "nothing-here") });
  for (const hook of Object.values(hooks)) assert.equal(await hook(BASE, INVOCATION), undefined);
});

test("an input that cannot be written down is not asked about", async () => {
  const { hooks, problems } = asking("");
  const round = { ...BASE };
  round.self = round;
  assert.equal(await hooks.onSessionStart(round, INVOCATION), undefined);
  assert.equal(await hooks.onSessionStart(undefined, undefined), undefined);
  assert.equal(problems.length, 1);
});

test("whoever listens for problems may not make one", async () => {
  const onProblem = () => {
    throw new Error("mine");
  };
  const hooks = apostilleHooks({ command: join(folder, "nothing-here"), onProblem });
  assert.equal(await hooks.onSessionStart(BASE, INVOCATION), undefined);
});

const program = process.env.APOSTILLE_BIN;
test("the program itself answers", { skip: program ? false : "APOSTILLE_BIN names no program" }, async () => {
  const env = { HOME: folder, PATH: process.env.PATH, USER: "ana", APOSTILLE_HOOK_ALONE: "1" };
  execFileSync(program, ["remember", "--user", "prefers pnpm over npm"], { env: { ...env, APOSTILLE_PERSON: "ana" }, cwd: folder });
  const problems = [];
  const onProblem = (event, problem) => problems.push(`${event}: ${problem.message}`);
  // A busy machine may take its time here; how long an agent waits is measured elsewhere.
  const slow = { ...env, APOSTILLE_HOOK_DEADLINE_MS: "30000" };
  const hooks = apostilleHooks({ command: program, env: slow, timeout: 30_000, onProblem });
  const here = { ...BASE, workingDirectory: folder };
  const first = await hooks.onUserPromptSubmitted({ ...here, prompt: "install with npm" }, INVOCATION);
  assert.match(first.additionalContext, /<memory-context>[^]*prefers pnpm over npm/);
  const again = await hooks.onUserPromptSubmitted({ ...here, prompt: "and npm again" }, INVOCATION);
  assert.equal(again, undefined);
  assert.equal(await hooks.onSessionEnd({ ...here, reason: "complete" }, INVOCATION), undefined);
  assert.deepEqual(problems, []);
});
