import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { demoAgent, type GatewayStage, setUpGateway } from '../stage.js';

const told = 'Claude 2.1.999 is newer than the vetted';

/** The demo agent in a package of Claude's, with a version that was not vetted. */
function newClaude(stage: GatewayStage): string {
  const directory = join(stage.root, 'package');
  mkdirSync(directory);
  writeFileSync(
    join(directory, 'package.json'),
    JSON.stringify({ name: '@anthropic-ai/claude-code', version: '2.1.999' }),
  );
  const cli = join(directory, 'claude');
  writeFileSync(cli, `#!/bin/sh\n"${demoAgent}" "$@" | sed -u 's/"2[.]1[.]325"/"2.1.999"/'\n`, {
    mode: 0o755,
  });
  return cli;
}

function warnings(stage: GatewayStage): readonly unknown[] {
  return stage.log.filter((line) => JSON.stringify(line).includes(told));
}

describe('a version that was not vetted, in the gateway', () => {
  it.each(['0', '1'])('is in the log once, and in /backend and /status (live: %s)', async (live) => {
    const stage = setUpGateway({ BACKEND_LIVE: live });
    const client = await stage.start({ BACKEND_CLI_PATH: newClaude(stage) });
    expect((await client.ask('a', '/status')).responseText).toContain(`\nversion: ${told}`);
    expect((await client.ask('a', '/backend')).responseText).toContain(told);
    expect(warnings(stage)).toEqual([]);
    for (const channel of ['a', 'b', 'a'])
      expect(await client.ask(channel, 'say exactly: yes')).toMatchObject({ responseText: 'yes' });
    expect(warnings(stage)).toMatchObject([{ level: 'warn' }]);
  });

  it('is not told of once it has passed turnout doctor --deep', async () => {
    const stage = setUpGateway();
    const client = await stage.start({ BACKEND_CLI_PATH: newClaude(stage) });
    expect((await client.ask('a', '/status')).responseText).toContain(told);
    writeFileSync(join(stage.home, 'checked-versions.json'), '{"claude":["2.1.999"]}');
    expect((await client.ask('a', '/status')).responseText).not.toContain('version:');
    expect(await client.ask('a', 'say exactly: yes')).toMatchObject({ responseText: 'yes' });
    expect(warnings(stage)).toEqual([]);
  });
});
