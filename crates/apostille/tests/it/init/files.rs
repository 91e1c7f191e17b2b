//! Files as people have them: comments, other people's entries, tabs, line ends of Windows, marks in front.

/// Whose, where, and what; no name is everybody's.
pub const FILES: &[(&str, &str, &str)] = &[
    ("", "AGENTS.md", "# Us\n\nRun `make test` before a commit."),
    ("", "CLAUDE.md", "# Claude\r\n\r\nBe brief.\r\n"),
    (
        "claude-code",
        ".mcp.json",
        "{\n    \"mcpServers\": {\n        \"github\": {\n            \"type\": \"http\",\n            \"url\": \"https://api.githubcopilot.com/mcp/\"\n        }\n    }\n}\n",
    ),
    (
        "claude-code",
        ".claude/settings.local.json",
        r#"{
  // what I allow
  "permissions": {
    "allow": ["Bash(npm run test:*)", "WebFetch(domain:docs.rs)"], // for now
    "deny": []
  },
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [{ "type": "command", "command": "./scripts/no-rm.sh" }]
      }
    ],
    /* done */
    "Stop": [
      { "hooks": [{ "type": "command", "command": "notify-send done" }] },
    ],
  },
}
"#,
    ),
    (
        "codex",
        ".codex/config.toml",
        "# my model\r\nmodel = \"gpt-5\"   # the good one\r\n\r\n[mcp_servers.docs]\r\ncommand = \"npx\"\r\nargs = [\"-y\", \"docs-mcp\"]\r\n\r\n[profiles.fast]\r\nmodel = \"gpt-5-mini\"\r\n",
    ),
    (
        "codex",
        ".codex/hooks.json",
        "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"say done\"}]}]}}\n",
    ),
    (
        "copilot",
        ".github/hooks/apostille.json",
        r#"{
  "version": 1,
  "hooks": {
    "sessionStart": [
      { "type": "command", "bash": "/home/old/apostille hook --client copilot sessionStart", "timeoutSec": 30 }
    ],
    "preToolUse": [
      { "type": "command", "bash": "/home/old/apostille hook --client copilot preToolUse" }
    ]
  }
}
"#,
    ),
    (
        "copilot",
        ".mcp.json",
        "{\"mcpServers\":{\"x\":{\"command\":\"x\"}}}",
    ),
    (
        "gemini",
        ".gemini/settings.json",
        "\u{feff}{\r\n\t\"theme\": \"GitHub\", // light\r\n\t\"mcpServers\": {\r\n\t\t\"x\": { \"command\": \"x\" }\r\n\t},\r\n\t\"hooks\": {\r\n\t\t\"BeforeAgent\": []\r\n\t}\r\n}\r\n",
    ),
    (
        "opencode",
        "opencode.jsonc",
        "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  // what I run\n  \"mcp\": {\n    \"docs\": { \"type\": \"local\", \"command\": [\"npx\", \"-y\", \"docs-mcp\"] }, // on\n  },\n}\n",
    ),
    (
        "zed",
        ".zed/settings.json",
        "// Project settings\n{\n  \"tab_size\": 2,\n  /* servers */\n  \"context_servers\": {\n    \"x\": { \"command\": \"x\", \"args\": [], \"env\": {} }\n  }\n}",
    ),
    ("gemini", "GEMINI.md", ""),
    ("cursor", ".cursor/mcp.json", "{}"),
    (
        "cursor",
        ".cursor/hooks.json",
        "{\n   \"version\": 1,\n   \"hooks\": {\n      \"stop\": [{ \"command\": \"./audit.sh\" }]\n   }\n}",
    ),
    (
        "vscode",
        ".vscode/mcp.json",
        "{\n\t\"inputs\": [\n\t\t{ \"type\": \"promptString\", \"id\": \"key\", \"password\": true }\n\t],\n\t\"servers\": {\n\t\t// \"off\": {},\n\t\t\"x\": { \"command\": \"x\", \"env\": { \"KEY\": \"${input:key}\" } }, // on\n\t}\n}\n",
    ),
];
