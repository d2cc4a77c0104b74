/** What the parts of a measured relay make of what they hear, one by one. */
import { expect, test } from 'vitest';
import type { Observer } from '../../packages/relay/src/base/event.ts';
import { createMetrics } from '../../packages/relay/src/telling/metrics/metrics.ts';
import { type MetricFamily, writeMetrics } from '../../packages/relay/src/telling/metrics/snapshot.ts';
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

test('the age of the config is that of the last load that went well', () => {
  const { metrics, world, all } = stage();
  const ageNow = () => all().get('form_relay_config_age_seconds');
  expect(ageNow()).toBe(undefined);
  for (const ending of ['changed', 'invalid', 'unchanged', 'unavailable'] as const) {
    world.now += 1_000;
    metrics.loaded(ending);
    expect([ending, ageNow()]).toEqual([ending, ending === 'invalid' || ending === 'unavailable' ? 1 : 0]);
  }
  world.now = 0;
  expect(ageNow()).toBe(0);
  expect(counted(metrics.snapshot(), 'config_loads')).toEqual(
    Object.fromEntries(
      ['changed', 'unchanged', 'invalid', 'unavailable'].map((one) => [
        `config_loads_total{outcome="${one}"}`,
        1,
      ]),
    ),
  );
});

test('lines of the log are written as they were, and counted by level and event', () => {
  const { metrics, all } = stage();
  const written: unknown[] = [];
  const log = metrics.counting((...line) => void written.push(line));
  log('warn', 'retrying', { a: 1 });
  log('warn', 'retrying', { a: 2 });
  expect(written).toEqual([
    ['warn', 'retrying', { a: 1 }],
    ['warn', 'retrying', { a: 2 }],
  ]);
  expect(all().get('form_relay_log_events_total{level="warn",event="retrying"}')).toBe(2);
  expect(all().get('form_relay_log_lines_lost_total')).toBe(3);
});

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

test.each([
  [false, ['deliveries_total delivered', 'deliveries_total failed']],
  [
    true,
    [
      'deliveries_total delivered',
      'deliveries_total failed',
      'deliveries_total kept',
      'kept_turns_total aside',
      'kept_turns_total deleted',
      'kept_turns_total delivered',
    ],
  ],
])('what is to be watched of a form is there before it happens; keep: %s', (keep, expected) => {
  const { metrics, all } = stage(['contact'], keep);
  metrics.loaded('unchanged');
  expect([...all().keys()].filter((name) => name.includes('contact'))).toEqual([]);
  metrics.loaded('changed');
  const names = [...all().keys()].flatMap((name) => {
    const [, family, outcome] =
      /^form_relay_(deliveries_total|kept_turns_total)\{.*"(\w+)"\}$/.exec(name) ?? [];
    return family === undefined ? [] : [`${family} ${outcome}`];
  });
  expect(names.toSorted()).toEqual(expected);
  for (const outcome of ['delivered', 'undelivered'])
    expect(all().get(`form_relay_submissions_total{form="contact",outcome="${outcome}"}`)).toBe(0);
});

test('mails to visitors are counted by what became of them, and what could not be kept as failed', () => {
  const { metrics, hear } = stage();
  hear(
    { kind: 'mail_withheld', mail: 'confirmation_mail', reason: 'no_room' },
    { kind: 'mail_sent', mail: 'confirmation_mail' },
    { kind: 'mail_failed', mail: 'double_opt_in' },
    { kind: 'mail_failed', mail: 'double_opt_in' },
  );
  expect(counted(metrics.snapshot(), 'visitor_mails')).toEqual({
    'visitor_mails_total{form="contact",mail="confirmation_mail",outcome="no_room"}': 1,
    'visitor_mails_total{form="contact",mail="confirmation_mail",outcome="sent"}': 1,
    'visitor_mails_total{form="contact",mail="double_opt_in",outcome="failed"}': 2,
  });
  hear({ kind: 'keep_failed', outputs: [0] }, { kind: 'answered', outcome: { kind: 'undelivered' }, ms: -5 });
  expect(counted(metrics.snapshot(), 'deliveries_total')).toEqual({
    'deliveries_total{form="contact",output="0",type="smtp",outcome="failed"}': 1,
  });
  expect(counted(metrics.snapshot(), 'submission_duration_seconds_sum')).toEqual({});
  expect(
    counted(metrics.snapshot(), 'submission_duration_seconds_bucket')[
      'submission_duration_seconds_bucket{form="contact",le="0.005"}'
    ],
  ).toBe(1);
});

test('what is kept is told by form: of those that are gone together, of a queue for all of them', () => {
  const { world, all } = stage();
  const waiting = (entries: readonly (readonly [string, object])[], problem?: string) => ({
    keep: { in: { kind: 'folder' } },
    seen: { at: 4_000, problem, waiting: { forms: new Map(entries) } },
  });
  world.seen = waiting([
    ['contact', { due: 1, aside: 2, oldestKeptAt: 5_000 }],
    ['gone', { due: 3, aside: 0, oldestKeptAt: 2_000 }],
    ['gone too', { due: 4, aside: 1, oldestKeptAt: 3_000 }],
    ['', { due: 9, aside: 0 }],
  ]);
  const kept = () =>
    Object.fromEntries(
      [...all()]
        .filter(([name]) => name.startsWith('form_relay_kept_'))
        .map(([name, value]) => [name.slice('form_relay_kept_'.length).replace('store="folder"', ''), value]),
    );
  expect(kept()).toEqual({
    'deliveries{,form="contact",state="due"}': 1,
    'deliveries{,form="contact",state="aside"}': 2,
    'deliveries{,form="(unknown)",state="due"}': 7,
    'deliveries{,form="(unknown)",state="aside"}': 1,
    'deliveries{,form="(all)",state="due"}': 9,
    'deliveries{,form="(all)",state="aside"}': 0,
    'oldest_age_seconds{,form="contact"}': 5,
    'oldest_age_seconds{,form="(unknown)"}': 8,
    'counted_age_seconds{}': 6,
    'store_failing{}': 0,
  });
  world.seen = waiting([], 'it is full');
  expect(kept()).toEqual({ 'counted_age_seconds{}': 6, 'store_failing{}': 1 });
});

test('families without samples are not written, and a line break in a help is no line', () => {
  const empty: MetricFamily = { name: 'a', help: 'a', labels: ['form'], type: 'counter', samples: [] };
  const two: MetricFamily = {
    name: 'b',
    help: 'x\ny\\z',
    labels: [],
    type: 'gauge',
    samples: [{ labels: [], value: 1 }],
  };
  expect(writeMetrics([empty, two])).toBe('# HELP b x\\ny\\\\z\n# TYPE b gauge\nb 1\n');
});
