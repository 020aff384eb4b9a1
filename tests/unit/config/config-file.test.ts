import { describe, expect, it } from 'vitest';
import { parseConfigFile, readConfigText } from '../../../src/config/config-file.js';

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

  it('may have names as they are typed, with dashes (18.3)', async () => {
    expect(await parse('query-timeout-ms: 1000\n')).toEqual({ QUERY_TIMEOUT_MS: '1000' });
  });

  it('is told by line, with the name that may be meant and the command that takes it out (18.2)', async () => {
    await expect(parse('# mine\nhttp_prot: 1\n')).rejects.toMatchObject({
      message: '/h/config.yaml is wrong:\n  - line 2: "http_prot" is no setting. Did you mean HTTP_PORT?',
      hint: expect.stringContaining('`turnout config unset http_prot` takes that one out'),
    });
    await expect(parse('HTTP_PORT: 1\nHTTP_PORT: 2\n')).rejects.toThrow('line 2: HTTP_PORT is there twice');
    await expect(parse('"\u001b[2J": 1\n')).rejects.toMatchObject({
      hint: expect.not.stringContaining('[2J'),
    });
  });

  it('has one problem if it is no YAML: the first, with its line (18.2)', async () => {
    await expect(parse('HTTP_PORT: 1\nfoo\n: [\n  bar: "\n')).rejects.toThrow(
      /^\/h\/config\.yaml is wrong:\n {2}- line \d is no valid YAML: [^\n]*[^:\n]$/,
    );
  });

  it('is read as far as it can be (18.2)', () => {
    expect(readConfigText('HTTP_PORT: 1\nfoo: 2\nALLOWED_TOOLS: {a: b}\n')).toMatchObject({
      settings: { HTTP_PORT: '1' },
      problems: [
        { name: 'FOO', written: 'foo', isUnknown: true },
        { name: 'ALLOWED_TOOLS', isUnknown: false },
      ],
    });
  });
});
