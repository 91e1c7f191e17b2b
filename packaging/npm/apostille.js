#!/usr/bin/env node
// Finds the program that npm installed for this platform, and becomes it as far as a child process can.
"use strict";

const { spawn } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const NAME = process.platform === "win32" ? "apostille.exe" : "apostille";
const PACKAGE = `@apostille/${process.platform}-${process.arch}`;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

function findProgram() {
  try {
    return path.join(path.dirname(require.resolve(`${PACKAGE}/package.json`)), "bin", NAME);
  } catch {
    console.error(
      `apostille: ${PACKAGE} is not installed. There are packages for Linux (glibc; x64, arm64), macOS (x64, arm64) and Windows (x64). ` +
        "Where npm was told to leave out optional packages, install again without --omit=optional; elsewhere: cargo install apostille",
    );
    process.exit(1);
  }
}

// `init` writes the program's path into the settings of agents, and npx clears its folder some day: the hooks would find
// nothing then, and fall silent. So the program is first put where it stays.
function keepProgram(program) {
  const isCached = program.split(path.sep).includes("_npx");
  const verbs = process.argv.slice(2).filter((it) => !it.startsWith("-"));
  const onlyShows = ["--dry-run", "--undo", "--help", "-h"].some((it) => process.argv.includes(it));
  if (!isCached || verbs[0] !== "init" || onlyShows) return program;
  const folder =
    process.platform === "win32"
      ? path.join(process.env.LOCALAPPDATA ?? path.join(os.homedir(), "AppData", "Local"), "Programs", "apostille")
      : path.join(os.homedir(), ".local", "bin");
  const kept = path.join(folder, NAME);
  fs.mkdirSync(folder, { recursive: true });
  const fresh = `${kept}.${process.pid}.new`;
  fs.copyFileSync(program, fresh);
  fs.chmodSync(fresh, 0o755);
  fs.renameSync(fresh, kept);
  console.error(`apostille: npx clears its folder some day, so the program is now ${kept}`);
  return kept;
}

const child = spawn(keepProgram(findProgram()), process.argv.slice(2), { stdio: "inherit" });
// What is typed at a terminal reaches the child by itself, and twice means "at once" to a server.
for (const signal of SIGNALS) process.on(signal, () => signal !== "SIGTERM" && process.stdin.isTTY ? undefined : child.kill(signal));
child.on("error", (error) => {
  console.error(`apostille: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  for (const it of SIGNALS) process.removeAllListeners(it);
  process.kill(process.pid, signal);
});
