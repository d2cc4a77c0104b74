/** Where in a config a key can stand, for those who wrote it somewhere else. */
import type * as v from 'valibot';
import { thingsCalled } from '../base/aliases.ts';
import { type Finding, finding, type KeyHome } from '../base/config_finding.ts';
import type { Path } from '../base/place.ts';
import { mostCandidates } from '../base/suggestion.ts';
import { captchaProviders } from '../features/captcha/index.ts';
import { commonKeys as captchaKeys } from '../features/captcha/provider.ts';
import { commonKeys as fieldKeys } from '../fields/field.ts';
import { fieldTypes } from '../fields/index.ts';
import { outputTypes } from '../outputs/index.ts';
import { commonKeys as outputKeys } from '../outputs/output.ts';
import { isMap } from '../schema/kinds.ts';
import { configKeys, formKeys, spamKeys } from './schema.ts';

type Room = 'file' | 'form' | 'spam' | 'captcha' | 'field' | 'output';

/** The keys of each room, with the types of what has them; none where all have. */
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
  // Some fields and outputs are read later (fields/index.ts, outputs/index.ts).
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

/** From each room, those in which its stray keys are looked for. Nobody writes a field's key into an output. */
const wherefrom: Readonly<Record<Room, readonly Room[]>> = {
  file: ['form', 'spam', 'captcha', 'output', 'field'],
  form: ['spam', 'captcha', 'output', 'field', 'file'],
  spam: ['form', 'captcha', 'file'],
  captcha: ['form', 'spam', 'file'],
  field: ['form', 'spam', 'file'],
  output: ['form', 'file'],
};

/** The room that a path leads into. Other maps have keys that are theirs alone. */
function roomAt(path: Path): Room | undefined {
  const [top, , part] = path;
  if (path.length === 0) return 'file';
  if (top !== 'forms') return undefined;
  if (path.length === 2) return 'form';
  if (path.length === 3) return part === 'spam' || part === 'captcha' ? part : undefined;
  if (path.length !== 4) return undefined;
  return part === 'fields' ? 'field' : part === 'outputs' ? 'output' : undefined;
}

/** Says where a key belongs that stands at `around`, if it is one that has its place elsewhere. */
export function elsewhere(key: string, around: Path, config: unknown): Finding | undefined {
  const here = roomAt(around);
  return here && find(key, undefined, wherefrom[here], around, config);
}

/** As `elsewhere`, for a word that other tools use. */
export function elsewhereCalled(word: string, around: Path, config: unknown): Finding | undefined {
  const here = roomAt(around);
  if (!here) return undefined;
  for (const thing of thingsCalled(word).filter((one) => !around.includes(one))) {
    const found = find(word, thing, wherefrom[here], around, config);
    if (found) return found;
  }
  return undefined;
}

/** Says which types have a key that stands in a field or an output of another type, or in a captcha. */
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

/** The form that lacks a key, when it is one. */
function formWithout(key: string, config: unknown): string | undefined {
  const forms = isMap(config) && isMap(config.forms) ? Object.entries(config.forms) : [];
  if (forms.length > mostCandidates) return undefined;
  const without = forms.filter(([, form]) => isMap(form) && !Object.hasOwn(form, key));
  return without.length === 1 ? without[0]?.[0] : undefined;
}
