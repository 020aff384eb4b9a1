import { constants } from 'node:fs';
import { chmod, open, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLog } from '../../../../../../src/config/log.js';
import type {
  AttachmentLimits,
  SentAttachment,
} from '../../../../../../src/gateway/channels/discord/receive/attachment-limits.js';
import {
  type AttachmentParts,
  attachmentsDirectory,
  discordOrigins,
  saveAttachments,
} from '../../../../../../src/gateway/channels/discord/receive/attachments.js';
import { removeOldAttachments } from '../../../../../../src/gateway/channels/discord/receive/remove-old-attachments.js';
import { logLines } from '../../../log-lines.js';
import { directoryWith } from '../../../temporary-directory.js';
import { serveFiles } from './file-server.js';

const never = new AbortController().signal;
const silent = createLog('silent');
const limits: AttachmentLimits = {
  maxBytes: 1000,
  maxTotalBytes: 1500,
  maxCount: 3,
  types: [],
  timeoutMs: 10_000,
};

describe('files that come with a message', () => {
  it('are loaded into a directory of the message, for this user only (17.4)', async () => {
    const origin = await serveFiles((request, response) => response.end(`content of ${request.url}`));
    const parts = await partsFor(origin);
    const saved = await save(parts, [
      { id: '11', name: '../a.txt', url: `${origin}/1`, size: 12, contentType: 'text/plain; charset=utf-8' },
      { id: '12', name: 'a.txt', url: `${origin}/2`, size: 12 },
    ]);
    const folder = join(parts.directory, '5', '100');
    expect(saved).toEqual({
      files: [
        { path: join(folder, '11', 'a.txt'), size: 13, contentType: 'text/plain' },
        { path: join(folder, '12', 'a.txt'), size: 13 },
      ],
      problems: [],
    });
    expect(await readFile(join(folder, '12', 'a.txt'), 'utf8')).toBe('content of /2');
    expect(await modes([parts.directory, join(folder, '..'), folder])).toEqual([0o700, 0o700, 0o700]);
    expect(await modes([join(folder, '11', 'a.txt')])).toEqual([0o600]);
    expect(await readdir(join(folder, '..'))).toEqual(['100']);
  });

  it('stay what they are when an edit removes another one of the same name (17.4)', async () => {
    const origin = await serveFiles((request, response) => response.end(`content of ${request.url}`));
    const parts = await partsFor(origin);
    const [removed, kept] = ['1', '2'].map((id) => ({ id, name: 'a.txt', url: `${origin}/${id}`, size: 12 }));
    if (removed === undefined || kept === undefined) throw new Error('there are two');
    const { files } = await save(parts, [removed, kept, kept]);
    expect(files).toHaveLength(2);
    const after = await save(parts, [kept]);
    expect(after.files.map(({ path }) => basename(path))).toEqual(['a.txt']);
    expect(await readFile(after.files[0]?.path ?? '', 'utf8')).toBe('content of /2');
  });

  it('are loaded once: after a crash the same message finds its files (17.6)', async () => {
    let requests = 0;
    const origin = await serveFiles((request, response) => {
      requests++;
      response.statusCode = request.url === '/gone' ? 404 : 200;
      response.end('x');
    });
    const { log, lines } = logLines();
    const parts = { ...(await partsFor(origin)), log };
    const sent = [file(origin, 'a', 1), { ...file(origin, 'b', 1), url: `${origin}/gone` }];
    const first = await save(parts, sent);
    const again = await save(parts, sent);
    expect(lines).toMatchObject([{ message: 'a file of a message was not taken', discordMessage: '100' }]);
    expect(JSON.stringify(lines), 'whoever has the address has the file').not.toContain(origin);
    expect(again.files).toEqual(first.files);
    expect(again.problems).toEqual([
      'The file "b" is not there: it could not be loaded when the message came.',
    ]);
    expect(requests).toBe(2);
    const both = await Promise.all([save(parts, sent, '101'), save(parts, sent, '101')]);
    expect(both.map(({ files }) => files.length)).toEqual([1, 1]);
    expect(await readdir(join(parts.directory, '5'))).toEqual(['100', '101']);
  });

  it('over a limit are not loaded, and it is said which (17.4)', async () => {
    const asked: string[] = [];
    const origin = await serveFiles((request, response) => {
      asked.push(request.url ?? '');
      response.end('x'.repeat(800));
    });
    const parts = await partsFor(origin, {
      types: ['text/*', '.log', 'image/png'],
      maxCount: 2,
      maxTotalBytes: 1700,
    });
    const { files, problems } = await save(parts, [
      { ...file(origin, 'big.txt', 2000), contentType: 'text/plain' },
      { ...file(origin, 'movie.mp4', 1), contentType: 'video/mp4' },
      { ...file(origin, 'unknown', 1) },
      { ...file(origin, 'one.LOG', 800) },
      { ...file(origin, 'much.log', 950) },
      { ...file(origin, 'two.png', 800), contentType: 'image/png' },
      { ...file(origin, 'three.log', 1) },
    ]);
    expect(asked).toEqual(['/one.LOG', '/two.png']);
    expect(files.map(({ size }) => size)).toEqual([800, 800]);
    expect(problems).toEqual([
      'The file "big.txt" is not there: it has 0.0 MB, and 0.0 MB are allowed.',
      'The file "movie.mp4" is not there: files of its type are not taken.',
      'The file "unknown" is not there: files of its type are not taken.',
      'The file "much.log" is not there: the files of a message may have 0.0 MB together, and it is over that.',
      'The file "three.log" is not there: not more than 2 files of a message are taken.',
    ]);
  });

  it('stop when more comes than is allowed, whatever was announced (17.4)', async () => {
    let closed: (() => void) | undefined;
    const ended = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const origin = await serveFiles((request, response) => {
      if (request.url === '/told')
        return void response.setHeader('content-length', 5000).end('x'.repeat(5000));
      response.on('close', () => closed?.());
      const more = () => response.write('x'.repeat(300), () => setImmediate(more));
      more();
    });
    const opened: string[] = [];
    const openFile: typeof open = (path, flags, mode) => {
      opened.push(String(path));
      return open(path, flags, mode);
    };
    const parts = { ...(await partsFor(origin)), openFile };
    const { files, problems } = await save(parts, [file(origin, 'told', 1), file(origin, 'endless', 1)]);
    await ended;
    expect(opened.map((path) => basename(path))).toEqual(['endless']);
    expect(files).toEqual([]);
    expect(problems).toEqual([
      'The file "told" is not there: it is larger than is allowed.',
      'The file "endless" is not there: it is larger than is allowed.',
    ]);
    expect(await readdir(join(parts.directory, '5'))).toEqual([]);
  });

  it('come from nowhere else, also not by a redirect (17.4)', async () => {
    let askedElsewhere = 0;
    const elsewhere = await serveFiles((_, response) => {
      askedElsewhere++;
      response.end('secret');
    });
    const origin = await serveFiles((request, response) => {
      const to: Record<string, string> = {
        '/out': elsewhere,
        '/round': '/round',
        '/in': '/x',
        '/bad': 'http://[',
      };
      const location = to[request.url ?? ''];
      if (location === undefined) return void response.end('x');
      response.writeHead(302, { location }).end();
    });
    const parts = await partsFor(origin, { maxCount: 9 });
    const user = origin.replace('//', '//user:word@');
    const urls = ['/out', '/round', '/bad', '/in'].map((path) => origin + path);
    const bad = [
      elsewhere,
      user,
      'file:///etc/passwd',
      'no address',
      'https://cdn.discordapp.com.example.org/a',
    ];
    const { files, problems } = await save(
      parts,
      [...urls, ...bad].map((url, index) => ({ id: String(index), name: `f${index}`, url, size: 1 })),
    );
    expect(files.map(({ path }) => path.at(-1))).toEqual(['3']);
    const reasons = problems.map((problem) => problem.replace(/^.*: (.*)\.$/, '$1'));
    expect(reasons.filter((reason) => reason === 'its address is not one of Discord’s')).toHaveLength(7);
    expect(reasons[1]).toBe('Discord sends it from one place to the next');
    expect(askedElsewhere).toBe(0);
    expect(discordOrigins).toEqual(['https://cdn.discordapp.com', 'https://media.discordapp.net']);
  });

  it('that hang, break off or find the disk full are told, and leave nothing behind (17.4)', async () => {
    const origin = await serveFiles((request, response) => {
      response.writeHead(200, { 'content-length': 10 });
      response.write('half');
      if (request.url === '/broken') response.destroy();
      if (request.url === '/full' || request.url === '/whole') response.end('123456');
    });
    const parts = await partsFor(origin, { timeoutMs: 500 });
    const openFile: typeof open = async (path, flags, mode) => {
      const handle = await open(path, flags, mode);
      if (String(path).endsWith('full'))
        handle.appendFile = () => Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
      return handle;
    };
    const sent = ['broken', 'full', 'slow'].map((name) => file(origin, name, 10));
    const { files, problems } = await save({ ...parts, openFile }, sent);
    expect(files).toEqual([]);
    expect(problems).toEqual([
      'The file "broken" is not there: it could not be loaded; the log of the gateway says why.',
      'The file "full" is not there: the disk of the gateway is full.',
      'The file "slow" is not there: it took longer than 0.5 s.',
    ]);
    expect(await readdir(join(parts.directory, '5'))).toEqual([]);
    await save({ ...parts, openFile }, [file(origin, 'whole', 10), file(origin, 'full', 10)]);
    expect(await readdir(join(parts.directory, '5', '100'), { recursive: true })).toMatchObject([
      expect.stringMatching(/^\d+$/),
      expect.stringMatching(/whole$/),
    ]);
  });

  it('are told as missing if nothing can be written', async () => {
    const origin = await serveFiles((_, response) => response.end('x'));
    const parts = await partsFor(origin);
    const directory = join(await directoryWith({ occupied: '' }), 'occupied');
    const { files, problems } = await save({ ...parts, directory }, [file(origin, 'a', 1)]);
    expect([files.length, problems.length]).toEqual([0, 1]);
  });

  it('are given up when the gateway stops', async () => {
    const origin = await serveFiles((_, response) => void response.write('half'));
    const parts = await partsFor(origin);
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    const message = { channelId: '5', id: '100', attachments: [file(origin, 'a', 1)] };
    await expect(saveAttachments(parts, message, stop.signal)).rejects.toMatchObject({ code: 'interrupted' });
    expect(await readdir(join(parts.directory, '5'))).toEqual([]);
  });

  it('go to no place but that of their message', async () => {
    const parts = await partsFor('http://127.0.0.1:1');
    const message = { channelId: '../5', id: '100', attachments: [file('', 'a', 1)] };
    await expect(saveAttachments(parts, message, never)).rejects.toMatchObject({ code: 'bad_request' });
  });

  it('are the agents’ user’s, where that is another one (17.4)', async ({ skip }) => {
    skip(process.geteuid?.() !== 0, 'only root can hand files over');
    const origin = await serveFiles((_, response) => response.end('x'));
    const user = { name: 'nobody', uid: 65534, gid: 65534, home: '/' };
    const parts = { ...(await partsFor(origin)), user };
    await chmod(join(parts.directory, '..'), 0o711);
    const { files } = await save(parts, [file(origin, 'a', 1)]);
    const path = files[0]?.path ?? '';
    for (const place of [path, join(path, '..'), join(path, '../..')])
      expect((await stat(place)).uid).toBe(65534);
    expect((await stat(parts.directory)).mode & 0o777).toBe(0o711);
    expect(attachmentsDirectory('/home/x', user)).not.toContain('/home/x');
    expect(attachmentsDirectory('/home/x', undefined)).toBe('/home/x/attachments');
    expect(await removeOldAttachments(parts.directory, Date.now())).toBe(1);
    expect(await readdir(parts.directory)).toEqual([]);
  });
});

describe('old files of messages', () => {
  const idOf = (at: number) => String((BigInt(at) - 1_420_070_400_000n) << 22n);
  const before = Date.parse('2026-01-02T00:00:00Z');

  it('are removed by the time of their message, with what a crash has left (17.4)', async () => {
    const [old, young] = [idOf(before - 1), idOf(before)];
    const kept = `7/${young}/c.txt`;
    const directory = await directoryWith({
      [`5/${old}/a.txt`]: 'a',
      [`7/${old}/b.txt`]: 'b',
      [`7/${old}.part-0a1b/b.txt`]: 'b',
      [kept]: 'c',
      'stray.txt': 'd',
    });
    const elsewhere = await directoryWith({ 'e.txt': 'e' });
    await symlink(elsewhere, join(directory, '7', '1'));
    expect(await removeOldAttachments(directory, before)).toBe(3);
    expect((await readdir(directory)).sort()).toEqual(['7', 'stray.txt']);
    expect((await readdir(join(directory, '7'))).sort()).toEqual(['1', young].sort());
    expect(await readdir(elsewhere)).toEqual(['e.txt']);
    expect(await removeOldAttachments(join(directory, 'none'), before)).toBe(0);
  });
});

async function partsFor(origin: string, changed: Partial<AttachmentLimits> = {}): Promise<AttachmentParts> {
  const directory = join(await directoryWith(), 'attachments');
  return { directory, limits: { ...limits, ...changed }, origins: [origin], fetch, log: silent };
}

let files = 1000;

function file(origin: string, name: string, size: number) {
  return { id: String(++files), name, url: `${origin}/${name}`, size };
}

function save(parts: AttachmentParts, attachments: readonly SentAttachment[], id = '100') {
  return saveAttachments(parts, { channelId: '5', id, attachments }, never);
}

function modes(paths: readonly string[]): Promise<readonly number[]> {
  return Promise.all(paths.map(async (path) => (await stat(path)).mode & ~constants.S_IFMT));
}
