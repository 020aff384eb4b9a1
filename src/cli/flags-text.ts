/** The flags of every command that runs turns, but `--backend`, for its help. */
export const flagsText = `  --model <model>             the model to use
  --thinking <depth>          how deep the model thinks: off, low, medium, high, xhigh, max
                              (each CLI its own of these), or a number of tokens (claude)
  --cwd <directory>           where the agent works (default: WORKING_DIR, else here)
  --system-prompt <text>      added to the CLI's own system prompt
  --system-prompt-file <file> the same, from a file
  --append-system-prompt <text>, --append-system-prompt-file <file>
                              added behind all of these
  --unattended                tells the agent that nobody answers, and how to say that it is done
  -r, --resume <session id>   go on with an earlier session
  -c, --continue              go on with the session that was used last in this directory
  --max-turns <n>             limit of model turns (claude)
  --allowed-tools <tools>     only these tools (claude, opencode), e.g. "Read,Bash(git log:*)"
  --disallowed-tools <tools>  not these tools (claude, opencode)
  --mcp-config <file…>        MCP servers, in Claude's format, or JSON text
  --settings <file>           settings in Claude's format, or JSON text (claude)
  --live                      over the CLI's long-lived protocol: every CLI streams piece by piece
  --warm                      through a resident host that keeps CLIs running (default: RUN_WARM)
  --permission-mode <mode>    bypass, ask (in this terminal; implies --live), edits, plan
                              (default: PERMISSION_MODE, else bypass); Claude's bypassPermissions,
                              default, acceptEdits are the same, dontAsk says no to every question
  --dangerously-skip-permissions
                              the same as --permission-mode bypass
  --permission-timeout <s>    deny what nobody answered for this long (default: 300)
  --timeout <seconds>         end the turn after this long
  --output <format>           text (default), json, stream-json
  --output-format <format>    the same; json then has Claude's names as well (.result, .session_id)
  --allow-unsupported         options that the backend can't honour are left out, with a warning each
                              (default: exit code 4)
  --prompt <text>             the prompt, when it looks like an option
  -p, --print                 accepted: every run prints its answer and ends
  --verbose                   the backend, the options and the exact command, on stderr
`;
