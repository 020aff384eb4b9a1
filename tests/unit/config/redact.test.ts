import { describe, expect, it } from 'vitest';
import { isSecretName, redactorFor, redactText, redactVariables } from '../../../src/config/redact.js';
import { cpuMs } from '../../machine-speed.js';

describe('what looks like a secret is redacted (S9, O9)', () => {
  it.each([
    'ANTHROPIC_API_KEY=hunter2hunter2',
    'export MY_TOKEN="hunter2 hunter2"',
    '{"apiKey": "hunter2hunter2"}',
    '{"password":"hunter2 and \\"hunter2\\" again"}',
    JSON.stringify({ output: JSON.stringify({ db_password: 'hunter2 "hunter2" hunter2' }) }),
    'Authorization: Bearer hunter2hunter2',
    'Authorization: Basic aHVudGVyMg== hunter2',
    '{"headers":{"X-Any":"hunter2hunter2","Other":"hunter2 }hunter2"}}',
    '{"mcpServers":{"a":{"command":"x","env":{"PLAIN":"hunter2","B":"hunter2"}}}}',
    '{"env":[{"name":"PLAIN","value":"hunter2"},{"value":"hunter2","name":"B"}]}',
    'mcp_servers.a.env={PLAIN="hunter2 hunter2",B = "hunter2"}',
    '[{"name":"MY_TOKEN","value":"hunter2hunter2"}]',
    '["npx","--api-key","hunter2hunter2"]',
    '--api-key=hunter2hunter2',
    'https://user:hunter2hunter2@127.0.0.1/x',
    'https://host/?key=hunter2hunter2&x=1',
    'sk-ant-hunter2hunter2',
    'github_pat_hunter2hunter2',
    '-----BEGIN RSA PRIVATE KEY-----\nhunter2\nhunter2\n-----END RSA PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----\nhunter2',
    'Cookie: a=hunter2; b=hunter2',
  ])('%s', (text) => {
    expect(redactText(text)).toContain('[redacted]');
    expect(redactText(text)).not.toMatch(/hunter2|aHVudGVyMg/);
  });

  it.each([
    '{"input_tokens":12,"output_tokens":3,"apiKeySource":"none","type":"result"}',
    '{"name":"Bash","input":{"command":"ls"}}',
    '--max-tokens 500 --model m',
    'the keyboard of a monkey: fine',
    'HTTP_TOKEN_FILE=/run/secrets/token',
    '{"env":{}}',
  ])('%s stays as it is', (text) => {
    expect(redactText(text)).toBe(text);
  });

  it('leaves JSON that is still JSON', () => {
    const inner = JSON.stringify({ token: 'a "quoted" one', left: 'kept' });
    const line = JSON.stringify({ env: { A: 'x"y' }, text: inner, secret: 'a\\', last: 'kept' });
    const read = JSON.parse(redactText(line));
    expect(read).toEqual({
      env: { A: '[redacted]' },
      text: JSON.stringify({ token: '[redacted]', left: 'kept' }),
      secret: expect.stringContaining('[redacted]'),
      last: 'kept',
    });
  });

  it('the values of secret variables are redacted wherever they stand, also as JSON writes them', () => {
    const redact = redactorFor(
      { A_TOKEN: 'swordfish-1', B_KEY: 'with "quotes"', C_KEY: 'short', HOME: '/home/me' },
      ['a given one'],
    );
    expect(redact('swordfish-1 with \\"quotes\\" a given one /home/me short')).toBe(
      '[redacted] [redacted] [redacted] /home/me short',
    );
  });

  it('a directory is no secret, and a word is none within other words', () => {
    const here = process.cwd();
    const env = { PWD: here, OLDPWD: here, MY_PWD: here, WORD_KEY: 'prodsite', REAL_KEY: 'prodsite7' };
    expect(redactorFor({ A_KEY: `/${'x'.repeat(9000)}` })(`/${'x'.repeat(9000)}`)).toBe('[redacted]');
    const redact = redactorFor(env);
    const kept = `--cd ${here}/src PWD=${here} OLDPWD=${here} prodsites myprodsite`;
    expect(redact(kept)).toBe(kept);
    expect(redact('prodsite "\\nprodsite" aprodsite7b')).toBe('[redacted] "\\n[redacted]" a[redacted]b');
    expect(redactVariables({ PWD: here, MY_PWD: here, DB_PWD: 'hunter2' })).toEqual({
      PWD: here,
      MY_PWD: here,
      DB_PWD: '[redacted]',
    });
    expect(redactText('{"pwd":"hunter2"}')).toBe('{"pwd":"[redacted]"}');
  });

  it('a secret of several lines is redacted line by line too, and another private key as a whole', () => {
    const key = (letter: string) =>
      [
        '-----BEGIN PRIVATE KEY-----',
        letter.repeat(64),
        `${letter.repeat(20)}==`,
        '-----END PRIVATE KEY-----',
      ].join('\n');
    const redact = redactorFor({ MY_PRIVATE_KEY: key('M') });
    const shown = key('M')
      .split('\n')
      .map((line) => redact(`  ${line}`))
      .join('\n');
    expect(shown).not.toContain('MM');
    expect(redact(JSON.stringify({ text: JSON.stringify({ text: key('M') }) }))).not.toContain('MM');
    expect(redact(key('N'))).toBe('[redacted]');
    expect(redactorFor({ A_TOKEN: 'short\r\nwords\r\nhere' })('short words')).toBe('short words');
  });

  it('takes time in proportion to the length, backslashes included', () => {
    const parts = [
      ...[
        'a-',
        'key=',
        '"env":{',
        '"--key","',
        'x:"',
        '://:',
        'Bearer ',
        '{"name":"',
        '\\',
        'a\\',
        'key=\\',
        '"\\',
      ],
      ...[
        'eyJ-',
        'eyJaaaaaaaaaa.',
        'env=["\\"',
        'key="\\\\\\"',
        'env:{"a":"',
        'env:{=\\',
        'name\\',
        '{',
        "key='",
        '-',
      ],
      ...['-----BEGIN PRIVATE KEY-----', '-----BEGIN ', 'sk-', 'name:"token","', 'key: ', 'cookie: '],
    ];
    for (const part of parts)
      for (const beginning of ['', 'key="', 'env={"', '"--key'])
        for (const end of ['', '"', '}']) {
          const text = beginning + part.repeat(100_000 / part.length) + end;
          const began = cpuMs();
          redactText(text);
          expect(cpuMs() - began, `${beginning} ${part} ${end}`).toBeLessThan(1000);
        }
  });

  it('knows the names of secrets', () => {
    for (const name of [
      'API_KEY',
      'apiKey',
      'x-api-key',
      'GITHUB_TOKEN',
      'dbPassword',
      'AWS_SECRET_ACCESS_KEY',
      'PGPASSWORD',
    ])
      expect(isSecretName(name), name).toBe(true);
    for (const name of [
      'PATH',
      'apiKeySource',
      'monkey',
      'TURNOUT_HOME',
      'type',
      'author',
      'HTTP_TOKEN_FILE',
    ])
      expect(isSecretName(name), name).toBe(false);
  });
});
