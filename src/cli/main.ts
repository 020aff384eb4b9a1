#!/usr/bin/env node
// Kept tiny: a command's code is loaded only when that command runs.

const commands: Record<string, () => Promise<{ main(argv: readonly string[]): Promise<number> }>> = {
  run: () => import('./run.js'),
  doctor: () => import('./doctor.js'),
  demo: () => import('./demo.js'),
};

const [command, ...rest] = process.argv.slice(2);

if (command === '--version' || command === '-V' || command === '-v') {
  const { version } = await import('./version.js');
  process.stdout.write(`${version()}\n`);
} else if (command === undefined || command === '--help' || command === '-h' || command === 'help') {
  const { usage } = await import('./usage.js');
  process.stdout.write(usage(rest[0]));
  if (command === undefined) process.exitCode = 2;
} else {
  const load = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (load === undefined) {
    process.stderr.write(
      `turnout: unknown command ${JSON.stringify(command)}. Commands: ${Object.keys(commands).join(', ')}. See \`turnout --help\`.\n`,
    );
    process.exitCode = 2;
  } else {
    const { main } = await load();
    process.exitCode = await main(rest);
  }
}
