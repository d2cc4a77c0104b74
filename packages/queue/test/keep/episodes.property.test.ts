import fc from 'fast-check';
import { holds } from '../../../../test/support/fuzz.ts';
import { Incidents, type Notice } from '../../src/monitor.ts';

const minute = 60_000;

/** The events of a minute: a delivery of the form fails, all are delivered, one becomes a dead letter or recovers, time passes. */
const step = fc.constantFrom('fail', 'heal', 'dead_letter', 'mend', 'wait', 'wait_long', 'clock_back');

interface Alert extends Pick<Notice, 'kind' | 'waiting' | 'deadLetters'> {
  readonly at: number;
}

/** Plays the steps, and returns the alerts after each one. */
function play(steps: readonly string[]) {
  const incidents = new Incidents();
  const alerts: Alert[] = [];
  let now = Date.parse('2030-01-15T12:20:00Z');
  /** The time that really passes. */
  let elapsed = 0;
  let kept: number[] = [];
  let deadLetters = 0;
  for (const one of steps) {
    const ms = one === 'wait_long' ? 25 * 60 * minute : minute;
    now += one === 'clock_back' ? -90 * minute : ms;
    elapsed += ms;
    if (one === 'fail') {
      kept.push(now);
      incidents.failed('contact', '503', 'put_off');
    } else if (one === 'heal') kept = [];
    else if (one === 'dead_letter' && kept.pop() !== undefined) deadLetters += 1;
    else if (one === 'mend') deadLetters = 0;
    const waiting =
      kept.length + deadLetters > 0
        ? [['contact', { due: kept.length, deadLetters, oldestKeptAt: kept[0] }]]
        : [];
    const notice = incidents.look({ forms: new Map(waiting as never) }, now);
    if (notice)
      alerts.push({
        kind: notice.kind,
        waiting: notice.waiting,
        deadLetters: notice.deadLetters,
        at: elapsed,
      });
  }
  return { alerts, elapsed };
}

test('alerts are always true: a first one, further ones, and a last one, in this order', () =>
  holds(30, [fc.array(step, { maxLength: 60 })], (steps) => {
    let isOpen = false;
    for (const { kind, waiting, deadLetters } of play(steps).alerts) {
      if (kind === 'delivered') {
        expect(isOpen).toBe(true);
        expect(waiting + deadLetters).toBe(0);
        isOpen = false;
      } else {
        expect(waiting).toBeGreaterThan(0);
        if (kind === 'aside') expect(deadLetters).toBeGreaterThan(0);
        if (kind === 'kept') expect(isOpen).toBe(false);
        isOpen = true;
      }
    }
  }));

test('a waiting delivery is reported within two days, and so is its end', () =>
  holds(20, [fc.array(step, { maxLength: 40 })], (steps) => {
    const waiting = play([...steps, 'fail', 'wait', 'wait', 'wait_long', 'wait_long']);
    expect(
      waiting.alerts.some(({ kind, at }) => kind !== 'delivered' && waiting.elapsed - at <= 51 * 60 * minute),
    ).toBe(true);
    const over = play([...steps, 'fail', 'wait_long', 'wait_long', 'mend', 'heal', 'wait', 'wait']);
    expect(over.alerts.at(-1)?.kind).toBe('delivered');
  }));

test('each dead letter is reported, and a pause only postpones it', () => {
  const incidents = new Incidents();
  const look = (deadLetters: number, at: number, isPaused = false) =>
    incidents.look({ forms: new Map([['contact', { due: 0, deadLetters, oldestKeptAt: 0 }]]) }, at, isPaused);
  expect(look(1, minute)).toMatchObject({ kind: 'aside', deadLetters: 1 });
  expect(look(1, 2 * minute)).toBeUndefined();
  expect(look(2, 3 * minute, true)).toBeUndefined();
  expect(look(2, 4 * minute)).toMatchObject({ kind: 'aside', deadLetters: 2 });
  expect(look(0, 5 * minute)).toBeUndefined();
  expect(look(1, 6 * minute)).toMatchObject({ kind: 'aside', deadLetters: 1 });
});

test('a form that fails and recovers each minute is not reported', () => {
  const { alerts } = play(Array.from({ length: 600 }, (_, index) => (index % 2 === 0 ? 'fail' : 'heal')));
  expect(alerts).toEqual([]);
});

test('for a store that cannot tell forms apart, all forms count as one', () => {
  const incidents = new Incidents();
  const look = (due: number, at: number) =>
    incidents.look({ forms: new Map([['', { due, deadLetters: 0, oldestKeptAt: undefined }]]) }, at);
  expect(look(1, 0)).toBeUndefined();
  incidents.failed('contact', 'a', 'put_off');
  incidents.failed('jobs', 'a', 'put_off');
  expect(look(2, 1_000)).toMatchObject({ kind: 'kept', forms: ['contact', 'jobs'], waiting: 2 });
  expect(look(2, minute)).toBeUndefined();
  expect([2, 3].map((minutes) => look(0, minutes * minute))).toEqual([undefined, undefined]);
  expect(look(0, 4 * minute)).toMatchObject({ kind: 'delivered', forms: ['contact', 'jobs'] });
});

test('a delivery that was queued first and is in progress is not reported', () => {
  const incidents = new Incidents();
  const look = (oldestKeptAt: number, at: number) =>
    incidents.look({ forms: new Map([['contact', { due: 40, deadLetters: 0, oldestKeptAt }]]) }, at);
  for (let at = 0; at < 100 * minute; at += minute) expect(look(at - 20_000, at)).toBeUndefined();
  incidents.failed('contact', 'a', 'put_off');
  expect(look(100 * minute, 101 * minute)).toBeUndefined();
  expect(look(100 * minute, 102 * minute)).toMatchObject({ kind: 'kept' });
  // The failed delivery succeeded; others are in progress.
  expect([103, 104].map((at) => look((at - 1) * minute, at * minute))).toEqual([undefined, undefined]);
  expect(look(104 * minute, 105 * minute)).toMatchObject({ kind: 'delivered' });
});

test('a dead letter keeps its own reason, whatever else fails in the meantime', () => {
  const incidents = new Incidents();
  const refused = 'the server answered 404';
  const down = 'the server answered 503';
  const look = (due: number, deadLetters: number, at: number) =>
    incidents.look({ forms: new Map([['contact', { due, deadLetters, oldestKeptAt: 0 }]]) }, at);
  incidents.failed('contact', refused, 'put_off');
  expect(look(1, 0, 2 * minute)).toMatchObject({ kind: 'kept', reasons: [refused] });
  incidents.failed('contact', refused, 'aside');
  incidents.failed('contact', down, 'put_off');
  expect(look(1, 1, 3 * minute)).toMatchObject({ kind: 'aside', reasons: [refused] });
  expect(look(1, 1, 25 * 60 * minute)).toMatchObject({ kind: 'waiting', reasons: [refused, down] });
  expect(look(1, 0, 50 * 60 * minute)).toMatchObject({ kind: 'waiting', reasons: [down] });
});
