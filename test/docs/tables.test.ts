/** Tables in the manual, and the dashboard, agree with the code that they describe. */
import { homepage } from '../../packages/base/src/version.ts';
import { signalTypes } from '../../packages/spam/src/signals/index.ts';
import { isMarked, samples, weighAll } from '../../packages/spam/test/signals/samples.ts';
import { type Metric, metrics } from '../../packages/telemetry/src/metrics/tally.ts';
import { blocksOf, papers, read } from './papers.ts';

const code = (text: string) => `\`${text}\``;

test('docs/metric-list.md lists every metric with its type and labels', () => {
  const listed = [
    ...read('docs/metric-list.md').matchAll(/^- `(form_relay_\w+)` \((\w+)(?:, by (.*?))?\): \S/gm),
  ];
  expect(listed.map(([, name, type, labels = '']) => [name, type, labels])).toEqual(
    Object.entries<Metric>(metrics).map(([name, { type, labels = [] }]) => [
      name,
      type,
      labels.map(code).join(' '),
    ]),
  );
});

test('the Grafana dashboard queries existing metrics', () => {
  const queried = new Set(read('deploy/grafana/form-relay.json').match(/form_relay_\w+/g));
  const known = Object.entries<Metric>(metrics).map(([name, { type }]) =>
    type === 'histogram' ? `${name}_bucket` : name,
  );
  expect(queried.size).toBeGreaterThan(20);
  expect([...queried].filter((name) => !known.includes(name))).toEqual([]);
});

const spam = samples.filter(({ label }) => label === 'spam');
const byDefault = isMarked(await weighAll());

test('docs/signals.md lists every signal with its points', () => {
  const listed = [...read('docs/signals.md').matchAll(/^- `(\w+)` \(([\d.]+)(, off)?\): \S/gm)];
  expect(listed.map(([, name, weight, off]) => [name, Number(weight), !off])).toEqual(
    signalTypes.map(({ name, weight, example }) => [name, weight, example === undefined]),
  );
});

test('docs/spam-figures.md gives the number of messages that the signals catch', async () => {
  const strict = isMarked(await weighAll(({ name, weight }) => (name === 'offers' ? 4 : weight)));
  const people = samples.filter(({ label }) => label === 'human');
  const text = read('docs/spam-figures.md').replaceAll('\n', ' ');
  expect(text).toContain(`On [${samples.length} messages]`);
  expect(text).toContain(`${spam.filter(byDefault).length} of ${spam.length} spams get 4 points or more`);
  expect(text).toContain(`(${spam.filter(strict).length} with \`offers: 4\`)`);
  expect(text).toContain(`${people.filter(strict).length} of ${people.length} messages from people`);
});

/** A problem as shown in the manual. */
const problem = /^\{"type":"([^"]*)".*?"code":"(\w+)"/gm;

test('problems have the `type` that the relay sets', () => {
  const shown = papers
    .flatMap(blocksOf)
    .flatMap(({ text }) => [...text.matchAll(problem)].map(([, type, code = '']) => [type, code] as const));
  expect(shown).not.toEqual([]);
  expect(shown).toEqual(
    shown.map(([, code]) => [homepage ? `${homepage}problems.html#${code}` : 'about:blank', code]),
  );
});
