/** Groups and steps: each names consecutive fields. */
import type { Field } from '../fields/field.ts';
import type { FieldRange, Form, Range } from '../form.ts';
import { type Finding, finding } from '../schema/finding.ts';
import { isMap } from '../schema/kinds.ts';
import { mostCandidates, nearest } from '../schema/suggestion.ts';

interface Named {
  readonly title: string;
  readonly fields: readonly string[];
}

/** The range of each group among the form's fields, whose names were checked. */
export function fieldRanges(named: readonly Named[], fields: readonly Field[]): readonly FieldRange[] {
  const placeOf = new Map(fields.map(({ name }, index) => [name, index]));
  return named.map(({ title, fields: names }) => {
    const places = names.map((name) => placeOf.get(name) ?? 0);
    return { title, from: Math.min(...places), to: Math.max(...places) + 1 };
  });
}

/**
 * The ranges of steps, which cover all entries: hidden fields where they are declared, and trailing entries in the
 * last.
 */
export function stepRanges(named: readonly Named[], fields: readonly Field[]): readonly FieldRange[] {
  const runs = fieldRanges(named, fields);
  return runs.map(({ title, to }, index) => ({
    title,
    from: index === 0 ? 0 : (runs[index - 1]?.to ?? 0),
    to: index === runs.length - 1 ? fields.length + 1 : to,
  }));
}

type Written = readonly Readonly<Record<string, unknown>>[];

/**
 * Finds groups and steps that do not name consecutive fields in the order of `fields`, each once, and visible fields
 * that no step names. Reads the config as written (cross_checks.ts). Hidden fields may be omitted.
 */
export function groupFindings(form: Readonly<Record<string, unknown>>, fields: Written): readonly Finding[] {
  const names = fields.map(({ name }) => name).filter(isText);
  const visible = fields.filter(({ type }) => type !== 'hidden').map(({ name }) => name);
  const order = visible.filter(isText);
  const groups = namesIn(form.groups);
  const steps = namesIn(form.steps);
  const missing = steps.length > 0 ? order.filter((name) => !steps.some((one) => one.name === name)) : [];
  return [
    ...misnamed('groups', groups, names),
    ...misnamed('steps', steps, names),
    ...missing.map((name) => finding('field_in_no_step', ['steps'], { name })),
    ...outOfOrder('groups', groups, order),
    ...outOfOrder('steps', steps, order),
    ...acrossSteps(groups, steps),
  ];
}

interface Mention {
  readonly name: string;
  /** The index of the group or step, and of the name in it. */
  readonly run: number;
  readonly at: number;
}

function namesIn(runs: unknown): readonly Mention[] {
  if (!Array.isArray(runs)) return [];
  return runs.flatMap((one, run) =>
    isMap(one) && Array.isArray(one.fields)
      ? one.fields.flatMap((name, at) => (isText(name) ? [{ name, run, at }] : []))
      : [],
  );
}

type Key = 'groups' | 'steps';
const pathOf = (key: Key, { run, at }: Mention) => [key, run, 'fields', at];

const misnamed = (key: Key, mentions: readonly Mention[], names: readonly string[]) =>
  mentions.flatMap((mention, index) => {
    const { name } = mention;
    if (!names.includes(name)) {
      const near = nearest(name, names.slice(0, mostCandidates));
      return [finding('field_undeclared', pathOf(key, mention), { name, near })];
    }
    const isTwice = mentions.findIndex((other) => other.name === name) < index;
    return isTwice ? [finding('field_named_twice', pathOf(key, mention), { name, key })] : [];
  });

/** The first field of each group or step that does not follow its predecessor. */
function outOfOrder(key: Key, mentions: readonly Mention[], order: readonly string[]): readonly Finding[] {
  const known = mentions.filter(({ name }) => order.includes(name));
  const told = new Set<number>();
  return known.flatMap((mention, index) => {
    const before = known[index - 1];
    // Between groups, fields may be omitted, and groups may come in any order.
    if (!before || (key === 'groups' && before.run !== mention.run) || told.has(mention.run)) return [];
    const step = order.indexOf(mention.name) - order.indexOf(before.name);
    const isFine = key === 'groups' ? step === 1 : step > 0;
    if (isFine || step === 0) return [];
    told.add(mention.run);
    return [finding('field_out_of_order', pathOf(key, mention), { name: mention.name, before: before.name })];
  });
}

/** Groups that start in one step and end in another. */
function acrossSteps(groups: readonly Mention[], steps: readonly Mention[]): readonly Finding[] {
  const stepOf = new Map(steps.map(({ name, run }) => [name, run]));
  const firstOf = new Map(groups.toReversed().map(({ name, run }) => [run, stepOf.get(name)]));
  const across = groups.filter(({ name, run }) => {
    const [step, first] = [stepOf.get(name), firstOf.get(run)];
    return step !== undefined && first !== undefined && step !== first;
  });
  const told = new Set<number>();
  return across.flatMap((mention) => {
    if (told.has(mention.run)) return [];
    told.add(mention.run);
    return [finding('group_across_steps', pathOf('groups', mention), { name: mention.name })];
  });
}

const isText = (value: unknown): value is string => typeof value === 'string';

// Rows: consecutive fields narrower than the form, which stand side by side where there is room.

const none: readonly Range[] = [];

/** No row crosses a note, or the edge of a group or step. Hidden fields neither begin, end nor interrupt a row. */
export function rowsOf(
  fields: readonly Field[],
  { notes, groups, steps }: Pick<Form, 'notes' | 'groups' | 'steps'>,
): readonly Range[] {
  if (fields.every(({ width }) => width === 'full')) return none;
  const edges = new Set([
    ...notes.map(({ before }) => before),
    ...[...groups, ...steps].flatMap(({ from, to }) => [from, to]),
  ]);
  const rows: Range[] = [];
  let open: { from: number; to: number } | undefined;
  for (const [index, { layout, width }] of fields.entries()) {
    if (edges.has(index)) open = undefined;
    if (layout === 'bare') continue;
    if (width === 'full') open = undefined;
    else if (open) open.to = index + 1;
    else {
      open = { from: index, to: index + 1 };
      rows.push(open);
    }
  }
  return rows;
}
