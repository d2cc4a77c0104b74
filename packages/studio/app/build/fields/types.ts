/** Changes the type of a field. */
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
