import type { Page } from 'playwright-core';

/** Measures the tasks of the page's main thread from now on, by the processor's time that the longest one takes. */
export async function traceTasks(page: Page): Promise<{ longest(): Promise<number> }> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await session.send('Tracing.start', { traceConfig: { includedCategories: ['toplevel'] } });
  return {
    async longest() {
      const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
      await session.send('Tracing.end');
      await complete;
      await session.detach();
      const main = new Set(
        events
          .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
          .map(thread),
      );
      const tasks = events.filter(
        (event) => event.ph === 'X' && event.name.endsWith('RunTask') && main.has(thread(event)),
      );
      return Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur / 1000));
    },
  };
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** The processor's time in microseconds: what other programs do meanwhile is not in it. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

function thread({ pid, tid }: TraceEvent): string {
  return `${pid} ${tid}`;
}
