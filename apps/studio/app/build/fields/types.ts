/** Types of fields: how one becomes another, and what their keys are called. */
import type { Action, Json, Path } from '../../../edit/index.ts';
import { keysAt } from '../../schema.ts';
import { isMap } from '../../schema_nodes.ts';
import { notice } from '../../store.ts';
import { change, emptiest, held } from '../settings/index.ts';
import { countsOptions, idleKeys, palette, takesOptions } from './picture.tsx';

type Written = { readonly [key: string]: Json };

/** As the palette adds a field of the type. */
const sampleOf = (of: string) =>
  (palette.value?.parts.find(({ type }) => type === of)?.value ?? {}) as Written;

const keysOf = (written: Written, type: string) =>
  keysAt(['forms', 'f', 'fields', 0], { forms: { f: { fields: [{ ...written, type }] } } });

/** An initial value that is an option of both, or any text. */
const keepsValue = (value: Json, from: string, to: string) =>
  !Array.isArray(value) &&
  (['text', 'textarea', 'hidden'].includes(to) ||
    (takesOptions(from) && (countsOptions(to) || to === 'country')));

/** Another type keeps what it takes, and gets what it needs. The rest goes, or the config would not load. */
export function changeType(path: Path, written: Written, type: string, of: string, title: string): void {
  const before = String(written.type ?? 'text');
  const form = path.slice(0, 2);
  const known = keysOf(written, type);
  const were = keysOf(written, before);
  const sample = sampleOf(type);
  const isSampled = written.autocomplete === sampleOf(before).autocomplete;
  const kindOf = (keys: typeof known, key: string) => keys.find(({ name }) => name === key)?.kindName;
  const isKept = (key: string, value: Json) =>
    kindOf(known, key) === kindOf(were, key) &&
    !idleKeys(type).includes(key) &&
    (key !== 'value' || keepsValue(value, before, type));
  const gone = Object.entries(written)
    .filter(([key, value]) => known.length > 0 && key !== 'type' && !isKept(key, value))
    .map(([key]) => key);
  const needed = known
    .filter(({ name, isRequired }) => isRequired && (written[name] === undefined || gone.includes(name)))
    .map(({ name }) => name);
  const set = (key: string, value: Json | undefined): Action =>
    value === undefined ? { do: 'remove', path: [...path, key] } : { do: 'set', path: [...path, key], value };
  const isOfForm = path.length === 4;
  const places = [...form, 'option_places', String(written.name)];
  const once = held([...form, 'once']);
  const isOnce = isOfForm && isMap(once) && once.by === written.name;
  const elsewhere = [
    ...(isOfForm && held(places) !== undefined && !countsOptions(type) ? [emptiest(places)] : []),
    ...(isOnce && (type === 'file' || (type !== 'email' && once.reveal !== true)) ? [[...form, 'once']] : []),
  ];
  const actions = [
    set('type', type === 'text' ? undefined : type),
    ...gone.map((key) => set(key, undefined)),
    ...needed.map((key) => set(key, sample[key])),
    ...(isSampled && !gone.includes('autocomplete') ? [set('autocomplete', sample.autocomplete)] : []),
    ...elsewhere.map((path): Action => ({ do: 'remove', path })),
  ];
  if (!change(actions, `${of} is now: ${title}`)) return;
  const lost = [
    ...gone.filter((key) => !needed.includes(key) && !(key === 'autocomplete' && isSampled)),
    ...elsewhere.map(([, , key]) => String(key)),
  ];
  if (lost.length > 0)
    notice.value = `${title} does not take ${lost.join(', ')}, so that was removed. Undo brings it back.`;
}

const labels = {
  value: 'Initial value',
  from_query: 'Links may fill it in',
  autocomplete: 'What browsers fill in',
  rows: 'Height in lines',
  min_length: 'Fewest characters',
  max_length: 'Most characters',
  shown_as: 'Shown as',
  low: 'Words at the first number',
  high: 'Words at the last number',
  country: 'Country of the number',
  countries: 'Countries to choose from',
  first: 'Countries above the others',
};

const labelsOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  matrix: { rows: 'Rows' },
  repeat: { least: 'Fewest entries', most: 'Most entries' },
};

/** Other labels of a field's keys than the keys in words. */
export const labelsFor = (type: string) => ({ ...labels, ...labelsOf[type] });
