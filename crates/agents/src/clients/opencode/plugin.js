// Written by `apostille init`, and replaced by it as a whole: what is changed here does not stay.
// `apostille init --undo` takes it out again.
import { spawn } from "node:child_process"

const PROGRAM = "APOSTILLE_PROGRAM"
const PATIENCE_MS = 5000

// What the program says about a moment; nothing where it says nothing, fails or takes too long.
function ask(event, payload) {
  return new Promise((resolve) => {
    let said = ""
    const options = { cwd: payload.cwd, stdio: ["pipe", "pipe", "ignore"], windowsHide: true }
    const child = spawn(PROGRAM, ["hook", "--client", "opencode", event], options)
    const timer = setTimeout(() => child.kill(), PATIENCE_MS)
    const done = () => {
      clearTimeout(timer)
      try {
        resolve(JSON.parse(said).context ?? "")
      } catch {
        resolve("")
      }
    }
    child.on("error", done)
    child.on("close", done)
    child.stdin.on("error", () => {})
    child.stdout.on("data", (data) => (said += data))
    child.stdin.end(JSON.stringify({ hook_event_name: event, ...payload }))
  })
}

export const Apostille = async ({ directory, worktree }) => {
  const cwd = directory ?? worktree
  const parents = new Map()
  const created = new Set()
  const started = new Set()
  const answers = new Map()
  const base = (session) => {
    const parent = parents.get(session)
    return parent ? { session_id: parent, agent_id: session, cwd } : { session_id: session, cwd }
  }
  // A session that was not made in this process is one that goes on.
  const start = async (session) => {
    if (parents.has(session) || started.has(session)) return ""
    started.add(session)
    const source = created.has(session) ? "startup" : "resume"
    return ask("SessionStart", { ...base(session), source })
  }
  return {
    event: async ({ event }) => {
      const { info, sessionID, part } = event.properties ?? {}
      if (event.type === "session.created") {
        created.add(info.id)
        if (info.parentID) parents.set(info.id, info.parentID)
      }
      if (event.type === "message.part.updated" && part?.type === "text" && part.time?.end)
        answers.set(part.sessionID, part.text)
      if (event.type === "session.idle" && !parents.has(sessionID))
        await ask("Stop", { ...base(sessionID), last_assistant_message: answers.get(sessionID) })
    },
    "chat.message": async ({ sessionID }, output) => {
      const texts = output.parts.filter((it) => it.type === "text" && !it.synthetic)
      const prompt = texts.map((it) => it.text).join("\n")
      const first = await start(sessionID)
      const said = first + (await ask("UserPromptSubmit", { ...base(sessionID), prompt }))
      if (!said) return
      const id = `${texts.at(-1)?.id ?? "prt"}~apostille`
      const messageID = output.message.id
      output.parts.push({ id, sessionID, messageID, type: "text", text: said, synthetic: true })
    },
    "tool.execute.after": async ({ tool, sessionID, args }, output) => {
      const response = { output: output.output, exit: output.metadata?.exit }
      const payload = { tool_name: tool, tool_input: args, tool_response: response }
      const said = await ask("PostToolUse", { ...base(sessionID), ...payload })
      if (said && typeof output.output === "string") output.output += `\n\n${said}`
    },
    "experimental.session.compacting": async ({ sessionID }, output) => {
      const said = await ask("PreCompact", base(sessionID))
      if (said) output.context.push(said)
    },
    dispose: async () => {
      await Promise.all([...started].map((it) => ask("SessionEnd", base(it))))
    },
  }
}
