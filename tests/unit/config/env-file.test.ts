import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parseEnvFile } from '../../../src/config/env-file.js';

const parse = (text: string) => parseEnvFile('/h/.env', text);

describe('a .env file', () => {
  it('is read as parseEnv reads it: comments, quotes, values over several lines', () => {
    const text = [
      '# comment',
      '',
      'PERMISSION_MODE = plan # why',
      'export HTTP_PORT=8421',
      'KEY="-----BEGIN KEY-----',
      'abc: def==',
      '',
      '# no comment',
      '-----END KEY-----" # comment',
      "ONE='a\n b'",
      'TICKS=`a "b"',
      'c`',
      'APOSTROPHE=don\'t "do"',
      'EMPTY=',
      'a.b-c=x=y',
      'GH_CONFIG_DIR=/x',
      'HF_TOKEN=x',
      'GH_TOKEN=x',
      'GH_TOKEN=y',
      '',
    ].join('\n');
    expect(parse(text)).toEqual({ ...parseEnv(text) });
    expect(parse(text)).toMatchObject({ PERMISSION_MODE: 'plan', GH_TOKEN: 'y', ONE: 'a\n b' });
  });

  it('may have a BOM and any line ends [fault 13.5: a restriction in .env that is not read]', () => {
    for (const end of ['\n', '\r\n', '\r'])
      expect(parse(`\uFEFFPERMISSION_MODE=plan${end}  export  A="x${end}y"${end}\tB=1${end}`)).toEqual({
        PERMISSION_MODE: 'plan',
        A: 'x\ny',
        B: '1',
      });
  });

  it.each([
    ['PERMISSION_MODE: plan', 'line 2: expected NAME=value'],
    ['PERMISSION_MODE plan', 'line 2: expected NAME=value'],
    ['\u00a0PERMISSION_MODE=plan', 'line 2: expected NAME=value'],
    ['PERMISSION_MODE=plan\n\nPERMISSION_MODE=bypass', 'line 4: PERMISSION_MODE is there twice'],
    ['permission_mode=plan', 'line 2: permission_mode is no setting; is PERMISSION_MODE meant?'],
    ['PERMISION_MODE=plan', 'is PERMISSION_MODE meant?'],
    ['Permission-Mode=plan', 'is PERMISSION_MODE meant?'],
    ['http_port=1', 'is HTTP_PORT meant?'],
    ['ALLOW_TOOLS=Read', 'is ALLOWED_TOOLS meant?'],
    ['BACKEND_MAX_TURN=3', 'is BACKEND_MAX_TURNS meant?'],
    ['CONFIG_DRI=/x', 'is CONFIG_DIR meant?'],
    ['AGENT_USR=x', 'is AGENT_USER meant?'],
    ['HTTP_TOKE=x', 'is HTTP_TOKEN meant?'],
    ['A="x\nPERMISSION_MODE=plan\nB=x"', 'line 2: A: PERMISSION_MODE is within its quotes'],
    ['A="x\nPERMISSION_MODE=plan', 'line 2: A: the closing quote is missing'],
    ['ALLOWED_TOOLS="Read", "Bash"', 'line 2: ALLOWED_TOOLS: there is text behind the closing quote'],
  ])('does not hold %j [fault 13.5: a restriction in .env that is not read]', (text, problem) => {
    expect(() => parse(`FIRST=1\n${text}\n`)).toThrow(problem);
    expect(() => parse(`FIRST=1\n${text}\n`)).toThrow('/h/.env is wrong');
  });
});
