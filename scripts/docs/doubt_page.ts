import { readFileSync } from 'node:fs';
import type { Weighed } from '../../packages/relay/src/features/doubt/examine.ts';
import { signalTypes } from '../../packages/relay/src/features/doubt/signals/index.ts';
import { ofText, type Sample, samples, weighAll } from './corpus.ts';

/** The page about doubt, with the tables of signals and of what they catch as they are now. */
export const doubtPage = async (): Promise<string> =>
  [
    ['Signal \\| Points', await signalTable()] as const,
    ['What was sent \\| Messages', await catchTable()] as const,
  ].reduce(
    (page, [first, table]) => page.replace(new RegExp(`^\\| ${first} \\|.*\\n(\\|.*\\n)*`, 'm'), () => table),
    readFileSync(new URL('../../docs/doubt.md', import.meta.url), 'utf8'),
  );

/** As `tag` has it where the config does not say. */
export const marked = 5;

export type Weights = ReadonlyMap<Sample, Weighed>;

export const isMarked = (all: Weights) => (sample: Sample) => (all.get(sample)?.score ?? 0) >= marked;

const spam = samples.filter(({ label }) => label === 'spam');

/** Each signal, and how many of the samples of spam would not be marked without it. */
async function signalTable(): Promise<string> {
  const all = spam.filter(isMarked(await weighAll())).length;
  const rows = await Promise.all(
    signalTypes.map(async ({ name, weight, isDefault, summary }) => {
      const without = ofText.has(name)
        ? spam.filter(isMarked(await weighAll((one) => (one.name === name ? 0 : one.weight)))).length
        : undefined;
      return [
        `\`${name}\``,
        `${weight}`,
        isDefault ? 'yes' : 'where it is named',
        without === undefined ? '' : `${all - without}`,
        summary,
      ];
    }),
  );
  return table(['Signal', 'Points', 'By itself', 'Spam that only it brings to 5', 'What it looks for'], rows);
}

/** How many of each kind are marked: by default, and where nobody wants offers. */
async function catchTable(): Promise<string> {
  const byDefault = isMarked(await weighAll());
  const strict = isMarked(await weighAll(({ name, weight }) => (name === 'offers' ? 5 : weight)));
  const row = (title: string, of: readonly Sample[]) => [
    title,
    `${of.length}`,
    `${of.filter(byDefault).length}`,
    `${of.filter(strict).length}`,
  ];
  const kinds = [...new Set(spam.map(({ kind }) => kind))].map((kind) =>
    spam.filter((sample) => sample.kind === kind),
  );
  const people = samples.filter(({ label }) => label === 'human');
  const heldOut = ({ isHeldOut }: Sample) => isHeldOut;
  return table(
    ['What was sent', 'Messages', '5 points or more', 'with `offers: 5`'],
    [
      ...kinds
        .toSorted((one, other) => other.length - one.length)
        .map((of) => row(`spam: ${of[0]?.kind}`, of)),
      row('all spam', spam),
      row('of it, what nobody had looked at', spam.filter(heldOut)),
      row('what people wrote', people),
      row('of it, what nobody had looked at', people.filter(heldOut)),
    ],
  );
}

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;

const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [line(head), line(head.map(() => '---')), ...rows.map(line)].join('');
