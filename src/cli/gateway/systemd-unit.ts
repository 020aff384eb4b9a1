import { TurnoutError } from '../../core/errors.js';

export interface UnitFacts {
  readonly node: string;
  readonly program: string;
  /** The directory where the agents work, apart from `home`. */
  readonly workingDir: string;
  readonly path: string | undefined;
  readonly home: string;
  readonly shutdownGraceMs: number;
  /** The user that a system unit runs as; `undefined` for a unit of the user's own manager. */
  readonly user: string | undefined;
}

/** The time that the gateway needs after its grace period, to end its agents and close its store. */
const stopReserveSeconds = 30;

export function describeUnit(facts: UnitFacts): string {
  const stopSeconds = Math.ceil(facts.shutdownGraceMs / 1000) + stopReserveSeconds;
  return `${installation(facts.user)}
[Unit]
Description=Turnout gateway: coding agents behind chat and HTTP
${facts.user === undefined ? '' : 'Wants=network-online.target\nAfter=network-online.target\n'}# Wrong settings end it at once: it is not started for ever.
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
Type=exec
${facts.user === undefined ? '' : `# Whose logins the agents use.\nUser=${plain(facts.user)}\n`}# The agents work here, apart from TURNOUT_HOME: what they write must not be what the next start obeys.
WorkingDirectory=${plain(facts.workingDir)}
${environment('WORKING_DIR', facts.workingDir)}# The settings are in config.yaml and .env of this directory. The gateway reads them: EnvironmentFile= has other rules.
${environment('TURNOUT_HOME', facts.home)}# A secret that the agents, which run as the same user, can't read from the gateway's environment:
#LoadCredential=HTTP_TOKEN:/etc/turnout/http-token
# The agent CLIs are looked up here.
${environment('PATH', facts.path)}ExecStart=${executable(facts.node)} ${quoted(argument(facts.program))} gateway
Restart=on-failure
RestartSec=5
# At first only the gateway gets SIGTERM, and drains. What is left when it has ended is killed.
KillMode=mixed
# Each agent runs in a cgroup below this unit's, and ends with all that it has started.
Delegate=yes
# Above SHUTDOWN_GRACE_MS.
TimeoutStopSec=${stopSeconds}
# The agents' files, too, are only for their owner.
UMask=0077
# If the agents need no sudo and no sandbox of their own:
#NoNewPrivileges=yes

[Install]
WantedBy=${facts.user === undefined ? 'default.target' : 'multi-user.target'}
`;
}

function installation(user: string | undefined): string {
  const lines =
    user === undefined
      ? [
          ...userCommands,
          'loginctl enable-linger        (it runs while you are not logged in, too)',
          'journalctl --user -u turnout -f',
        ]
      : [
          'turnout service --system | sudo tee /etc/systemd/system/turnout.service',
          'sudo systemctl daemon-reload',
          'sudo systemctl enable --now turnout',
          'sudo journalctl -u turnout -f',
        ];
  return `# To install it:\n${lines.map((line) => `#   ${line}\n`).join('')}`;
}

/** The commands that make the gateway a service of the user's own manager. */
const userCommands: readonly string[] = [
  'mkdir -p ~/.config/systemd/user',
  'turnout service > ~/.config/systemd/user/turnout.service',
  'systemctl --user daemon-reload',
  'systemctl --user enable --now turnout',
];

function environment(name: string, value: string | undefined): string {
  return value === undefined || value === '' ? '' : `Environment=${quoted(plain(`${name}=${value}`))}\n`;
}

/** Escapes `%`, which begins a specifier everywhere in a unit, also in values that are taken literally. */
function plain(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\u0000-\u001f\u007f]/.test(value)) {
    const message = `A control character can't be in a systemd unit: ${JSON.stringify(value)}.`;
    throw new TurnoutError('bad_request', message);
  }
  return value.replaceAll('%', '%%');
}

/** Escapes `$`, which begins a variable in arguments, but not in the program's path or in `Environment=`. */
function argument(value: string): string {
  return plain(value).replaceAll('$', () => '$$');
}

/** systemd refuses a path with quotes or backslashes, even quoted: `/usr/bin/env` starts such a program. */
function executable(path: string): string {
  return /["'\\]/.test(path) ? `/usr/bin/env ${quoted(argument(path))}` : quoted(plain(path));
}

function quoted(value: string): string {
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
