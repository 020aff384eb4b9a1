// This program locks a directory, starts a child that outlives it, prints a line, and waits to be killed.
import { spawn } from 'node:child_process';
import { lockDirectory } from '../../../../src/store/instance-lock.js';

const [directory = ''] = process.argv.slice(2);
try {
  await lockDirectory(directory);
  const child = spawn('sleep', ['30'], { detached: true, stdio: 'ignore' });
  process.stdout.write(`locked ${child.pid}\n`);
  setInterval(() => undefined, 1000);
} catch (error) {
  process.stdout.write(`refused ${error instanceof Error ? error.message : error}\n`);
}
