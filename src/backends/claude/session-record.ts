import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { userHome } from '../../config/home-directory.js';
import { namesIn, type RecordFiles, toolsInFiles } from '../record/read-records.js';
import type { Environment, RecordedTools, RecordQuery } from '../record/types.js';
import { claudeEntries } from './record-entries.js';

/** The tools of a turn by Claude's transcript: `projects/<directory>/<session>.jsonl` in its home. */
export function recordedTools(query: RecordQuery, env: Environment): Promise<RecordedTools> {
  const projects = projectsDirectory(env);
  const files: RecordFiles = {
    directory: projects,
    // A session is looked for in all directories: how Claude names them is its own matter.
    ofSession: async (sessionId) =>
      isFileName(sessionId)
        ? (await namesIn(projects)).map((project) => join(projects, project, `${sessionId}.jsonl`))
        : [],
    candidates: () => transcriptsOf(query.cwd, env),
    entries: claudeEntries,
  };
  return toolsInFiles(query, files);
}

function projectsDirectory(env: Environment): string {
  return join(env['CLAUDE_CONFIG_DIR'] || join(userHome(env), '.claude'), 'projects');
}

/** The transcripts of the sessions in a directory, and perhaps in one with a similar name. */
export async function transcriptsOf(cwd: string, env: Environment): Promise<readonly string[]> {
  const projects = projectsDirectory(env);
  const slugs = await slugsOf(cwd);
  const names = (await namesIn(projects)).filter((name) => slugs.some((slug) => isNameOf(name, slug)));
  const found = names.map(async (name) =>
    (await namesIn(join(projects, name))).map((file) => join(projects, name, file)),
  );
  return (await Promise.all(found)).flat().filter((path) => path.endsWith('.jsonl'));
}

/** The state of a session's transcript, which Claude has written when it tells the end of a turn (2.1.326). */
export async function recordState(
  sessionId: string,
  cwd: string,
  env: Environment,
): Promise<string | undefined> {
  if (!isFileName(sessionId)) return undefined;
  for (const slug of await slugsOf(cwd)) {
    const path = join(projectsDirectory(env), slug, `${sessionId}.jsonl`);
    const facts = await stat(path).catch(() => undefined);
    if (facts !== undefined) return `${facts.ino}.${facts.size}.${facts.mtimeMs}`;
  }
  return undefined;
}

function isFileName(sessionId: string): boolean {
  return /^[\w-]+$/.test(sessionId);
}

async function slugsOf(cwd: string): Promise<readonly string[]> {
  const real = await realpath(cwd).catch(() => cwd);
  return [cwd, real].map((path) => path.replaceAll(/[^a-zA-Z0-9]/g, '-'));
}

/** Claude cuts a long name and puts a hash behind it. */
function isNameOf(name: string, slug: string): boolean {
  return name === slug || (slug.length > longest && name.startsWith(slug.slice(0, longest)));
}

const longest = 200;
