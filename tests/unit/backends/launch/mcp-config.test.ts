import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { mcpSecrets, missingServers, readMcpServers } from '../../../../src/backends/launch/mcp-config.js';
import { it } from '../../../contract/stage.js';

describe('the servers of a file in Claude’s format', () => {
  it('are read with their variables put in, as Claude does it (O8)', async ({ stage }) => {
    const file = stage.write(
      'mcp.json',
      JSON.stringify({
        mcpServers: {
          local: {
            type: 'stdio',
            command: `\${ROOT}/server`,
            args: ['--port', `\${PORT:-80}`],
            env: { A: `\${A}` },
          },
          remote: { type: 'sse', url: `http://\${HOST}/`, headers: { Authorization: `Bearer \${TOKEN:-}` } },
        },
      }),
    );
    expect(await readMcpServers(file, { ROOT: '/opt', HOST: 'h' })).toEqual([
      {
        name: 'local',
        // A variable that is not there stays as it was written.
        runs: { type: 'local', command: '/opt/server', args: ['--port', '80'], env: { A: `\${A}` } },
      },
      { name: 'remote', runs: { type: 'sse', url: 'http://h/', headers: { Authorization: 'Bearer ' } } },
    ]);
  });

  it.each<[string, string]>([
    ['{', 'is not JSON'],
    ['{"servers":{}}', 'no object "mcpServers"'],
    ['{"mcpServers":{"x":{"args":[]}}}', 'the server "x" has neither a "command" nor a "url"'],
    ['{"mcpServers":{"x":{"command":"a","args":"b"}}}', 'the server "x" has "args"'],
    ['{"mcpServers":{"x":{"command":"a","env":{"N":1}}}}', 'the server "x" has "env"'],
  ])('are refused by the path of the file: %s (O8)', async (content, why) => {
    const directory = mkdtempSync(join(tmpdir(), 'turnout-test-'));
    const file = join(directory, 'mcp.json');
    writeFileSync(file, content);
    await expect(readMcpServers(file)).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringMatching(new RegExp(`${file}.*${why}`)),
    });
    rmSync(directory, { recursive: true });
  });

  it('have secrets that no log shows, with the variables put in too (O9)', ({ stage }) => {
    const server = { command: 'x', env: { A: `Bearer \${WORD}` }, headers: { B: 'plain' } };
    const file = stage.write('mcp.json', JSON.stringify({ mcpServers: { server } }));
    expect(mcpSecrets(file, { WORD: 'hunter2' })).toEqual([`Bearer \${WORD}`, 'Bearer hunter2', 'plain']);
    expect(mcpSecrets(stage.path('no file'))).toEqual([]);
  });

  it('whose program is not there are told, by PATH or by path (O8)', async ({ stage }) => {
    const command = (path: string, env = {}) => ({ command: path, args: [], env });
    const mcpServers = {
      fine: command('sh'),
      gone: command('no-such-program'),
      'gone too': command('/nowhere/server'),
      'with a path of its own': command('sh', { PATH: '/nowhere' }),
      remote: { url: 'http://127.0.0.1:1/' },
    };
    const file = stage.write('mcp.json', JSON.stringify({ mcpServers }));
    const told = await missingServers(file, stage.env, stage.workingDir);
    expect(told.map(({ message }) => message)).toEqual([
      'The MCP server gone could not start: no-such-program was not found',
      'The MCP server gone too could not start: /nowhere/server was not found',
      'The MCP server with a path of its own could not start: sh was not found',
    ]);
    expect(await missingServers(stage.path('no file'), stage.env, stage.workingDir)).toEqual([]);
  });
});
