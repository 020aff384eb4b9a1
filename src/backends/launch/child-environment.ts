/** Turnout's own secrets, which the CLI and its tools never see. */
export const ownSecrets: readonly string[] = ['DISCORD_BOT_TOKEN', 'HTTP_TOKEN', 'DATABASE_URL'];

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns a CLI's environment: the inherited one without our own secrets, plus the run's additions. */
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
