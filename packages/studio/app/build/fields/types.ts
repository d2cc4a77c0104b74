/** Types of fields: how one becomes another, and what their keys are called. */
import type { Action, Json, Path } from '../../../edit/index.ts';
import { keysAt } from '../../schema.ts';
import { countsOptions } from '../settings/index.ts';

/** Types that are nothing without options. */
export const takesOptions = (type: string) => countsOptions(type) || type === 'ranking';

/** Another type keeps what both have: with a key that the new one does not know, the config would not load. */
export function typeActions(
  path: Path,
  written: { readonly [key: string]: Json },
  type: string,
): readonly Action[] {
  const own: Action =
    type === 'text'
      ? { do: 'remove', path: [...path, 'type'] }
      : { do: 'set', path: [...path, 'type'], value: type };
  const options: readonly Action[] =
    takesOptions(type) && written.options === undefined
      ? [{ do: 'set', path: [...path, 'options'], value: ['First choice', 'Second choice'] }]
      : [];
  const known = keysAt(['forms', 'f', 'fields', 0], {
    forms: { f: { fields: [{ ...written, type }] } },
  }).map(({ name }) => name);
  const gone = Object.keys(written)
    .filter((key) => known.length > 0 && key !== 'type' && !known.includes(key))
    .map((key): Action => ({ do: 'remove', path: [...path, key] }));
  return [own, ...gone, ...options];
}

const labels = {
  value: 'Initial value',
  from_query: 'Links may fill it in',
  remember: 'Keeps what was typed after a reload',
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
  formula: 'Formula',
  currency: 'Currency',
  digits: 'Places behind the point',
  worth: 'Number in formulas',
};

const labelsOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  matrix: { rows: 'Rows' },
  repeat: { least: 'Fewest entries', most: 'Most entries' },
  address: { country: 'Country of all addresses' },
};

/** Other labels of a field's keys than the keys in words. */
export const labelsFor = (type: string) => ({ ...labels, ...labelsOf[type] });
