/** The sections of a config, and which keys belong to each. */
import { either, type Path } from '../../schema/diagnostics.ts';
import { type Properties, present, type Schema } from '../../schema/schema.ts';
import { isCalled, namesCalled } from './vocabulary.ts';

export type Section = 'file' | 'form' | 'spam' | 'captcha' | 'field' | 'output';

/** A key of a section, with the types that have it; none if all have. */
interface Home {
  readonly key: string;
  readonly types: readonly string[];
  readonly aliases?: readonly string[] | undefined;
}

export type Homes = Readonly<Record<Section, readonly Home[]>>;

/** The keys that plug-ins bring to each section. */
export function homesOf(config: Schema<unknown>, form: Schema<unknown>): Homes {
  const ofForm = form.properties ?? {};
  return {
    file: ofAll(config.properties),
    form: ofAll(ofForm),
    spam: ofAll(ofForm.spam?.schema.properties),
    captcha: ofKinds(ofForm.captcha?.schema.kinds),
    field: ofKinds(ofForm.fields?.schema.kinds),
    output: ofKinds(ofForm.outputs?.schema.kinds),
  };
}

const ofAll = (keys: Properties = {}): readonly Home[] =>
  Object.entries(present(keys)).map(([key, { aliases }]) => ({ key, types: [], aliases }));

function ofKinds(kinds: ReadonlyMap<string, Properties> = new Map()): readonly Home[] {
  const all = new Map<string, { types: string[]; aliases?: readonly string[] | undefined }>();
  for (const [type, keys] of kinds)
    for (const [key, { aliases }] of Object.entries(present(keys))) {
      const known = all.get(key) ?? { types: [], aliases };
      known.types.push(type);
      all.set(key, known);
    }
  return [...all].map(([key, { types, aliases }]) => ({
    key,
    types: types.length === kinds.size ? [] : types,
    aliases,
  }));
}

/** For each section, the others to which its unknown keys may belong. A field's key is never written into an output. */
const others: Readonly<Record<Section, readonly Section[]>> = {
  file: ['form', 'spam', 'captcha', 'output', 'field'],
  form: ['spam', 'captcha', 'output', 'field', 'file'],
  spam: ['form', 'captcha', 'file'],
  captcha: ['form', 'spam', 'file'],
  field: ['form', 'spam', 'file'],
  output: ['form', 'file'],
};

/** The section at a path. Other maps have keys of their own. */
export function sectionAt(path: Path): Section | undefined {
  const [top, , part] = path;
  if (path.length === 0) return 'file';
  if (top !== 'forms') return undefined;
  if (path.length === 2) return 'form';
  if (path.length === 3) return part === 'spam' || part === 'captcha' ? part : undefined;
  if (path.length !== 4) return undefined;
  return part === 'fields' ? 'field' : part === 'outputs' ? 'output' : undefined;
}

export interface Found extends Home {
  readonly section: Section;
}

/** The section to which a key of `here` belongs. */
export function elsewhere(homes: Homes, here: Section, key: string): Found | undefined {
  for (const section of others[here]) {
    const home = homes[section].find((one) => one.key === key);
    if (home) return { ...home, section };
  }
  return undefined;
}

/** The section to which a word of other products belongs. */
export function elsewhereCalled(homes: Homes, here: Section, word: string, around: Path): Found | undefined {
  const names = namesCalled(word).filter((one) => !around.includes(one));
  for (const name of names) {
    const found = elsewhere(homes, here, name);
    if (found) return found;
  }
  for (const section of others[here]) {
    const home = homes[section].find(({ key, aliases }) => isCalled({ name: key, aliases }, word));
    if (home && !around.includes(home.key)) return { ...home, section };
  }
  return undefined;
}

/** Where a key belongs, in words. `form`: the form to which a key at the top surely belongs. */
export function belongs({ section, key, types }: Found, isAtTop: boolean, form?: string): string {
  switch (section) {
    case 'file':
      return 'at the top of the file, beside forms';
    case 'form':
      if (!isAtTop) return `to the form itself; indent it as ${key === 'fields' ? 'outputs' : 'fields'}`;
      return form === undefined ? `to a form, as in forms: {contact: {${key}: …}}` : belowForm(form);
    case 'field':
      return `to a field${ofType(types)}, as in fields: [{name: …, ${key}: …}]`;
    case 'output':
      return `to an output${ofType(types)}, as in outputs: [{type: ${types[0] ?? '…'}, ${key}: …}]`;
    default:
      return `below the form's ${section}, as in ${section}: {${key}: …}`;
  }
}

export const belowForm = (form: string): string => `to a form: indent it, so that it stands below ${form}`;

/** The other types of a field, output or captcha to which its key belongs. */
export function belongsToTypes(section: Section, types: readonly string[]): string {
  if (section === 'captcha') return `to a captcha whose provider is ${either(types)}`;
  return `to ${section === 'field' ? 'a field' : 'an output'}${ofType(types)}`;
}

const ofType = (types: readonly string[]): string =>
  types.length === 0 ? '' : ` of type ${either(types.length > 4 ? [...types.slice(0, 3), 'others'] : types)}`;
