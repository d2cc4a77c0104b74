/** The fields that a config declares, as far as other parts of it speak about them. Pure. */
import type { Json, Path } from '../edit/model.ts';
import { isMap, listOf, valueAt } from './schema_nodes.ts';

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  /** As in HTML, such as `given-name`. */
  readonly autocomplete: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

/** The fields of the form `path` is in; none outside a form. */
export const fieldsIn = (path: Path, config: Json | undefined): readonly Field[] =>
  path[0] === 'forms' ? listOf(valueAt([...path.slice(0, 2), 'fields'], config)).flatMap(fieldOf) : [];

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
