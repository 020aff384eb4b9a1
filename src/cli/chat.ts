import { TurnoutError } from '../core/errors.js';
import { exitCodeFor, exitCodes } from '../core/exit-codes.js';
import { runnerNames } from '../runner/runner-names.js';
import { parseChatOptions } from './chat-options.js';
import { openInterface } from './open-interface.js';

export const usageText = `Usage: turnout chat --native [prompt] [options] [-- <arguments for the CLI itself>]

The CLI's own terminal UI, with a first prompt if one is given. Keys, signals and the size of the
window are the UI's, and so is the exit code. Permissions are as the CLI has them by default:
you are there to be asked. A prompt that begins with "-": --prompt=…

  --native                    the CLI's own UI (the only chat so far)
  --backend <name>            ${runnerNames()
    .filter((name) => name !== 'codex-sdk')
    .join(', ')} (default: AGENT_BACKEND, else the installed one)
  --model <model>             the model to use
  --thinking <depth>          how deep the model thinks (claude, codex)
  --cwd <directory>           where the agent works (default: WORKING_DIR, else here)
  --system-prompt <text>      added to the agent's own system prompt
  --system-prompt-file <file> the same, from a file
  --resume <session id>       go on with an earlier session
  --continue                  go on with your last session of this directory and backend
  --permission-mode <mode>    bypass, ask, edits, plan (default: the CLI's own)
  --allowed-tools <a,b>       only these tools (claude, opencode)
  --disallowed-tools <a,b>    not these tools (claude, opencode)
  --mcp-config <file>         MCP servers, in Claude's format (claude, codex, opencode)
  --settings <file>           settings, in Claude's format (claude)
  --allow-unsupported         leave out what the CLI's UI can't do, with a warning
  --prompt <text>             the prompt, when it looks like an option
  --verbose                   the exact command, on stderr

Exit codes: those of the CLI; before it has started: 2 wrong usage, or no terminal ·
3 backend not available · 4 not supported by this backend
`;

/** `turnout chat`: a conversation in the terminal. So far there is only the CLI's own UI. */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    const options = parseChatOptions(argv);
    if (options === 'help') {
      process.stdout.write(usageText);
      return exitCodes.done;
    }
    if (!options.native) {
      throw new TurnoutError('bad_request', "Turnout's own chat is not there yet.", {
        hint: "Use `turnout chat --native` for the CLI's own terminal UI, or `turnout run` for one turn.",
      });
    }
    return await openInterface(options);
  } catch (error) {
    if (!(error instanceof TurnoutError)) throw error;
    process.stderr.write(`turnout: ${error.explanation}\n`);
    return error.code === 'bad_request' ? exitCodes.usage : exitCodeFor(error.code);
  }
}
