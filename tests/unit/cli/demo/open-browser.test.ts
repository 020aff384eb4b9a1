import { describe, expect, it } from 'vitest';
import { browserCommand } from '../../../../src/cli/demo/open-browser.js';

describe('a browser is opened on a desktop only (16.6)', () => {
  const ssh = { SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' };
  it.each([
    ['linux', { DISPLAY: ':0' }, 'xdg-open'],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, 'xdg-open'],
    ['linux', { ...ssh, DISPLAY: 'localhost:10.0' }, 'xdg-open'],
    ['linux', { DISPLAY: '' }, undefined],
    ['linux', ssh, undefined],
    ['darwin', {}, 'open'],
    ['darwin', ssh, undefined],
    ['win32', {}, 'cmd'],
  ] as const)('%s with %j: %s', (platform, env, program) => {
    expect(browserCommand(platform, env, true)?.[0]).toBe(program);
    expect(browserCommand(platform, { ...env, CI: '1' }, true)).toBeUndefined();
    expect(browserCommand(platform, env, false)).toBeUndefined();
  });
});
