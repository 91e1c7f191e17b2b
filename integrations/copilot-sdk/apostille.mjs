// Verified memory for agents built with the GitHub Copilot SDK: hooks that ask the `apostille` command.
//
// A session must never fail or wait because of its memory. So nothing here throws, and after a short time the agent goes on
// without an answer.

import { spawn } from "node:child_process";

/** More than any answer of ours; what comes after it is a mistake. */
const MAX_ANSWER = 1_000_000;

/** The hooks for `SessionConfig.hooks`. */
export function apostilleHooks({ command = "apostille", args = [], timeout = 1000, env, onProblem } = {}) {
  const ask = async (event, input, invocation) => {
    try {
      const words = [...args, "hook", "--client", "copilot", event];
      return read(await run(command, words, JSON.stringify(payload(input, invocation)), { timeout, env }));
    } catch (problem) {
      tell(onProblem, event, problem);
      return undefined;
    }
  };
  const heard = (event) => async (input, invocation) => context(await ask(event, input, invocation));
  // What is answered at the end of a turn would start another one.
  const told = (event) => async (input, invocation) => void (await ask(event, input, invocation));
  return {
    onSessionStart: heard("sessionStart"),
    onUserPromptSubmitted: heard("userPromptSubmitted"),
    onPostToolUse: heard("postToolUse"),
    onAgentStop: told("agentStop"),
    onSessionEnd: told("sessionEnd"),
  };
}

/** What the command line's hooks are sent: `cwd`, and times as numbers. A tool's result is long, and nobody reads it. */
function payload(input, invocation) {
  const { workingDirectory, timestamp, toolResult: _, ...rest } = input ?? {};
  const sessionId = rest.sessionId ?? invocation?.sessionId;
  const at = timestamp instanceof Date ? timestamp.getTime() : timestamp;
  return { ...rest, sessionId, timestamp: at, cwd: rest.cwd ?? workingDirectory };
}

/** An answer is one object, or nothing. */
function read(text) {
  const answer = text.trim() ? JSON.parse(text) : undefined;
  return answer !== null && typeof answer === "object" ? answer : undefined;
}

function context(answer) {
  const text = answer?.additionalContext;
  return typeof text === "string" && text ? { additionalContext: text } : undefined;
}

function tell(onProblem, event, problem) {
  try {
    onProblem?.(event, problem);
  } catch {
    // Whoever listens for problems may not make one.
  }
}

/** What the command prints; an error when it cannot be started, fails, says too much or takes too long. */
function run(command, words, stdin, { timeout, env }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, {
      env: env ? { ...process.env, ...env } : process.env,
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true,
    });
    const give = (settle, value) => {
      clearTimeout(timer);
      settle(value);
    };
    const refuse = (why) => {
      child.kill("SIGKILL");
      give(reject, new Error(why));
    };
    const timer = setTimeout(() => refuse(`no answer after ${timeout} ms`), timeout);
    let answer = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (text) => {
      answer += text;
      if (answer.length > MAX_ANSWER) refuse("the answer is too long");
    });
    child.on("error", (problem) => give(reject, problem));
    child.on("close", (code) => {
      if (code === 0) give(resolve, answer);
      else give(reject, new Error(`the command ended with ${code}`));
    });
    // It may have ended without reading.
    child.stdin.on("error", () => {});
    child.stdin.end(stdin);
  });
}
