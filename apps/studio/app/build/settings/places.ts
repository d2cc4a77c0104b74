/** Places in the config: their values, their fields, and what the relay says of them. */
import type { Json, Path } from '../../../edit/index.ts';
import type { ProblemState } from '../../../src/state.ts';
import type { SchemaNode } from '../../schema.ts';
import { isMap, valueAt } from '../../schema_nodes.ts';
import { config, state } from '../../store.ts';

export const held = (path: Path): Json | undefined => valueAt(path, config.value.value);

/** As the relay writes a path in its messages (`formatPath` of packages/yaml/src/problem.ts). */
export const pathText = (path: Path): string =>
  path
    .map((segment, index) => {
      if (typeof segment === 'number') return `[${segment}]`;
      if (!/^[\p{L}\p{N}_-]+$/u.test(segment)) return `[${JSON.stringify(segment)}]`;
      return index === 0 ? segment : `.${segment}`;
    })
    .join('');

export const problemsAt = (path: Path): readonly ProblemState[] => {
  const text = pathText(path);
  return state.value?.problems.filter((problem) => problem.path === text) ?? [];
};

/** At the path or below it. */
export const problemsWithin = (path: Path): readonly ProblemState[] => {
  const text = pathText(path);
  return (
    state.value?.problems.filter(
      (problem) => problem.path.startsWith(text) && /^($|\.|\[)/.test(problem.path.slice(text.length)),
    ) ?? []
  );
};

/** A field of a form, as far as other settings speak about it. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  /** As in HTML, such as `given-name`. */
  readonly autocomplete: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

/** A field among others. */
export const inWords = ({ name, label }: Pick<Field, 'name' | 'label'>): string =>
  label === name ? name : `${label} (${name})`;

/** The declared fields of the form `path` is in; none outside a form. */
export const fieldsOf = (path: Path): readonly Field[] => {
  const fields = path[0] === 'forms' ? held([...path.slice(0, 2), 'fields']) : undefined;
  return Array.isArray(fields) ? fields.flatMap((field: Json) => fieldOf(field)) : [];
};

export function fieldOf(field: Json): readonly Field[] {
  if (!isMap(field)) return [];
  const { name, label, type, options, autocomplete } = field;
  if (typeof name !== 'string' && typeof name !== 'number') return [];
  return [
    {
      name: String(name),
      label: textOf(label) ?? words(String(name)),
      type: typeof type === 'string' ? type : 'text',
      autocomplete: typeof autocomplete === 'string' ? autocomplete : '',
      options: Array.isArray(options) ? options.flatMap((option: Json) => optionOf(option)) : [],
    },
  ];
}

function optionOf(option: Json) {
  if (!isMap(option)) return [{ value: String(option), label: String(option) }];
  const { value, label } = option;
  return isScalar(value) ? [{ value: String(value), label: textOf(label) ?? String(value) }] : [];
}

/** A text, or the first of its languages. */
export const textOf = (value: Json | undefined): string | undefined => {
  const one = isMap(value) ? Object.values(value)[0] : value;
  return isScalar(one) ? String(one) : undefined;
};

export const isScalar = (value: Json | undefined): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

const spelled: Readonly<Record<string, string>> = {
  api: 'API',
  dkim: 'DKIM',
  html: 'HTML',
  http: 'HTTP',
  id: 'ID',
  json: 'JSON',
  oauth2: 'OAuth 2',
  pdf: 'PDF',
  smtp: 'SMTP',
  tls: 'TLS',
  ttl: 'TTL',
  url: 'URL',
};

/** A key in words: `reply_to` is `Reply to`, `url_env` is `URL env`. */
export const words = (name: string): string => {
  const text = name
    .split(/[_\s]+/)
    .map((word) => spelled[word] ?? word)
    .join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** The path to remove so that no empty map stays; items of lists, forms and what is above them stay. */
export function emptiest(path: Path): Path {
  const parent = path.slice(0, -1);
  const isKept = typeof path.at(-1) === 'number' || typeof parent.at(-1) === 'number' || parent.length < 1;
  const isForm = parent[0] === 'forms' && parent.length <= 2;
  const value = held(parent);
  const isAlone = isMap(value) && Object.keys(value).length === 1;
  return !isKept && !isForm && isAlone ? emptiest(parent) : path;
}

/** Of settings of a form whose way of writing nobody could guess. */
const examples: Readonly<Record<string, string>> = {
  opens: '2030-12-01 09:00',
  closes: '2030-12-24',
  time_zone: 'Europe/Berlin',
  places: '40',
};
export const exampleAt = (path: Path): string | undefined =>
  path.length === 3 ? examples[String(path[2])] : undefined;

export const isFlat = (value: Json | undefined) =>
  value === undefined ||
  value === null ||
  isScalar(value) ||
  (Array.isArray(value) && value.every((one) => isScalar(one)));

export const holdsTemplates = ({ additionalProperties: below }: SchemaNode) =>
  typeof below === 'object' && below.title === 'template';

export const typesOf = (node: SchemaNode): readonly string[] => [
  ...[node.type ?? []].flat(),
  ...(node.anyOf ?? []).flatMap(typesOf),
];

/** Lists of maps are not made by adding lines. */
export const holdsTexts = (node: SchemaNode): boolean =>
  (node.anyOf ?? []).some(holdsTexts) ||
  ([node.type ?? []].flat().includes('array') && node.items?.properties === undefined);
