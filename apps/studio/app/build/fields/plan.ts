/** The form's layout: fields and notes in order, in groups and steps. Pure functions. */
import { type Action, type Json, type JsonMap, listOf, mapOf, type Path } from '../../../edit/model.ts';

export interface Item {
  /** The index in `fields`. */
  readonly index: number;
  /** Text for visitors, which is sent to no output. */
  readonly isNote: boolean;
  /** Empty for a note, and for a field without a name yet. */
  readonly name: string;
  readonly type: string;
  readonly value: { readonly [key: string]: Json };
  readonly group: number | undefined;
  readonly step: number | undefined;
}

/** A group or step. */
export interface Run {
  readonly title: Json | undefined;
  readonly names: readonly string[];
}

export interface Plan {
  readonly items: readonly Item[];
  readonly groups: readonly Run[];
  readonly steps: readonly Run[];
}

/** A position for an item: before another item, and within a group and step. */
export interface Slot {
  readonly before: number;
  readonly group: number | undefined;
  readonly step: number | undefined;
}

export type Runs = 'groups' | 'steps';
export const titleKey = { groups: 'legend', steps: 'title' } as const;

const runsIn = (form: JsonMap, key: Runs): readonly Run[] =>
  listOf(form[key])
    .map(mapOf)
    .map((run) => ({ title: run[titleKey[key]], names: listOf(run.fields).map(String) }));

/** Follows the relay (more-fields/src/layout/groups.ts): notes, and hidden fields that no step names, join the next field. */
export function planOf(form: Json | undefined): Plan {
  const written = mapOf(form);
  const groups = runsIn(written, 'groups');
  const steps = runsIn(written, 'steps');
  const naming = (runs: readonly Run[], name: string) => {
    const index = name === '' ? -1 : runs.findIndex(({ names }) => names.includes(name));
    return index < 0 ? undefined : index;
  };
  let next: Pick<Item, 'group' | 'step'> = {
    group: undefined,
    step: steps.length > 0 ? steps.length - 1 : undefined,
  };
  const items: Item[] = [];
  const fields = listOf(written.fields);
  for (const [index, one] of [...fields.entries()].reverse()) {
    const value = mapOf(one);
    const { name, note, type } = value;
    const isNote = note !== undefined && name === undefined && type === undefined;
    const own = typeof name === 'string' || typeof name === 'number' ? String(name) : '';
    next = {
      group: isNote ? next.group : (naming(groups, own) ?? between(fields, index, groups)),
      step: isNote ? next.step : (naming(steps, own) ?? next.step),
    };
    items.unshift({ index, isNote, name: own, type: String(type ?? 'text'), value, ...next });
  }
  return { items, groups, steps };
}

/** The group that names fields both before and after this position. */
function between(fields: readonly Json[], index: number, groups: readonly Run[]): number | undefined {
  const names = fields.map((field) => String(mapOf(field).name ?? ''));
  const found = groups.findIndex(({ names: inside }) => {
    const places = inside.map((name) => names.indexOf(name)).filter((place) => place >= 0);
    return Math.min(...places) < index && index < Math.max(...places);
  });
  return found < 0 ? undefined : found;
}

type Within = Pick<Item, 'group' | 'step'>;
const isSame = (one: Within, other: Within) => one.group === other.group && one.step === other.step;
export const isSameSlot = (one: Slot, other: Slot) => one.before === other.before && isSame(one, other);

/** All slots from the top of the form to its end, for the item `moved`, or for a new item. */
export function slotsFor({ items, steps }: Plan, moved?: number): readonly Slot[] {
  const others = items.filter(({ index }) => index !== moved);
  const isNote = moved !== undefined && items[moved]?.isNote;
  const outside = (step: number | undefined): Within => ({ group: undefined, step });
  const last = steps.length > 0 ? steps.length - 1 : undefined;
  return [...others, undefined].flatMap((below, before) => {
    const above = others[before - 1];
    const first = above ?? outside(steps.length > 0 ? 0 : undefined);
    const end = below ?? outside(above ? above.step : last);
    // A note belongs where the next field is. A group or step with only one item moves with that item.
    const own = before === moved ? items[moved] : undefined;
    const here = own ? [outside(own.step), own] : [];
    const isInside = above && below && above.group !== undefined && isSame(above, below);
    const all: Within[] = isInside
      ? [above]
      : isNote
        ? [end]
        : [...(above ? [first] : []), outside(first.step), ...here, outside(end.step), end];
    const distinct = all.filter((one, index) => !all.slice(0, index).some((other) => isSame(one, other)));
    return distinct.map(({ group, step }): Slot => ({ before, group, step }));
  });
}

/** The current slot of an item. */
export function slotOf({ items }: Plan, moved: number): Slot {
  const { group, step } = items[moved] ?? {};
  return { before: moved, group, step };
}

/** The slot above or below an item. */
export function nextSlot(plan: Plan, moved: number, by: -1 | 1): Slot | undefined {
  const slots = slotsFor(plan, moved);
  const now = slotOf(plan, moved);
  const exact = slots.findIndex((slot) => isSameSlot(slot, now));
  const at = exact < 0 ? slots.findIndex(({ before }) => before === moved) : exact;
  return slots[at + by];
}

/** Moves an item into a slot. */
export function moveTo(form: Path, plan: Plan, moved: number, slot: Slot): readonly Action[] {
  const item = plan.items[moved];
  if (!item) return [];
  const others = plan.items.filter(({ index }) => index !== moved);
  const order = others.map(({ name }) => name).toSpliced(slot.before, 0, item.name);
  const move: readonly Action[] =
    slot.before === moved ? [] : [{ do: 'move', path: [...form, 'fields'], from: moved, to: slot.before }];
  return [...move, ...rename(form, plan, item, order, slot)];
}

/** Puts a new item into a slot. */
export function insertAt(form: Path, plan: Plan, value: JsonMap, slot: Slot): readonly Action[] {
  const name = value.name === undefined ? '' : String(value.name);
  const order = plan.items.map((one) => one.name).toSpliced(slot.before, 0, name);
  const path = [...form, 'fields'];
  const item = { name, type: String(value.type ?? 'text') };
  return [{ do: 'insert', path, index: slot.before, value }, ...rename(form, plan, item, order, slot)];
}

/** Removes items, and their names from groups and steps. */
export function removeItem(form: Path, plan: Plan, index: number): readonly Action[] {
  const item = plan.items[index];
  const none: Slot = { before: 0, group: undefined, step: undefined };
  const named = item ? rename(form, plan, item, [], none) : [];
  return [{ do: 'remove', path: [...form, 'fields', index] }, ...named];
}

/** Makes the slot's group and step the only ones that name an item. `order`: all field names. */
function rename(
  form: Path,
  plan: Plan,
  { name, type }: Pick<Item, 'name' | 'type'>,
  order: readonly string[],
  slot: Slot,
): readonly Action[] {
  if (name === '') return [];
  return (['groups', 'steps'] as const).flatMap((key) => {
    const runs = plan[key];
    const wanted = key === 'groups' ? slot.group : slot.step;
    const isNamed = runs.some(({ names }) => names.includes(name));
    // Hidden fields need no step.
    const isWanted = (run: number) => run === wanted && (isNamed || type !== 'hidden');
    const isOnly = (names: readonly string[]) => names.length > 0 && names.every((one) => one === name);
    const empty = [...runs.keys()].filter((run) => !isWanted(run) && isOnly(runs[run]?.names ?? []));
    const actions = runs.flatMap(({ names }, run): readonly Action[] => {
      const path = [...form, key, run, 'fields'];
      const at = names.indexOf(name);
      const rest = names.filter((one) => one !== name);
      if (!isWanted(run)) return at < 0 || rest.length === 0 ? [] : [{ do: 'remove', path: [...path, at] }];
      const place = order.indexOf(name);
      const to = rest.filter((one) => order.indexOf(one) < place).length;
      if (at < 0) return [{ do: 'insert', path, index: to, value: name }];
      return at === to ? [] : [{ do: 'move', path, from: at, to }];
    });
    return [...actions, ...removeRuns(form, key, runs.length, empty)];
  });
}

/** Removes the last first, so that other indexes stay valid. */
const removeRuns = (form: Path, key: Runs, count: number, gone: readonly number[]): readonly Action[] =>
  gone.length === count && count > 0
    ? [{ do: 'remove', path: [...form, key] }]
    : gone.toReversed().map((run) => ({ do: 'remove', path: [...form, key, run] }));

/** Removes a group's heading, or joins a step with the one before it. The fields remain. */
export function dissolve(form: Path, plan: Plan, key: Runs, run: number): readonly Action[] {
  const runs = plan[key];
  const to = run > 0 ? run - 1 : 1;
  const target = runs[to];
  const joined: readonly Action[] =
    key === 'steps' && target
      ? (runs[run]?.names ?? []).map((name, index) => ({
          do: 'insert',
          path: [...form, key, to, 'fields'],
          index: run > 0 ? target.names.length + index : index,
          value: name,
        }))
      : [];
  return [...joined, ...removeRuns(form, key, runs.length, [run])];
}

/** Adds a group with one field. */
export function addGroup(form: Path, plan: Plan, index: number, legend: string): readonly Action[] {
  const { name = '', group } = plan.items[index] ?? {};
  if (name === '' || group !== undefined) return [];
  const places = plan.groups.map(({ names }) => plan.items.findIndex((one) => names.includes(one.name)));
  const value = { legend, fields: [name] };
  return [
    { do: 'insert', path: [...form, 'groups'], index: places.filter((place) => place < index).length, value },
  ];
}

/** Starts a step at a field, or at its group, unless a step already starts there. */
export function addStep(
  form: Path,
  plan: Plan,
  index: number,
  titles: readonly [string, string],
): readonly Action[] {
  const { group, step } = plan.items[index] ?? {};
  const from = group === undefined ? index : plan.items.findIndex((one) => one.group === group);
  const namesIn = (items: readonly Item[]) =>
    items.filter(({ name, type }) => name !== '' && type !== 'hidden').map(({ name }) => name);
  if (plan.steps.length === 0) {
    const [before, after] = [namesIn(plan.items.slice(0, from)), namesIn(plan.items.slice(from))];
    if (after.length === 0) return [];
    const steps = [before, after]
      .filter((fields) => fields.length > 0)
      .map((fields, at) => ({ title: titles[at] ?? '', fields }));
    return [{ do: 'set', path: [...form, 'steps'], value: steps }];
  }
  const run = step ?? 0;
  const names = plan.steps[run]?.names ?? [];
  const later = new Set(plan.items.slice(from).map(({ name }) => name));
  const moved = names.filter((name) => later.has(name));
  if (moved.length === 0 || moved.length === names.length) return [];
  return [
    ...moved
      .toReversed()
      .map(
        (name): Action => ({ do: 'remove', path: [...form, 'steps', run, 'fields', names.indexOf(name)] }),
      ),
    { do: 'insert', path: [...form, 'steps'], index: run + 1, value: { title: titles[1], fields: moved } },
  ];
}

/** Adjacent items under one heading, in order. */
export interface Section {
  readonly group: number | undefined;
  readonly step: number | undefined;
  readonly items: readonly Item[];
}

export function sectionsOf({ items }: Plan): readonly Section[] {
  const sections: { group: number | undefined; step: number | undefined; items: Item[] }[] = [];
  for (const item of items) {
    const last = sections.at(-1);
    if (last && isSame(last, item)) last.items.push(item);
    else sections.push({ group: item.group, step: item.step, items: [item] });
  }
  return sections;
}
