/** How a field becomes one of another type. */
import type { Action, Json, Path } from '../../../edit/index.ts';
import { keysAt } from '../../relay.ts';
import { notice } from '../../store.ts';
import { change } from '../settings/index.ts';
import { idleKeys, palette, takesOptions } from './picture.tsx';

type Written = { readonly [key: string]: Json };

/** As the palette adds a field of the type. */
const sampleOf = (of: string) =>
  (palette.value?.parts.find(({ type }) => type === of)?.value ?? {}) as Written;

const keysOf = (written: Written, type: string) =>
  keysAt(['forms', 'f', 'fields', 0], { forms: { f: { fields: [{ ...written, type }] } } });

/** Another type keeps what it takes, and gets what it needs. The rest goes, or the config would not load. */
export function changeType(path: Path, written: Written, type: string, of: string, title: string): void {
  const before = String(written.type ?? 'text');
  const known = keysOf(written, type);
  const were = keysOf(written, before);
  const sample = sampleOf(type);
  const kindOf = (keys: typeof known, key: string) => keys.find(({ name }) => name === key)?.kindName;
  // An initial value may be none of the new type's.
  const isOwn = (key: string) =>
    (key === 'value' && takesOptions(type) !== takesOptions(before)) ||
    (key === 'autocomplete' && written[key] === sampleOf(before)[key]);
  const gone = Object.keys(written).filter(
    (key) =>
      known.length > 0 &&
      key !== 'type' &&
      (kindOf(known, key) !== kindOf(were, key) || idleKeys(type).includes(key) || isOwn(key)),
  );
  const needed = known
    .filter(({ name, isRequired }) => isRequired && (written[name] === undefined || gone.includes(name)))
    .map(({ name }) => name);
  const set = (key: string, value: Json | undefined): Action =>
    value === undefined ? { do: 'remove', path: [...path, key] } : { do: 'set', path: [...path, key], value };
  const actions = [
    set('type', type === 'text' ? undefined : type),
    ...gone.map((key) => set(key, undefined)),
    ...needed.map((key) => set(key, sample[key])),
  ];
  if (!change(actions, `${of} is now: ${title}`)) return;
  const lost = gone.filter((key) => !needed.includes(key) && key !== 'autocomplete');
  if (lost.length > 0)
    notice.value = `${title} does not take ${lost.join(', ')}, so that was removed. Undo brings it back.`;
}
