import { describe, expect, it } from 'vitest';
import { parseConfigFile } from '../../../src/config/config-file.js';

describe('config.yaml', () => {
  const parse = (text: string) => parseConfigFile('/h/config.yaml', text);

  it('holds settings by name, in any case; a list is one with commas; all values are text', async () => {
    const text =
      'HTTP_PORT: 8420\nbackend_live: on # warm\nAllowed_Tools: [Read, "Bash(git:*)"]\nbackend_model:\n';
    expect(await parse(text)).toEqual({
      HTTP_PORT: '8420',
      BACKEND_LIVE: 'on',
      ALLOWED_TOOLS: 'Read,Bash(git:*)',
      BACKEND_MODEL: '',
    });
    expect(await parse('')).toEqual({});
    expect(await parse('# nothing\n')).toEqual({});
  });

  it('holds nothing else: variables of programs, misspelt restrictions [fault 13.5: NODE_OPTIONS]', async () => {
    const text =
      'NODE_OPTIONS: --require ./x\nPATH: .\nLD_PRELOAD: x\nPERMISION_MODE: plan\nHTTP_HOST: {a: b}\n';
    const refused = expect(parse(text)).rejects;
    await refused.toThrow(/config\.yaml is wrong/);
    for (const name of ['NODE_OPTIONS', 'PATH', 'LD_PRELOAD', 'PERMISION_MODE', 'HTTP_HOST'])
      await expect(parse(text)).rejects.toThrow(name);
    await expect(parse('http_port: 1\nHTTP_PORT: 2\n')).rejects.toThrow('HTTP_PORT is there twice');
    await expect(parse('- HTTP_PORT\n')).rejects.toThrow('expected lines of');
    await expect(parse('a: b: c\n')).rejects.toThrow('config.yaml');
  });
});
