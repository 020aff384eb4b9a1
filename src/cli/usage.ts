const overview = `turnout: one runtime for every coding-agent CLI

Usage: turnout <command> [options]

  run [prompt]   one turn with an agent: the answer on stdout
  doctor         which agent CLIs are here, their versions, what each can do
  demo           a turn with the bundled demo agent: no account needed
  help <command> the options of a command

  --version, --help
`;

const run = `Usage: turnout run [prompt] [options] [-- <arguments for the CLI itself>]

One turn with an agent. Without a prompt it is read from stdin; with a prompt and piped stdin
the agent gets both, the prompt first. A prompt that begins with "-": --prompt=… or stdin.

Tools are allowed without asking unless --permission-mode says otherwise: this is made for
unattended runs. Run it where the agent may do what it likes.

  --backend <name>            claude, codex, gemini or opencode (default: AGENT_BACKEND, else claude)
  --model <model>             the model to use
  --cwd <directory>           where the agent works (default: WORKING_DIR, else here)
  --system-prompt <text>      added to the agent's own system prompt
  --system-prompt-file <file> the same, from a file
  --resume <session id>       go on with an earlier session
  --max-turns <n>             limit of model turns (claude)
  --allowed-tools <a,b>       only these tools (claude, opencode)
  --disallowed-tools <a,b>    not these tools (claude, opencode)
  --mcp-config <file>         MCP servers, in Claude's format (claude, codex, opencode)
  --live                      over the CLI's long-lived protocol: every CLI streams piece by piece
  --permission-mode <mode>    bypass (default), ask (in this terminal; implies --live), edits, plan
  --permission-timeout <s>    deny what nobody answered for this long (default: 300)
  --timeout <seconds>         end the turn after this long
  --output <format>           text (default), json, stream-json
  --prompt <text>             the prompt, when it looks like an option
  --verbose                   the backend, the options and the exact command, on stderr

Exit codes: 0 done · 1 the agent failed · 2 wrong usage · 3 backend not available ·
4 not supported by this backend · 124 timed out · 130 interrupted
`;

const doctor = `Usage: turnout doctor [--deep] [--backend <name,…>] [--json]

Which agent CLIs are installed here, their versions, and what each can do.

  --deep             drive each installed CLI through the conformance scenarios against a scripted model on this
                     machine: no account, no tokens, no network; about a minute for each CLI
  --backend <names>  only these (comma-separated)
  --json             one JSON object instead of a table

Exit codes: 0 all is well · 1 a scenario fails · 2 wrong usage · 3 no CLI is usable
`;

const demo = `Usage: turnout demo [prompt]

One streamed turn with the bundled demo agent. No account, no network.
`;

const pages: Record<string, string> = { run, doctor, demo };

export function usage(command?: string): string {
  return (command !== undefined && Object.hasOwn(pages, command) ? pages[command] : undefined) ?? overview;
}
