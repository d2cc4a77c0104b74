/** Changes that rows, keys and the palette make to the form: one `act` for each. */
import { signal } from '@preact/signals';
import { freeName, isTaken, removeField } from '../../../edit/form_edits.ts';
import { type Json, mapOf } from '../../../edit/model.ts';
import type { PalettePart } from '../../../src/state.ts';
import * as pending from '../../pending.ts';
import { act, config, notice, say, settle } from '../../store.ts';
import { change } from '../settings/draft.ts';
import { pathText } from '../settings/places.ts';
import { textShown } from '../texts.ts';
import {
  formPath,
  fresh,
  labelFrom,
  language,
  nameFrom,
  openIndex,
  openItem,
  plan,
  withoutLinks,
} from './form_model.ts';
import {
  addGroup,
  addStep,
  dissolve,
  type Item,
  insertAt,
  moveTo,
  nextSlot,
  type Runs,
  removeItem,
  type Slot,
  slotOf,
  titleKey,
} from './plan.ts';

/** The part of an item to focus after the next render, or the first control of its settings. */
export const focusNext = signal<{ readonly index: number; readonly part: string } | undefined>(undefined);

/** An item's name for display. */
export function titleOf({ isNote, name, value }: Item): string {
  if (isNote) return 'note';
  const label = textShown(value.label, language.value);
  return label === undefined ? labelFrom(name) || 'field without a name' : withoutLinks(label);
}

export const titleOfRun = (key: Runs, run: number): string =>
  textShown(plan.value[key][run]?.title, language.value) ?? `${run + 1}`;

/** Describes an item's position for screen readers. */
function placeIn(slot: Slot, count: number): string {
  const inGroup = slot.group === undefined ? '' : `, in ${titleOfRun('groups', slot.group)}`;
  const inStep = slot.step === undefined ? '' : `, step ${slot.step + 1}`;
  return `${slot.before + 1} of ${count}${inGroup}${inStep}`;
}

export function move(item: Item, slot: Slot | undefined, part: string): void {
  if (!slot) {
    say(`${titleOf(item)} cannot be moved any further`);
    return;
  }
  settle();
  const wasOpen = openIndex.value === item.index;
  const words = `Moved ${titleOf(item)} to ${placeIn(slot, plan.value.items.length)}`;
  if (!change(moveTo(formPath.value, plan.value, item.index, slot), words)) return;
  if (wasOpen) openItem(slot.before);
  else if (openIndex.value !== undefined) openItem(undefined);
  focusNext.value = { index: slot.before, part };
}

export const moveBy = (item: Item, by: -1 | 1, part: string) =>
  move(item, nextSlot(plan.value, item.index, by), part);

/** A name that is used by no other field, and by no check such as the honeypot. */
const freeFieldName = (name: string, index = -1) =>
  freeName(name, (one) => isTaken(config.value, String(formPath.value[1]), index, one));

export function duplicate({ index }: Item): void {
  settle();
  const item = plan.value.items[index];
  if (!item) return;
  const { name, isNote, value } = item;
  const copied = isNote ? value : { ...value, name: freeFieldName(name) };
  put(copied, { ...slotOf(plan.value, index), before: index + 1 }, `Duplicated ${titleOf(item)}`);
}

/** Inserts a new item, and opens its settings. */
function put(value: { readonly [key: string]: Json }, slot: Slot, words: string): void {
  if (!change(insertAt(formPath.value, plan.value, value, slot), words)) return;
  if (value.name !== undefined) fresh.value = [String(formPath.value[1]), String(value.name)];
  openItem(slot.before);
  focusNext.value = { index: slot.before, part: 'label' };
}

export function remove({ index }: Item): void {
  settle();
  const item = plan.value.items[index];
  if (!item) return;
  const words = `Deleted ${titleOf(item)}`;
  const count = plan.value.items.length;
  openItem(undefined);
  const path = formPath.value;
  const named = item.name === '' ? undefined : removeField(config.value, String(path[1]), item.index);
  if (!act(named?.actions ?? removeItem(path, plan.value, item.index), words)) return;
  if (named && named.left.length > 0)
    notice.value = `${item.name} is still used in ${named.left.map(pathText).join(', ')}.`;
  focusNext.value = { index: Math.min(item.index, count - 2), part: 'edit' };
}

async function turn(way: () => Promise<void>, words: string): Promise<void> {
  settle();
  await way();
  say(words);
}
export const undo = () => void turn(pending.undo, 'Undone');
export const redo = () => void turn(pending.redo, 'Redone');

/** Adds a part from the palette to the form. */
export function add(part: PalettePart, slot: Slot): void {
  if (part.type === 'group') addGroupAt(slot);
  else if (part.type === 'step') addStepAt(slot);
  else insert(part, slot);
}

function insert(part: PalettePart, slot: Slot): void {
  const value = mapOf(part.value as Json);
  const isNote = value.name === undefined;
  const label = typeof value.label === 'string' ? value.label : part.title;
  const hasLabel = !part.idleKeys?.includes('label');
  const named = isNote
    ? value
    : { ...value, name: freeFieldName(String(value.name)), ...(hasLabel && { label }) };
  put(named, slot, `Added ${label}`);
}

/** Wraps the field below, or at the end the one above, in a group. */
function addGroupAt({ before }: Slot): void {
  const { items } = plan.value;
  const isFree = (item: Item | undefined) =>
    item && !item.isNote && item.name !== '' && item.group === undefined;
  const target = [items[before], items[before - 1]].find(isFree);
  const actions = target ? addGroup(formPath.value, plan.value, target.index, 'New group') : [];
  if (actions.length === 0) {
    notice.value = 'A group needs fields: add a field here first.';
    return;
  }
  if (change(actions, `Put ${titleOf(target as Item)} into a new group`)) focusTitle('groups', target?.name);
}

function addStepAt({ before }: Slot): void {
  const { items, steps } = plan.value;
  const target = items.slice(before).find(({ isNote, type }) => !isNote && type !== 'hidden');
  const count = steps.length;
  const titles = [count === 0 ? 'Step 1' : '', `Step ${Math.max(count, 1) + 1}`] as const;
  const actions = target ? addStep(formPath.value, plan.value, target.index, titles) : [];
  if (actions.length === 0) {
    notice.value = target
      ? 'A step already begins here.'
      : 'A step begins with a field: add the field first, and put the step above it.';
    return;
  }
  if (change(actions, `A step begins with ${titleOf(target as Item)}`)) focusTitle('steps', target?.name);
}

/** The heading to focus. */
export const focusHeading = signal<string | undefined>(undefined);
const focusTitle = (key: Runs, name = '') => {
  const run = plan.value[key].findIndex(({ names }) => names.includes(name));
  focusHeading.value = `${key}.${run}`;
};

export function dissolveRun(key: Runs, run: number): void {
  const words =
    key === 'groups' ? 'Removed the group; its fields stay' : 'Joined the step with its neighbour';
  change(dissolve(formPath.value, plan.value, key, run), `${words}: ${titleOfRun(key, run)}`);
}

export const pathOfTitle = (key: Runs, run: number) => [...formPath.value, key, run, titleKey[key]];

/** Returns the name that follows from a new field's label. */
export function nameAfter(item: Item, label: string): string | undefined {
  const [form, added] = fresh.value ?? [];
  if (form !== formPath.value[1] || added !== item.name) return undefined;
  const wanted = nameFrom(label);
  const name = wanted === '' ? undefined : freeFieldName(wanted, item.index);
  return name === item.name ? undefined : name;
}
