import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLog } from '../../../src/config/log.js';
import { logForPeople } from '../../../src/config/log-for-people.js';

const noon = () => new Date(2026, 0, 31, 12, 4, 5);

function lines(colours = false) {
  const written: string[] = [];
  const log = createLog('debug', (line) => written.push(line), {}, noon, logForPeople(colours));
  return { log, written };
}

describe('the log for people (18.8)', () => {
  it('is the time, the level, the message and the facts', () => {
    const { log, written } = lines();
    log.info('a turn has ended', { channel: 'main', ms: 1204, error: new Error('no such file') });
    log.with({ channel: 'two words' }).warn('slow');
    log.error('broken', { missing: undefined, list: [1, 'a'] });
    expect(written).toEqual([
      '12:04:05 info  a turn has ended  channel=main ms=1204 error="no such file"\n',
      '12:04:05 warn  slow  channel="two words"\n',
      '12:04:05 error broken  list=[1,"a"]\n',
    ]);
  });

  it('has short ids', () => {
    const { log, written } = lines();
    log.info('turn began', { channel: 'main', turn: 'trn_01kg0000000000abc3f2a91c0' });
    log.info('asks', { permission: 'prm_3f2a91c0-0000-4000-8000-000000000000' });
    expect(written).toEqual([
      '12:04:05 info  turn began  channel=main turn=3f2a91c0\n',
      '12:04:05 info  asks  permission=3f2a91c0\n',
    ]);
  });

  it('has the levels in colours where there are any', () => {
    const { log, written } = lines(true);
    log.error('broken');
    expect(written).toEqual(['\u001b[2m12:04:05\u001b[0m \u001b[31merror\u001b[0m broken\n']);
  });

  it('is one line without control characters, whatever is logged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.anything(), (message, value) => {
        const { log, written } = lines();
        log.info(message, { value, [message]: message });
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
        expect(written.join('')).toMatch(/^[^\u0000-\u001f\u007f-\u009f]*\n$/);
      }),
    );
  });

  it('is JSON for its other readers', () => {
    const written: string[] = [];
    createLog('info', (line) => written.push(line), {}, noon).info('started', { port: 1 });
    expect(JSON.parse(written.join(''))).toEqual({
      time: noon().toISOString(),
      level: 'info',
      message: 'started',
      port: 1,
    });
  });
});
