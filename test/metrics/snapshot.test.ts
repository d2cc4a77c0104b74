import { expect, test } from 'vitest';
import {
  countsLeft,
  type MetricsSnapshot,
  mergeSnapshots,
  writeMetrics,
} from '../../packages/relay/src/telling/metrics/index.ts';

const snapshotOf = (form: string, count: number): MetricsSnapshot => [
  {
    name: 'a_total',
    type: 'counter',
    help: 'Counted.',
    labels: ['form'],
    samples: [{ labels: [form], value: count }],
  },
  {
    name: 'b',
    type: 'gauge',
    help: 'B.',
    labels: [],
    combine: 'sum',
    samples: [{ labels: [], value: count }],
  },
  {
    name: 'c',
    type: 'gauge',
    help: 'C.',
    labels: [],
    combine: 'max',
    samples: [{ labels: [], value: count }],
  },
  {
    name: 'd_seconds',
    type: 'histogram',
    help: 'D.',
    labels: ['form'],
    bounds: [0.5, 1],
    samples: [{ labels: [form], counts: [count, 0, 1], sum: count / 4 }],
  },
];

test('what several processes measured is one: counts and sizes are added, of ages the oldest counts', () => {
  const merged = mergeSnapshots([snapshotOf('x', 2), snapshotOf('x', 3), snapshotOf('y', 1)]);
  expect(JSON.parse(JSON.stringify(merged))).toEqual(merged);
  expect(writeMetrics(merged)).toBe(`# HELP a_total Counted.
# TYPE a_total counter
a_total{form="x"} 5
a_total{form="y"} 1
# HELP b B.
# TYPE b gauge
b 6
# HELP c C.
# TYPE c gauge
c 3
# HELP d_seconds D.
# TYPE d_seconds histogram
d_seconds_bucket{form="x",le="0.5"} 5
d_seconds_bucket{form="x",le="1"} 5
d_seconds_bucket{form="x",le="+Inf"} 7
d_seconds_sum{form="x"} 1.25
d_seconds_count{form="x"} 7
d_seconds_bucket{form="y",le="0.5"} 1
d_seconds_bucket{form="y",le="1"} 1
d_seconds_bucket{form="y",le="+Inf"} 2
d_seconds_sum{form="y"} 0.25
d_seconds_count{form="y"} 2
`);
});

test('of a process that ended, counts stay and gauges go', () => {
  const left = countsLeft(countsLeft([], snapshotOf('x', 2)), snapshotOf('x', 3));
  expect(left.map(({ name }) => name)).toEqual(['a_total', 'd_seconds']);
  const [counted] = mergeSnapshots([snapshotOf('x', 10), left]);
  expect(counted?.samples).toEqual([{ labels: ['x'], value: 15 }]);
});

test('forms that the last process to end did not know any more do not pile up', () => {
  let left: MetricsSnapshot = [];
  for (let at = 0; at < 1_000; at += 1) left = countsLeft(left, snapshotOf(`form-${at}`, 1));
  expect(left.map(({ samples }) => samples)).toEqual([
    [{ labels: ['form-999'], value: 1 }],
    [{ labels: ['form-999'], counts: [1, 0, 1], sum: 0.25 }],
  ]);
});

test('one that ended before it was asked takes nothing from those before it', () => {
  const left = countsLeft([], snapshotOf('x', 2));
  expect(countsLeft(left, [])).toEqual(left);
});

test('whatever a form is called, its label can be read back', () => {
  const name = 'a"b\\c\\n{},="' + '\u2028 é';
  const text = writeMetrics(snapshotOf(name, 1));
  const [, written = ''] = /^a_total\{form="((?:[^"\\]|\\.)*)"\} 1$/m.exec(text) ?? [];
  expect(written.replaceAll(/\\(.)/g, (_, one) => (one === 'n' ? '\n' : one))).toBe(name);
});
