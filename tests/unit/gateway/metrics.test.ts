import { describe, expect, it } from 'vitest';
import { Metrics } from '../../../src/gateway/metrics.js';

describe('metrics', () => {
  it('are written as Prometheus reads them', async () => {
    const metrics = new Metrics();
    const plain = metrics.counter('turnout_turns_total', 'Turns\nthat were \\ begun.');
    const labelled = metrics.counter('turnout_events_total', 'Events by state.', { labelled: true });
    metrics.gauge('turnout_running', 'Running turns.', () => 2);
    metrics.gauge('turnout_waiting', 'Waiting events.', async () => [
      [{ channel: 'a' }, 1],
      [{ channel: 'b' }, 0.5],
    ]);
    const duration = metrics.histogram('turnout_turn_seconds', 'How long turns take.', [0.1, 1, 10]);
    plain.inc({}, 3);
    labelled.inc({ state: 'answered', backend: 'claude' });
    labelled.inc({ backend: 'claude', state: 'answered' });
    labelled.inc({ state: 'a "quoted" \\ word\nand a line', backend: 5 });
    for (const value of [0.1, 0.5, 5, 50]) duration.observe(value, { backend: 'codex' });
    expect(await metrics.render()).toBe(`# HELP turnout_turns_total Turns\\nthat were \\\\ begun.
# TYPE turnout_turns_total counter
turnout_turns_total 3
# HELP turnout_events_total Events by state.
# TYPE turnout_events_total counter
turnout_events_total{backend="claude",state="answered"} 2
turnout_events_total{backend="5",state="a \\"quoted\\" \\\\ word\\nand a line"} 1
# HELP turnout_running Running turns.
# TYPE turnout_running gauge
turnout_running 2
# HELP turnout_waiting Waiting events.
# TYPE turnout_waiting gauge
turnout_waiting{channel="a"} 1
turnout_waiting{channel="b"} 0.5
# HELP turnout_turn_seconds How long turns take.
# TYPE turnout_turn_seconds histogram
turnout_turn_seconds_bucket{backend="codex",le="0.1"} 1
turnout_turn_seconds_bucket{backend="codex",le="1"} 2
turnout_turn_seconds_bucket{backend="codex",le="10"} 3
turnout_turn_seconds_bucket{backend="codex",le="+Inf"} 4
turnout_turn_seconds_sum{backend="codex"} 55.6
turnout_turn_seconds_count{backend="codex"} 4
`);
  });

  it('without labels begin at zero; with labels they begin when they are used', async () => {
    const metrics = new Metrics();
    metrics.counter('turnout_a_total', 'A.');
    metrics.counter('turnout_b_total', 'B.', { labelled: true });
    expect((await metrics.render()).split('\n').filter((line) => !line.startsWith('#'))).toEqual([
      'turnout_a_total 0',
      '',
    ]);
  });

  it('leave out a gauge that can’t be read, and no other', async () => {
    const metrics = new Metrics();
    metrics.gauge('turnout_broken', 'Broken.', () => Promise.reject(new Error('locked')));
    metrics.gauge('turnout_inf', 'Infinite.', () => Number.POSITIVE_INFINITY);
    expect(await metrics.render()).toBe(
      '# HELP turnout_broken Broken.\n# TYPE turnout_broken gauge\n# HELP turnout_inf Infinite.\n# TYPE turnout_inf gauge\nturnout_inf +Inf\n',
    );
  });

  it('have one meaning a name, under our prefix', () => {
    const metrics = new Metrics();
    metrics.counter('turnout_a_total', 'A.');
    expect(() => metrics.counter('turnout_a_total', 'A.')).toThrow('turnout_a_total');
    expect(() => metrics.counter('other_total', 'O.')).toThrow('other_total');
  });
});
