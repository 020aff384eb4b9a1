import { TurnoutError } from '../core/errors.js';
import { exitCodeFor, exitCodes } from '../core/exit-codes.js';
import { runnerNames } from '../runner/runner-names.js';
import { parseChatOptions } from './chat-options.js';
import { registerDemoBackend } from './demo-backend.js';

export const usageText = `Usage: turnout chat [prompt] [options]
       turnout chat --native [prompt] [options] [-- <arguments for the CLI itself>]

A conversation with an agent in this terminal, with a first prompt if one is
given. The agent asks before it does something; /help lists the commands.
\`turnout\` alone, in a terminal, is the same. A prompt that begins with "-":
--prompt=…

  --backend, -b <name>        ${runnerNames()
    .filter((name) => name !== 'codex-sdk')
    .join(', ')}, or demo
                              (default: AGENT_BACKEND, else the installed one)
  --model, -m <model>         the model to use
  --thinking <depth>          how deep the model thinks (claude, codex)
  --cwd <directory>           where the agent works
                              (default: WORKING_DIR, else here)
  --system-prompt <text>      added to the agent's own system prompt
  --system-prompt-file <file> the same, from a file
  --resume <session id>       go on with an earlier session
  --continue                  go on with your last session of this directory and
                              backend
  --permission-mode <mode>    bypass, ask, edits, plan
                              (default: PERMISSION_MODE, else ask)
  --allowed-tools <a,b>       only these tools (claude, opencode)
  --disallowed-tools <a,b>    not these tools (claude, opencode)
  --mcp-config <file>         MCP servers, in Claude's format
                              (claude, codex, opencode)
  --settings <file>           settings, in Claude's format (claude)
  --allow-unsupported         leave out what the CLI can't do, with a warning
  --prompt <text>             the prompt, when it looks like an option
  --gateway <channel>         talk in a channel of the running gateway instead
  --native                    the CLI's own terminal UI in place of this one:
                              its keys, its permissions, its exit code
  --verbose                   with --native: the exact command, on stderr

Examples:
  turnout chat
  turnout chat -b codex "why does the build fail?"
  turnout chat --continue
  turnout chat --gateway home

Exit codes: 0 left · 2 wrong usage, or no terminal · 3 backend not available ·
4 not supported by this backend; with --native those of the CLI
`;

/** `turnout chat`: a conversation in the terminal, ours or in the CLI's own UI. */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    // To try it without an account; the CLI's own UI is not the demo's.
    if (!argv.includes('--native')) registerDemoBackend();
    const options = parseChatOptions(argv);
    if (options === 'help') {
      process.stdout.write(usageText);
      return exitCodes.done;
    }
    if (!options.native) {
      const { startChat, joinChannel } = await import('./chat/start-chat.js');
      return await (options.gateway === undefined
        ? startChat(options)
        : joinChannel(options.gateway, options));
    }
    const { openInterface } = await import('./open-interface.js');
    return await openInterface(options);
  } catch (error) {
    if (!(error instanceof TurnoutError)) throw error;
    process.stderr.write(`turnout: ${error.explanation}\n`);
    // A gateway that is not there is as unavailable as a CLI.
    if (error.code === 'network') return exitCodes.unavailable;
    return error.code === 'bad_request' ? exitCodes.usage : exitCodeFor(error.code);
  }
}
