/** Groups, steps and rows hold fields that follow each other. */
import type { Diagnostics, Field, Html, HtmlValue, LocalizedText } from '@form-relay/core/index';
import { didYouMean, nearest } from '@form-relay/schema/suggestion';

/** The index of the first field, and that after the last. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Consecutive fields with a title. */
export interface Run extends Range {
  readonly title: LocalizedText;
  readonly required?: 'one' | undefined;
}

export interface Naming {
  readonly fields?: readonly string[] | undefined;
}

/** The names are checked elsewhere. */
export function runOf(title: LocalizedText, names: readonly string[] = [], fields: readonly Field[]): Run {
  const places = names.map((name) => fields.findIndex((field) => field.name === name));
  return { title, from: Math.min(...places), to: Math.max(...places) + 1 };
}

/** The items of each run are one item in the place of its first. */
export function wrapRuns<R extends Range>(
  items: readonly HtmlValue[],
  runs: readonly R[],
  view: (run: R, inside: readonly HtmlValue[], index: number) => Html,
): readonly HtmlValue[] {
  const wrapped = [...items];
  for (const [index, run] of runs.entries()) {
    const inside = items.slice(run.from, run.to);
    wrapped.fill(undefined, run.from, run.to);
    wrapped[run.from] = view(run, inside, index);
  }
  return wrapped;
}

export interface Mention {
  readonly name: string;
  /** The index of the group or step, and of the name in it. */
  readonly run: number;
  readonly at: number;
}

export const mentionsIn = (runs: readonly Naming[]): readonly Mention[] =>
  runs.flatMap(({ fields = [] }, run) => fields.map((name, at) => ({ name, run, at })));

/** The fields that visitors see. Groups and steps may leave out others. */
export const visibleNames = (fields: readonly Field[]): readonly string[] =>
  fields.filter(isSeen).map(({ name }) => name);

export const isSeen = ({ layout }: Field): boolean => layout !== 'bare';

/** Groups and steps that do not name consecutive fields in the order of `fields`, each once. */
export function runProblems(
  key: 'groups' | 'steps',
  mentions: readonly Mention[],
  fields: readonly Field[],
  at: Diagnostics,
): void {
  const names = fields.map(({ name }) => name);
  for (const [index, { name, run, at: place }] of mentions.entries()) {
    const here = at.in(key, run, 'fields', place);
    if (!names.includes(name))
      here.error(`"${name}" is not a declared field${didYouMean(nearest(name, names))}`);
    else if (mentions.findIndex((other) => other.name === name) < index)
      here.error(`"${name}" is in ${key === 'steps' ? 'a step' : 'a group'} already`);
  }
  const order = visibleNames(fields);
  const known = mentions.filter(({ name }) => order.includes(name));
  const reported = new Set<number>();
  for (const [index, mention] of known.entries()) {
    const before = known[index - 1];
    // Between groups, fields may be omitted, and groups may come in any order.
    if (!before || (key === 'groups' && before.run !== mention.run) || reported.has(mention.run)) continue;
    const step = order.indexOf(mention.name) - order.indexOf(before.name);
    const isFine = key === 'groups' ? step === 1 : step > 0;
    if (isFine || step === 0) continue;
    reported.add(mention.run);
    at.in(key, mention.run, 'fields', mention.at).error(
      `"${mention.name}" does not follow "${before.name}" in fields; groups and steps have the order of fields`,
    );
  }
}
