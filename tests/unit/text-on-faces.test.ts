import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string) => readFileSync(root + file, 'utf8');

/**
 * The files that write to stdout or stderr themselves, and what makes the text of others safe there. A new one writes through
 * `Terminal`, `say`, `writeShown` or `print`, which do.
 */
const writers: Readonly<Record<string, RegExp>> = {
  'src/cli/chat/terminal/chat-terminal.ts': /Frame|renderLine/,
  'src/cli/chat/terminal/frame.ts': /\brenderLine\(/,
  'src/cli/chat/terminal/plain-terminal.ts': /\brenderLine\(/,
  'src/cli/chat/text/styled-line.ts': /\bvisible\(/,
  'src/cli/main.ts': /Its words are all its own|process\.stderr\.write\('turnout/,
  'src/cli/output/ask-line.ts': /\bshown\(question\)/,
  'src/cli/output/progress-line.ts': /\bwholeLine\(text\)/,
  'src/cli/output/progress-screen.ts': /\bvisible\(text\)/,
  'src/cli/output/say.ts': /\bvisible\(text/,
  'src/cli/output/spinner.ts': /\bwholeLine\(whom\)/,
  'src/cli/output/terminal.ts': /\bshown\(text/,
  'src/cli/run/ask-in-terminal.ts': /\brenderLine\(line/,
  'src/config/log.ts': /\bvisibleJson\(/,
  'src/config/log-for-people.ts': /\bwholeLine\(/,
  'src/runner/interactive.ts': /\bvisible\(warning\)/,
};
/** These have no terminal to write to, or write none: a pipe to the gateway, a file of the demo, the errors of the streams. */
const others = [
  'src/cli/chain/chain-run.ts',
  'src/cli/demo/demo-files.ts',
  'src/cli/gateway/serve-gateway.ts',
  'src/process/work-tree/reader.ts',
];

/** The files of the faces that render what somebody is asked to allow, and how. */
const renderers: Readonly<Record<string, RegExp>> = {
  'src/cli/archive/describe-event.ts': /\boneLine\(event\.tool\)/,
  'src/cli/chat/state/describe-request.ts': /\bexactLine\(text\)/,
  'src/cli/client/permissions.ts': /\bexact\(whatWouldBeDone/,
  'src/cli/client/words.ts': /\bexact\(always\)/,
  'src/gateway/channels/discord/interactions/permission-message.ts': /\bforFence\(/,
  'src/gateway/commands/answer-question.ts': /\baskedFor\(/,
  'web/conversation/permission-card.tsx':
    /<VisibleText text=\{tool\} level="exact"[\s\S]*<VisibleLines text=\{always \?\? ''\} level="exact"/,
  'web/conversation/permission-preview.tsx': /<VisibleText text=\{path\} level="exact"/,
};
/** These hand it on: to one of those, to the store, or to programs. */
const carriers = [
  'src/cli/chat/gateway-conversation.ts',
  'src/cli/chat/local-conversation.ts',
  'src/cli/chat/state/ask.ts',
  'src/cli/chat/state/chat-state.ts',
  'src/cli/chat/state/show-agent.ts',
  'src/cli/client/gateway-client.ts',
  'src/cli/client/status.ts',
  'src/cli/run/ask-in-terminal.ts',
  'src/cli/run/kept-turn.ts',
  'src/cli/run/open-questions.ts',
  'src/cli/run/session-turn.ts',
  'src/cli/run/show-turn.ts',
  'src/cli/run/tool-rows.ts',
  'src/cli/run/warm-turn.ts',
  'src/cli/run/where-it-leads.ts',
  'src/gateway/channels/http/openapi/chat-event-schema.ts',
  'src/gateway/channels/http/openapi/schemas.ts',
  'src/gateway/channels/http/represent-pending.ts',
  'src/gateway/channels/http/represent.ts',
  'src/gateway/channels/http/wire.ts',
  'src/gateway/channels/lookups.ts',
  'src/gateway/channels/types.ts',
  'web/api.ts',
  'web/feed/turn.ts',
];

describe('text of others reaches people through core/text alone (27.10)', () => {
  it('every place that writes to a terminal is known', () => {
    const found = sources('src').filter(
      (file) => !/^src\/(demo-agent|lab)\//.test(file) && writes(read(file)),
    );
    const known = [...Object.keys(writers), ...others];
    expect(found.filter((file) => !known.includes(file))).toEqual([]);
  });

  it.each(Object.entries(writers))('%s makes it safe', (file, how) => {
    expect(read(file)).toMatch(how);
  });

  it('every place that a question for a permission comes to is known', () => {
    const faces = ['src/cli', 'src/gateway/channels', 'src/gateway/commands', 'web'].flatMap(sources);
    const found = faces.filter((file) => aboutPermissions.test(read(file)));
    expect(found.sort()).toEqual([...Object.keys(renderers), ...carriers].sort());
  });

  it.each(Object.entries(renderers))('%s shows all of it', (file, how) => {
    expect(read(file)).toMatch(how);
  });

  it.each([
    'src/cli/chat/state/describe-request.ts',
    'src/cli/client/permissions.ts',
    'src/core/tool-input.ts',
    'src/gateway/channels/discord/interactions/permission-message.ts',
    'web/conversation/other-fields.tsx',
  ])('%s asks for the fields that a preview makes no use of (27.9)', (file) => {
    expect(read(file)).toMatch(/\bunshownFields\(tool, input\)/);
  });

  it('no other module has a list of invisible characters of its own', () => {
    const found = [...sources('src'), ...sources('web')].filter((file) => invisibles.test(read(file)));
    expect(found.sort()).toEqual(['src/core/text.ts', ...checks].sort());
  });
});

const aboutPermissions =
  /\b(?:PermissionView|StoredPermission|PermissionRequestEvent|AskedRequest)\b|'permission_request'/;

const invisibles = /\\p\{(?:Cc|Cf|Bidi_Control|Default_Ignorable_Code_Point)\}|\\u(?:200b|200e|202[ae])/i;
/** They refuse such a character, leave it out of a file's name, a version or a code, or measure it: they show nothing. */
const checks = [
  'src/backends/gemini/live/prompt.ts',
  'src/backends/launch/cli-version.ts',
  'src/config/formats.ts',
  'src/config/front-matter.ts',
  'src/core/width.ts',
  'src/gateway/channels/discord/access/pairing-code.ts',
  'src/gateway/channels/discord/safe-name.ts',
  'src/gateway/channels/http/channel-routes.ts',
];

function sources(folder: string): readonly string[] {
  return readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => `${folder}/${file}`);
}

/** True if the file writes to stdout or stderr, or hands one of them to something that isn't known to make text safe. */
function writes(source: string): boolean {
  if (/\bconsole\.\w+\(|#(?:out|err|screen)\.write\(/.test(source)) return true;
  const uses = source.matchAll(/\bprocess\.(?:stdout|stderr)\b(?!\.(?:isTTY|columns|rows|on)\b)/g);
  return [...uses].some(({ index }) => !safeUse.test(source.slice(Math.max(0, index - 200), index)));
}

const safeUse =
  /(?:new (?:Terminal|ChatTerminal|PlainTerminal)|writeShown|hasColours|screenOptions|messageFor)\(\s*(?:process\.\w+,\s*)*$/;
