import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createBackend, type VendorName } from '../../src/backends/registry.js';
import type { BackendAdapterConfig } from '../../src/backends/types.js';
import type { ChatEvent, Usage } from '../../src/core/chat-event.js';
import type { Script } from '../../src/lab/model/script.js';
import { setUpLab } from './set-up-lab.js';

const scripts = {
  answer: [{ steps: [{ thinking: 'a thought' }, { text: ['one ', 'two ', 'three'] }] }],
  tool: [{ steps: [{ text: 'before ' }, { shell: 'pwd' }] }, 'after'],
  'a content filter': [{ steps: [{ text: 'no' }], stopReason: 'refusal' }],
  'the output limit': [{ steps: [{ text: 'cut' }], stopReason: 'max_tokens' }],
  'HTTP 401': [{ status: 401, message: 'bad key' }],
  'HTTP 404': [{ status: 404, message: 'no model' }],
  'HTTP 429': [{ status: 429, message: 'slow down', headers: { 'retry-after': '1' } }],
} as const satisfies Record<string, Script>;

type Scenario = keyof typeof scripts;

const all = Object.keys(scripts) as Scenario[];
const scenarios: Readonly<Record<VendorName, readonly Scenario[]>> = {
  claude: ['answer', 'tool', 'a content filter', 'the output limit', 'HTTP 401'],
  codex: all,
  // Two seconds a run.
  gemini: ['answer'],
  // Five seconds a run; its retries after a 429 take more than a minute.
  opencode: ['tool', 'a content filter', 'the output limit', 'HTTP 401'],
};

type Way = 'live' | 'one-shot';

/** A difference that stays, with the reason: it must show where it is declared, and nothing else may differ. */
interface Declared {
  readonly backend: VendorName;
  readonly scenarios: readonly Scenario[];
  readonly reason: string;
  takeOut(events: readonly ChatEvent[], way: Way): readonly ChatEvent[];
}

const declared: readonly Declared[] = [
  {
    backend: 'codex',
    scenarios: ['tool'],
    reason: 'Codex tells usage after each call of the model live, and at the end of a one-shot run.',
    takeOut: (events) => {
      const last = events.findLast(({ type }) => type === 'usage');
      return events.filter((event) => event.type !== 'usage' || event === last);
    },
  },
  {
    backend: 'gemini',
    scenarios: ['answer'],
    reason: 'Gemini prints no thinking in its one-shot formats.',
    takeOut: (events) => events.filter(({ type }) => !type.startsWith('thinking')),
  },
  {
    backend: 'gemini',
    scenarios: ['answer'],
    reason: 'Gemini counts cached input and thoughts in its one-shot statistics only.',
    takeOut: (events) =>
      events.flatMap((event): ChatEvent[] => {
        if (event.type === 'usage') return [];
        if (event.type !== 'complete') return [event];
        const { usage: _, ...rest } = event;
        return [rest];
      }),
  },
];

describe.each(Object.keys(scenarios) as VendorName[])(
  '%s tells the same live and in a one-shot run',
  (backend) => {
    const lab = setUpLab(backend);
    const config = (more: Partial<BackendAdapterConfig> = {}): BackendAdapterConfig => ({
      ...lab.config,
      model: lab.config.model ?? named[backend],
      // As if Turnout had been started from a shell that is somewhere else.
      env: { ...lab.home.env, PWD: lab.home.directory },
      ...more,
    });

    const run = async (way: Way, script: Script, settings = config(), sessionId?: string) => {
      lab.model.use(script);
      if (way === 'one-shot')
        return collect(createBackend(backend, settings).run({ prompt: 'go', sessionId }));
      const session = await lab.sessions.open({ backend, config: settings, sessionId });
      const events = await collect(session.send('go'));
      await session.close();
      return events;
    };

    it.each(scenarios[backend])('%s', async (scenario) => {
      const live = await run('live', scripts[scenario]);
      const oneShot = await run('one-shot', scripts[scenario]);
      const here = declared.filter((one) => one.backend === backend && one.scenarios.includes(scenario));
      if (scenario === 'tool') expect(toolOutput(live)?.trim()).toBe(lab.home.workingDir);
      const without = (events: readonly ChatEvent[], way: Way, differences: readonly Declared[]) =>
        outline(differences.reduce((rest, difference) => difference.takeOut(rest, way), events));
      expect(without(oneShot, 'one-shot', here)).toEqual(without(live, 'live', here));
      for (const difference of here) {
        const others = here.filter((other) => other !== difference);
        expect(without(oneShot, 'one-shot', others), `does not show: ${difference.reason}`).not.toEqual(
          without(live, 'live', others),
        );
      }
    });

    if (backend === 'codex') {
      it('but for the model, where none was asked for: a one-shot run does not say which one it takes', async () => {
        const unnamed = config({ model: undefined });
        expect((await run('live', ['hi'], unnamed))[0]).toMatchObject({
          type: 'session',
          model: named.codex,
        });
        expect((await run('one-shot', ['hi'], unnamed))[0]).not.toHaveProperty('model');
      });
    }

    if (backend === 'opencode') {
      it('of a session that was made in another directory', async () => {
        const other = join(lab.home.directory, 'other');
        mkdirSync(other);
        const id = sessionIn(await run('live', ['made'], config({ workingDir: other })));
        const live = await run('live', scripts.tool, config(), id);
        const oneShot = await run('one-shot', scripts.tool, config(), id);
        // The live one was made by the same Sessions, which knows where it belongs and need not say so.
        expect(outline(oneShot.slice(1))).toEqual(outline(live));
        expect(oneShot.slice(0, 2)).toMatchObject([
          { type: 'notice', message: expect.stringContaining(`works in ${other}`) },
          { type: 'session', sessionId: id },
        ]);
        expect(toolOutput(oneShot)).toBe(`${other}\n`);
      });
    }
  },
);

/** The names of the lab's models; OpenCode and Gemini have one in their homes. */
const named: Partial<Record<VendorName, string>> = { codex: 'gpt-6.1-sol' };

/** Events in words: pieces joined, no ids, no figures in notices, of errors what a program goes by. */
function outline(events: readonly ChatEvent[]): readonly string[] {
  const lines: string[] = [];
  const tools = new Map<string, number>();
  const number = (id: string) => tools.get(id) ?? tools.set(id, tools.size + 1).size;
  for (const event of events) {
    const last = lines.at(-1);
    switch (event.type) {
      case 'text':
      case 'thinking':
        if (last?.startsWith(`${event.type} `)) lines[lines.length - 1] = last + event.text;
        else lines.push(`${event.type} ${event.text}`);
        break;
      case 'session':
        lines.push(`session ${event.backend} ${event.model}`);
        break;
      case 'tool_start':
        lines.push(`tool_start ${number(event.id)} ${event.name}`);
        break;
      case 'tool_end':
        lines.push(`tool_end ${number(event.id)} ${event.isError} ${event.output}`);
        break;
      case 'usage':
        lines.push(`usage ${tokens(event)}`);
        break;
      case 'notice':
        // Of the machine, not of the turn: told once by each live process of Codex, and by no one-shot run.
        if (event.message.includes('bubblewrap')) break;
        lines.push(`notice ${event.level} ${event.message.replaceAll(/\d+(\.\d+)?/g, 'N')}`);
        break;
      case 'error':
        lines.push(`error ${event.code} retryable: ${event.retryable}`);
        break;
      case 'complete':
        lines.push(`complete ${event.stopReason} ${event.text} ${event.usage && tokens(event.usage)}`);
        break;
      default:
        lines.push(event.type);
    }
  }
  return lines;
}

function tokens({ inputTokens, cachedInputTokens, outputTokens }: Usage): string {
  return `${inputTokens} (${cachedInputTokens}) ${outputTokens}`;
}

function toolOutput(events: readonly ChatEvent[]): string | undefined {
  return events.find((event) => event.type === 'tool_end')?.output;
}

function sessionIn(events: readonly ChatEvent[]): string | undefined {
  return events.find((event) => event.type === 'session')?.sessionId;
}

async function collect(turn: AsyncIterable<ChatEvent>): Promise<readonly ChatEvent[]> {
  const events: ChatEvent[] = [];
  for await (const event of turn) events.push(event);
  return events;
}
