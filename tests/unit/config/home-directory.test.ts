import { isAbsolute } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectsDirectory } from '../../../src/backends/gemini/chat-records.js';
import { homeDirectory, trustedHome, userHome } from '../../../src/config/home-directory.js';

describe('a HOME that is empty, blank or relative', () => {
  it.each(['', ' ', 'h', '.', undefined])('(%j) counts as not set [fault 13.5: an empty HOME]', (HOME) => {
    // `homedir` repeats a wrong HOME.
    expect(userHome({ HOME }, [() => HOME ?? '', () => '/home/ada'])).toBe('/home/ada');
    for (const path of [trustedHome({ HOME, TURNOUT_HOME: ' ' }), projectsDirectory({ HOME })]) {
      expect(isAbsolute(path)).toBe(true);
      expect(path.startsWith(process.cwd())).toBe(false);
    }
  });

  it('needs TURNOUT_HOME if the system has no home, either [fault 13.5: an empty HOME]', () => {
    const unknown = () => {
      throw new Error('ENOENT');
    };
    for (const ofSystem of [[() => '', () => 'relative'], [unknown]])
      expect(() => userHome({ HOME: '' }, ofSystem)).toThrow(
        expect.objectContaining({ hint: expect.stringContaining('TURNOUT_HOME') }),
      );
    expect(homeDirectory({ HOME: '', TURNOUT_HOME: '/data' })).toBe('/data');
  });
});
