/** Waits for one of these, but not for ever. */
export async function within(ms: number, ...any: readonly Promise<unknown>[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await Promise.race([...any, patience]);
  } finally {
    clearTimeout(timer);
  }
}
