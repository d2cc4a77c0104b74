/** What the parts of a measured relay make of what they hear, one by one. */
import { expect, test } from 'vitest';
import type { Observer } from '../../packages/relay/src/base/event.ts';
import { createMetrics } from '../../packages/telemetry/src/metrics/metrics.ts';
import { type MetricFamily, writeMetrics } from '../../packages/telemetry/src/metrics/snapshot.ts';
import { counted, samplesIn } from './scraped.ts';

type Metrics = ReturnType<typeof createMetrics>;
type Event = Parameters<ReturnType<Observer>>[0];

const form = (id: string, keep = false) => ({
  id,
  outputs: [{ type: 'smtp' }],
  features: new Map(keep ? [['keep', {}]] : []),
});

function stage(ids: readonly string[] = ['contact'], keep = false) {
  const metrics = createMetrics();
  const world = {
    now: 10_000,
    seen: undefined as unknown,
    forms: new Map(ids.map((id) => [id, form(id, keep)])),
  };
  metrics.begin({
    now: () => world.now,
    lostLines: () => 3,
    config: {
      state: 'fresh',
      get current() {
        return { forms: world.forms };
      },
    },
    kept: () => world.seen,
  } as unknown as Parameters<Metrics['begin']>[0]);
  const hear = (...events: readonly object[]) => {
    const about = metrics.observe({ formId: 'contact' } as Parameters<Observer>[0]);
    for (const event of events) about(event as Event);
  };
  const all = () => samplesIn(writeMetrics(metrics.snapshot()));
  metrics.close();
  return { metrics, world, hear, all };
}

test('mails that came back are counted by provider, kind, and whose address it was', () => {
  const { metrics } = stage();
  const log = metrics.counting(() => {});
  const fields = { provider: 'ses', kind: 'hard' };
  log('info', 'mail_bounced', fields);
  log('warn', 'mail_complained', { provider: 'postmark', kind: 'complaint' });
  log('error', 'owner_mail_bounced', fields);
  log('error', 'owner_mail_bounced', fields);
  log('warn', 'alert_failed', fields);
  expect(counted(metrics.snapshot(), 'mail_events_total')).toEqual({
    'mail_events_total{provider="ses",kind="hard",address="visitor"}': 1,
    'mail_events_total{provider="postmark",kind="complaint",address="visitor"}': 1,
    'mail_events_total{provider="ses",kind="hard",address="owner"}': 2,
  });
});

test('families without samples are not written, and a line break in a help is no line', () => {
  const empty: MetricFamily = {
    ...{ name: 'a', help: 'a', labels: ['form'], type: 'counter', bounds: [], samples: [] },
  };
  const two: MetricFamily = {
    name: 'b',
    help: 'x\ny\\z',
    labels: [],
    type: 'gauge',
    bounds: [],
    samples: [{ labels: [], value: 1, counts: [] }],
  };
  expect(writeMetrics([empty, two])).toBe('# HELP b x\\ny\\\\z\n# TYPE b gauge\nb 1\n');
});
