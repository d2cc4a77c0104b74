/** Finds where a misplaced key belongs. */
import type * as v from 'valibot';
import { captchaProviders } from '../features/captcha/index.ts';
import { commonKeys as captchaKeys } from '../features/captcha/provider.ts';
import { commonKeys as fieldKeys } from '../fields/field.ts';
import { fieldTypes } from '../fields/index.ts';
import { outputTypes } from '../outputs/index.ts';
import { commonKeys as outputKeys } from '../outputs/output.ts';
import { thingsCalled } from '../schema/aliases.ts';
import { type Finding, finding, type KeyHome, type Path } from '../schema/finding.ts';
import { isMap } from '../schema/kinds.ts';
import { mostCandidates } from '../schema/suggestion.ts';
import { rawForms } from './form_languages.ts';
import { configKeys, formKeys, spamKeys } from './schema.ts';

type Room = 'file' | 'form' | 'spam' | 'captcha' | 'field' | 'output';

/** The keys of each section, with the types that have them; none if all have. */
type Keys = ReadonlyMap<string, readonly string[]>;

const ofAll = (keys: v.ObjectEntries): Keys => new Map(Object.keys(keys).map((key) => [key, []]));

function ofTypes(
  common: v.ObjectEntries,
  kinds: readonly (readonly [type: string, keys: v.ObjectEntries])[],
): Keys {
  const all = new Map<string, string[]>();
  for (const [type, keys] of kinds) {
    for (const key of Object.keys(keys)) all.set(key, [...(all.get(key) ?? []), type]);
  }
  return new Map([...all, ...ofAll(common)]);
}

const rooms: Readonly<Record<Room, Keys>> = {
  file: ofAll(configKeys),
  form: ofAll(formKeys),
  spam: ofAll(spamKeys),
  captcha: ofTypes(
    { provider: captchaKeys.field, ...captchaKeys },
    captchaProviders.map(({ provider, keys }) => [provider, keys]),
  ),
  // Evaluated late: some fields and outputs load on demand (fields/index.ts, outputs/index.ts).
  get field() {
    return ofTypes(
      { type: fieldKeys.name, ...fieldKeys },
      fieldTypes().map(({ type, keys }) => [type, keys]),
    );
  },
  get output() {
    return ofTypes(
      { type: fieldKeys.name, ...outputKeys },
      outputTypes().map(({ type, keys }) => [type, keys]),
    );
  },
};

/** For each section, the others in which its unknown keys may belong. A field's key is never written into an output. */
const wherefrom: Readonly<Record<Room, readonly Room[]>> = {
  file: ['form', 'spam', 'captcha', 'output', 'field'],
  form: ['spam', 'captcha', 'output', 'field', 'file'],
  spam: ['form', 'captcha', 'file'],
  captcha: ['form', 'spam', 'file'],
  field: ['form', 'spam', 'file'],
  output: ['form', 'file'],
};

/** The section at a path. Other maps have keys of their own. */
function roomAt(path: Path): Room | undefined {
  const [top, , part] = path;
  if (path.length === 0) return 'file';
  if (top !== 'forms') return undefined;
  if (path.length === 2) return 'form';
  if (path.length === 3) return part === 'spam' || part === 'captcha' ? part : undefined;
  if (path.length !== 4) return undefined;
  return part === 'fields' ? 'field' : part === 'outputs' ? 'output' : undefined;
}

/** The place of a key that is misplaced at `around`, if it has one elsewhere. */
export function elsewhere(key: string, around: Path, config: unknown): Finding | undefined {
  const here = roomAt(around);
  return here && find(key, undefined, wherefrom[here], around, config);
}

/** Like `elsewhere`, for other tools' names. */
export function elsewhereCalled(word: string, around: Path, config: unknown): Finding | undefined {
  const here = roomAt(around);
  if (!here) return undefined;
  for (const thing of thingsCalled(word).filter((one) => !around.includes(one))) {
    const found = find(word, thing, wherefrom[here], around, config);
    if (found) return found;
  }
  return undefined;
}

/** The other types of field, output or captcha that have the key. */
export function ofOtherTypes(key: string, around: Path): Finding | undefined {
  const here = roomAt(around);
  const types = (here && rooms[here].get(key)) ?? [];
  if (types.length === 0) return undefined;
  const home = { in: here === 'captcha' ? 'captcha_of' : here === 'field' ? here : 'output', types } as const;
  return finding('key_elsewhere', [...around, key], { key, near: undefined, home });
}

function find(
  key: string,
  near: string | undefined,
  among: readonly Room[],
  around: Path,
  config: unknown,
): Finding | undefined {
  const room = among.find((one) => rooms[one].has(near ?? key));
  if (!room) return undefined;
  const path = [...around, key];
  const home = homeIn(room, near ?? key, around, config);
  const found = finding('key_elsewhere', path, { key, near, home });
  if (home.in !== 'forms') return found;
  return { ...found, meantAs: home.form === undefined ? ['forms'] : ['forms', home.form, near ?? key] };
}

function homeIn(room: Room, key: string, around: Path, config: unknown): KeyHome {
  if (room === 'field' || room === 'output') return { in: `${room}s`, types: rooms[room].get(key) ?? [] };
  if (room === 'form' && around.length === 0) return { in: 'forms', form: formWithout(key, config) };
  return { in: room };
}

/** The only form without this key, if there is just one. */
function formWithout(key: string, config: unknown): string | undefined {
  const forms = Object.entries(rawForms(config));
  if (forms.length > mostCandidates) return undefined;
  const without = forms.filter(([, form]) => isMap(form) && !Object.hasOwn(form, key));
  return without.length === 1 ? without[0]?.[0] : undefined;
}
