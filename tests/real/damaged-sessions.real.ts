import { cp, readdir, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { chatFileName, parseChatFileName } from '../../src/backends/gemini/chat-file.js';
import { type VendorName, vendorNames } from '../../src/backends/registry.js';
import type { ChatEvent } from '../../src/core/chat-event.js';
import { failureEvent, TurnoutError } from '../../src/core/errors.js';
import { isFromModel, judgeSession } from '../../src/gateway/agents/failed-resume.js';
import { Sessions } from '../../src/sessions/sessions.js';
import {
  type DatabaseDamage,
  damageSession,
  type FileDamage,
  recordDirectories,
  restoreRecords,
} from './damage-session.js';
import { setUpLab } from './set-up-lab.js';

/**
 * What a CLI makes of a damaged record, live and, if that differs, one-shot: `goes on` under the same id, with what can be read;
 * `lost`, it says that it has no such session, or can't read it; `suspect`, it fails before the model is asked;
 * `fails after an answer`, it reports an error beside the model's answer.
 */
type Meaning = 'goes on' | 'lost' | 'suspect' | 'fails after an answer';
type Meanings = Meaning | { readonly live: Meaning; readonly oneShot: Meaning };

const files = (more: Partial<Record<FileDamage, Meanings>> = {}): Record<FileDamage, Meanings> => ({
  'is deleted': 'lost',
  'is empty': 'lost',
  'ends in its middle': 'goes on',
  'ends within its last line': 'goes on',
  'has another first line': 'goes on',
  'has binary garbage in its middle': 'goes on',
  'has no line that is JSON': 'lost',
  'is binary garbage': 'lost',
  'can’t be read': 'lost',
  ...more,
});

const database: Record<DatabaseDamage, Meanings> = {
  'has no row of it': 'lost',
  'has no messages': 'goes on',
  'has no parts': 'goes on',
  'has messages that are not JSON': 'suspect',
  'has messages of another shape': { live: 'goes on', oneShot: 'fails after an answer' },
  'has parts that are not JSON': 'suspect',
  'has parts of another shape': 'goes on',
  'has a garbled row of it': { live: 'suspect', oneShot: 'lost' },
  'is deleted': 'lost',
  'is empty': 'lost',
};

const damages: Readonly<Record<VendorName, Partial<Record<FileDamage | DatabaseDamage, Meanings>>>> = {
  claude: files(),
  codex: files({ 'has another first line': 'lost' }),
  gemini: files(),
  opencode: database,
};

describe.each(vendorNames)('a record of %s that is damaged (R10)', (backend) => {
  const lab = setUpLab(backend);
  let sessionId = '';
  let copy = '';

  beforeAll(async () => {
    const { sessions } = lab;
    const session = await sessions.open({ backend, config: lab.config });
    lab.model.use([{ steps: [{ shell: 'echo ran' }] }, 'noted']);
    expect((await collect(session.send('remember 4711'))).at(-1)).toMatchObject({ type: 'complete' });
    lab.model.use(['yes']);
    await collect(session.send('do you?'));
    sessionId = session.sessionId ?? '';
    await sessions.close();
    copy = join(lab.home.directory, 'copy');
    await cp(join(lab.home.directory, recordDirectories[backend]), copy, { recursive: true });
    if (backend === 'gemini') await backdateChatFiles(copy);
  }, 120_000);

  for (const live of [true, false]) {
    const cases = Object.entries(damages[backend]).map(([how, meanings]) => {
      const meaning = typeof meanings === 'string' ? meanings : live ? meanings.live : meanings.oneShot;
      return [how as FileDamage | DatabaseDamage, meaning] as const;
    });
    it.each(cases)(`which %s: %s (${live ? 'live' : 'one-shot'})`, async (how, meaning) => {
      await restoreRecords(backend, lab.home.directory, copy);
      await damageSession(backend, lab.home.directory, sessionId, how);
      lab.model.forget();
      lab.model.use(['answered']);
      const events = await resume(live);
      const ending = events.at(-1);
      // Whatever it says, it never goes on as somebody else.
      const told = events.map((event) => (event.type === 'session' ? event.sessionId : sessionId));
      expect(new Set(told)).toEqual(new Set([sessionId]));
      if (meaning === 'goes on') {
        expect(ending).toMatchObject({ type: 'complete', text: 'answered', sessionId });
        return;
      }
      expect(lab.model.turns).toHaveLength(meaning === 'fails after an answer' ? 1 : 0);
      if (ending?.type !== 'error') throw new Error(`It ended with ${JSON.stringify(ending)}`);
      const modelHeard = events.some(isFromModel);
      const judged = judgeSession({ resumed: true, modelHeard }, ending);
      expect(judged, ending.message).toBe(meaning === 'fails after an answer' ? 'fine' : meaning);
    });
  }

  async function resume(live: boolean): Promise<readonly ChatEvent[]> {
    const sessions = new Sessions();
    try {
      const session = await sessions.open({ backend, config: lab.config, live, sessionId });
      return await collect(session.send('and now?'));
    } catch (error) {
      if (error instanceof TurnoutError) return [failureEvent(error)];
      throw error;
    } finally {
      await sessions.close();
    }
  }
});

/**
 * Gemini names a chat file by the minute, and begins another one when it resumes a session. In the minute in which the session
 * was made both have one name: a directory in its place is then what it stumbles over, and no longer the record.
 */
async function backdateChatFiles(directory: string): Promise<void> {
  for (const path of await readdir(directory, { recursive: true })) {
    const chat = parseChatFileName(basename(path));
    if (chat === undefined) continue;
    const earlier = join(dirname(path), chatFileName({ ...chat, minute: '2026-01-01T00-00' }));
    await rename(join(directory, path), join(directory, earlier));
  }
}

async function collect(events: AsyncIterable<ChatEvent>): Promise<readonly ChatEvent[]> {
  const seen: ChatEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}
