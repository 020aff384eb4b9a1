import { execFileSync, spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect } from 'vitest';
import { opensInterface } from '../../../../src/cli/agent/agent-start.js';
import {
  isInstalledAgent,
  parseInstalledAgent,
  printInstalledAgent,
} from '../../../../src/cli/agent/installed-agent.js';
import type { AgentDefinition } from '../../../../src/orchestra/agents/definition.js';
import { it } from '../../../contract/stage.js';

const programs = { node: '/bin/echo', turnout: '/bin/sh' };
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    "'; exit 1; '",
    '$(touch x)`x`',
    '\nEOF\n',
    '\n=== system prompt ===\n',
    '\0\r\n',
    '#!/bin/sh',
  ),
);
const agents: fc.Arbitrary<AgentDefinition> = fc.record(
  {
    name: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,10}$/),
    source: text,
    systemPrompt: fc.array(text).map((parts) => parts.join('\n')),
    description: text,
    backend: fc.constantFrom('claude', 'codex', 'codex-sdk'),
    model: text,
    maxTurns: fc.integer({ min: 1 }),
    allowedTools: fc.array(text),
    permissionMode: fc.constantFrom('bypass', 'edits', 'plan', 'ask'),
    mcpConfig: text,
    defaultPrompt: text,
  },
  { requiredKeys: ['name', 'source', 'systemPrompt'] },
);

describe('an installed agent', () => {
  it('has all that was put in, whatever that is (O11)', () => {
    fc.assert(
      fc.property(agents, (agent) => {
        const content = Buffer.from(printInstalledAgent(agent, programs)).toString('utf8');
        expect(parseInstalledAgent('x', content)).toEqual(agent);
        expect(isInstalledAgent(content)).toBe(true);
      }),
    );
  });

  it('starts Turnout with its own path and its arguments, and runs nothing of what was put in (O11)', ({
    stage,
  }) => {
    const path = stage.program('agent', '');
    const odd = stage.write("it's odd $(x)", '');
    // Every try is a process: few are enough, because what is put in stands behind the end of the script.
    for (const agent of fc.sample(agents, 20)) {
      stage.write('agent', printInstalledAgent(agent, { node: '/bin/echo', turnout: odd }));
      const printed = execFileSync(path, ['-p', '$x "y"\n', ''], { env: {}, encoding: 'utf8' });
      expect(printed).toBe(`${odd} agent start ${path} -p $x "y"\n \n`);
    }
  });

  it('falls back to the Turnout on PATH, and says so where there is none (O10)', ({ stage }) => {
    const path = stage.program('agent', '');
    const [agent] = fc.sample(agents, 1) as [AgentDefinition];
    stage.write('agent', printInstalledAgent(agent, { node: '/no/such/node', turnout: '/no/such' }));
    const run = (PATH: string) => spawnSync(path, ['-p'], { env: { PATH }, encoding: 'utf8' });
    expect(run(stage.path('bin'))).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('npm install'),
    });
    stage.program('turnout', 'echo "$@"');
    expect(run(stage.directory)).toMatchObject({ status: 0, stdout: `agent start ${path} -p\n` });
  });

  it('opens the interface only in a terminal, and only without -p (O11)', () => {
    const plain = { print: false, unattended: false, output: 'text' } as const;
    expect(opensInterface(plain, true)).toBe(true);
    expect(opensInterface(plain, false)).toBe(false);
    expect(opensInterface({ ...plain, print: true }, true)).toBe(false);
    expect(opensInterface({ ...plain, unattended: true }, true)).toBe(false);
    expect(opensInterface({ ...plain, output: 'claude-json' }, true)).toBe(false);
  });

  it.for([
    ['#!/bin/sh\necho hi\n', 'has no definition of this format'],
    [
      `#!/bin/sh\n# The agent x\n=== turnout agent, format 2 ===\n{}\n=== system prompt ===\n`,
      'of this format',
    ],
    ['\n=== turnout agent, format 1 ===\n{\n=== system prompt ===\n', 'not valid JSON'],
    ['\n=== turnout agent, format 1 ===\n{"name":"x"}\n=== system prompt ===\n', 'source'],
    ['\n=== turnout agent, format 1 ===\n{"name":"x","source":"","y":1}\n=== system prompt ===\n', '"y"'],
  ] as const)('%j is none, and the error says why', ([content, why]) => {
    expect(() => parseInstalledAgent('/bin/x', content)).toThrow(why);
    expect(() => parseInstalledAgent('/bin/x', content)).toThrow("/bin/x can't be used as an agent");
  });
});
