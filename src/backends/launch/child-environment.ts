/** Secrets of Turnout itself. The CLI and its tools never see them. */
export const ownSecrets: readonly string[] = ['DISCORD_BOT_TOKEN', 'HTTP_TOKEN', 'DATABASE_URL'];

type Environment = Readonly<Record<string, string | undefined>>;

/** What a CLI inherits: everything it may need, less our own secrets, with the run's additions on top. */
export function childEnvironment(
  inherited: Environment,
  ...additions: (Environment | undefined)[]
): Record<string, string> {
  const merged: Record<string, string | undefined> = { ...inherited };
  for (const name of ownSecrets) delete merged[name];
  Object.assign(merged, ...additions);
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
}
