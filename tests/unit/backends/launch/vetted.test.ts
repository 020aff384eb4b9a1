import { describe, expect, it } from 'vitest';
import { pinnedVersions } from '../../../../scripts/install-cli.js';
import {
  isVettingNotice,
  pinnedVersion,
  vettedVersions,
  vettingNotice,
  vettingOf,
} from '../../../../src/backends/launch/vetted.js';

const codex = { name: 'codex', label: 'Codex', npmPackage: '@openai/codex' };
const pinned = pinnedVersion('codex') ?? '';

describe('vetted versions', () => {
  it('are listed for each vendor; the first is what the lab installs', () => {
    expect(Object.keys(vettedVersions).sort()).toEqual(['claude', 'codex', 'gemini', 'opencode']);
    for (const [backend, versions] of Object.entries(vettedVersions)) {
      expect(pinnedVersion(backend)).toBe(versions[0]);
      expect(new Set(versions).size).toBe(versions.length);
      expect(pinnedVersions).toHaveProperty(backend, pinnedVersion(backend));
    }
  });

  it('are told from older and newer ones', () => {
    for (const version of vettedVersions['codex'] ?? []) expect(vettingOf('codex', version)).toBe('vetted');
    expect(vettingOf('codex', '0.0.1')).toBe('older');
    expect(vettingOf('codex', '999.0.0')).toBe('newer');
    expect(vettingOf('codex', `${pinned}-alpha.1`)).toBe('older');
  });

  it('say nothing of a version that is not known, nor of a backend that the lab does not know', () => {
    expect(vettingOf('codex', undefined)).toBeUndefined();
    expect(vettingOf('a-fifth', '1.0.0')).toBeUndefined();
    expect(vettingNotice(codex, undefined)).toBeUndefined();
    expect(vettingNotice(codex, pinned)).toBeUndefined();
  });

  it('make a notice that says what to do', () => {
    expect(vettingNotice(codex, '0.0.1')).toEqual({
      type: 'notice',
      level: 'warning',
      message: `Codex 0.0.1 is older than the vetted ${pinned}: update it with \`npm install -g @openai/codex@${pinned}\`, or check it with \`turnout doctor --deep --backend codex\`.`,
    });
    expect(vettingNotice(codex, '999.0.0')).toEqual({
      type: 'notice',
      level: 'info',
      message: `Codex 999.0.0 is newer than the vetted ${pinned}: check it with \`turnout doctor --deep --backend codex\`, or go back with \`npm install -g @openai/codex@${pinned}\`.`,
    });
    for (const version of ['0.0.1', '999.0.0']) {
      const made = vettingNotice(codex, version);
      expect(made && isVettingNotice(made)).toBe(true);
    }
    expect(isVettingNotice({ type: 'notice', level: 'warning', message: 'The disk is full.' })).toBe(false);
  });
});
