/** Tables of the manual, and the dashboard, agree with the code that they describe. */
import { expect, test } from 'vitest';
import { homepage } from '../../packages/base/src/version.ts';
import { mailAccounts } from '../../packages/clients/src/smtp/mail_services.ts';
import { signalTypes } from '../../packages/spam/src/signals/index.ts';
import {
  isMarked,
  ofText,
  type Sample,
  samples,
  weighAll,
} from '../../packages/spam/test/signals/samples.ts';
import { type Metric, metrics } from '../../packages/telemetry/src/metrics/families.ts';
import { blocksOf, papers, read } from './papers.ts';

/** The rows of the table whose first column has this title, as cells. */
function rowsOf(page: string, title: string): readonly (readonly string[])[] {
  const [, , ...rows] =
    read(page)
      .split('\n\n')
      .find((block) => block.startsWith(`| ${title} |`))
      ?.trimEnd()
      .split('\n') ?? [];
  return rows.map((row) => row.split(' | ').map((cell) => cell.replaceAll(/^\| | \|$/g, '').trim()));
}

const code = (text: string) => `\`${text}\``;
const anchorOf = (title: string) => title.toLowerCase().replaceAll('.', '').replaceAll(' ', '-');

test('docs/metrics.md lists every metric with its type and labels', () => {
  const listed = [
    ...read('docs/metrics.md').matchAll(/^- `(form_relay_\w+)` \((\w+)(?:, by (.*?))?\): \S/gm),
  ];
  expect(listed.map(([, name, type, labels = '']) => [name, type, labels])).toEqual(
    Object.entries<Metric>(metrics).map(([name, { type, labels = [] }]) => [
      name,
      type,
      labels.map(code).join(' '),
    ]),
  );
});

test('the Grafana dashboard asks for metrics that exist', () => {
  const queried = new Set(read('deploy/grafana/form-relay.json').match(/form_relay_\w+/g));
  const known = Object.entries<Metric>(metrics).map(([name, { type }]) =>
    type === 'histogram' ? `${name}_bucket` : name,
  );
  expect(queried.size).toBeGreaterThan(20);
  expect([...queried].filter((name) => !known.includes(name))).toEqual([]);
});

test('docs/mail.md lists every account with its host and port', () => {
  expect(rowsOf('docs/mail.md', 'Provider').map((cells) => cells.slice(0, 4))).toEqual(
    Object.entries(mailAccounts).map(([name, { title, host, port }]) => [
      `[${title}](#${anchorOf(title)})`,
      code(name),
      code(host),
      `${port}`,
    ]),
  );
});

const spam = samples.filter(({ label }) => label === 'spam');
const byDefault = isMarked(await weighAll());

test('docs/doubt.md lists every signal with its points, and the spam that it brings to 4 by itself', async () => {
  const marked = spam.filter(byDefault).length;
  const expected = signalTypes.map(async ({ name, weight, example }) => {
    const without = isMarked(await weighAll((other) => (other.name === name ? 0 : other.weight)));
    const only = ofText.has(name) ? `${marked - spam.filter(without).length}` : '';
    return [code(name), `${weight}`, example === undefined ? 'yes' : 'no', only];
  });
  expect(rowsOf('docs/doubt.md', 'Signal').map((cells) => cells.slice(0, 4))).toEqual(
    await Promise.all(expected),
  );
});

test('docs/spam-figures.md counts the messages that the signals catch', async () => {
  const strict = isMarked(await weighAll(({ name, weight }) => (name === 'offers' ? 4 : weight)));
  const counts = (title: string, all: readonly Sample[]) =>
    [title, all.length, all.filter(byDefault).length, all.filter(strict).length].map(String);
  const people = samples.filter(({ label }) => label === 'human');
  const heldOut = (all: readonly Sample[]) => all.filter(({ isHeldOut }) => isHeldOut);
  expect(rowsOf('docs/spam-figures.md', 'Message')).toEqual([
    counts('all spam', spam),
    counts('held-out spam', heldOut(spam)),
    counts('messages from people', people),
    counts('held-out messages from people', heldOut(people)),
  ]);
});

/** A problem as the manual shows it. */
const problem = /^\{"type":"([^"]*)".*?"code":"(\w+)"/gm;

test('problems have the `type` that the relay gives them', () => {
  const shown = papers
    .flatMap(blocksOf)
    .flatMap(({ text }) => [...text.matchAll(problem)].map(([, type, code = '']) => [type, code] as const));
  expect(shown).not.toEqual([]);
  expect(shown).toEqual(
    shown.map(([, code]) => [homepage ? `${homepage}problems.html#${code}` : 'about:blank', code]),
  );
});
