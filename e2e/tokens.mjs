// What every conversation pays for the tools: the list of each profile, counted as o200k_base tokens.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(process.env.APOSTILLE_CLIENTS_HOME + "/package.json");
const { encode } = require("gpt-tokenizer/encoding/o200k_base");

// What a model is given of a tool: its name, what it is for, and its arguments.
const told = ({ name, description, inputSchema }) => JSON.stringify({ name, description, parameters: inputSchema });

let failed = false;
console.log("   profile   tools  tokens  instructions");
for (const { profile, tools, instructions } of JSON.parse(readFileSync(0, "utf8"))) {
  const tokens = tools.reduce((sum, tool) => sum + encode(told(tool)).length, 0);
  const row = [profile.padEnd(9), String(tools.length).padStart(5), String(tokens).padStart(7)];
  console.log("   " + row.join(" ") + String(encode(instructions ?? "").length).padStart(14));
  if (profile === "default" && (tools.length > 6 || tokens >= 1500)) {
    console.log("   the default profile may have six tools and less than 1,500 tokens");
    failed = true;
  }
}
process.exit(failed ? 1 : 0);
