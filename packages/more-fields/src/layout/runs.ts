/** Groups and steps: each names consecutive fields. */
import type { Diagnostics, Field, Html, HtmlValue, LocalizedText } from '@form-relay/core/index';
import { didYouMean, nearest } from '@form-relay/core/kit';

export interface Run {
  readonly title: LocalizedText;
  /** The index of the first field, and that after the last. */
  readonly from: number;
  readonly to: number;
}

interface Named {
  readonly title: LocalizedText;
  readonly fields: readonly string[];
}

/** The runs of fields whose names were checked. */
export function runsOf(named: readonly Named[], fields: readonly Field[]): readonly Run[] {
  const placeOf = new Map(fields.map(({ name }, index) => [name, index]));
  return named.map(({ title, fields: names }) => {
    const places = names.map((name) => placeOf.get(name) ?? 0);
    return { title, from: Math.min(...places), to: Math.max(...places) + 1 };
  });
}

/** Where groups and steps begin and end: nothing else crosses these places. */
export function edgesOf(
  form: Readonly<Record<string, unknown>>,
  fields: readonly Field[],
): readonly number[] {
  const names = [form.groups, form.steps].flatMap((list) =>
    Array.isArray(list)
      ? list.map(({ fields }: { readonly fields?: readonly string[] }) => fields ?? [])
      : [],
  );
  return runsOf(
    names.map((fields) => ({ title: '', fields })),
    fields,
  ).flatMap(({ from, to }) => [from, to]);
}

/** The items of each run are one item in the place of its first. */
export function wrapRuns(
  items: readonly HtmlValue[],
  runs: readonly Run[],
  view: (run: Run, inside: readonly HtmlValue[], index: number) => Html,
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

export const mentionsIn = (
  runs: readonly { readonly fields?: readonly string[] | undefined }[],
): readonly Mention[] =>
  runs.flatMap(({ fields = [] }, run) => fields.map((name, at) => ({ name, run, at })));

/** The fields that visitors see. Groups and steps may leave out others. */
export const visibleNames = (fields: readonly Field[]): readonly string[] =>
  fields.filter(({ layout }) => layout !== 'bare').map(({ name }) => name);

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
  const told = new Set<number>();
  for (const [index, mention] of known.entries()) {
    const before = known[index - 1];
    // Between groups, fields may be omitted, and groups may come in any order.
    if (!before || (key === 'groups' && before.run !== mention.run) || told.has(mention.run)) continue;
    const step = order.indexOf(mention.name) - order.indexOf(before.name);
    const isFine = key === 'groups' ? step === 1 : step > 0;
    if (isFine || step === 0) continue;
    told.add(mention.run);
    at.in(key, mention.run, 'fields', mention.at).error(
      `"${mention.name}" does not follow "${before.name}" in fields; groups and steps have the order of fields`,
    );
  }
}
