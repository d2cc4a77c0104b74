/** A simple program that fills in forms, and knows nothing of the relay but JSON Schema and `x-field`. */
import { Ajv2020 } from 'ajv/dist/2020.js';

export interface Schema {
  readonly title?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly readOnly?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly allOf?: readonly {
    readonly if?: object;
    readonly then?: { readonly required: readonly string[] };
  }[];
  readonly 'x-field'?: { readonly type: string; readonly accept?: readonly string[] };
  readonly 'x-form'?: Readonly<Record<string, unknown>> & {
    readonly submit: string;
    readonly token?: { readonly name: string; readonly value: string };
  };
  readonly 'x-texts'?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const isDay = (text: string) => new Date(`${text}T00:00Z`).toJSON()?.startsWith(text) ?? false;

export const ajv = new Ajv2020({
  ...{ allErrors: true, strictTypes: false },
  formats: { email: /^\S+@\S+$/, uri: (text: string) => URL.canParse(text), date: isDay },
}).addVocabulary(['x-field', 'x-form', 'x-texts']);

export type Pick = (most: number) => number;
export type Values = Readonly<Record<string, unknown>>;

const files: readonly (readonly [name: string, content: string, type: string])[] = [
  ['letter.pdf', '%PDF-1.4\n', 'application/pdf'],
  ['note.txt', 'Hello.\n', 'text/plain'],
  ['dot.png', '\x89PNG\r\n\x1a\n', 'image/png'],
];

function fileFor(accept: readonly string[] = []): File {
  const [name = '', content = '', type] =
    files.find(([name, , type]) => accept.some((one) => name.endsWith(one) || one === type)) ?? [];
  return new File([Uint8Array.from(content, (one) => one.charCodeAt(0))], name, { type });
}

const texts: Readonly<Record<string, string>> = {
  email: 'ada@example.org',
  uri: 'https://example.org/engines',
  date: '2031-04-05',
};

function valueFor(schema: Schema, pick: Pick): unknown {
  const {
    type,
    oneOf,
    format,
    minLength = 0,
    minimum = 0,
    multipleOf = 1,
    items = {},
    minItems = 1,
  } = schema;
  const { accept, type: kind } = schema['x-field'] ?? {};
  if ('const' in schema) return schema.const;
  if (oneOf) return oneOf[pick(oneOf.length)]?.const;
  if (kind === 'file') return [fileFor(accept)];
  if (kind === 'time') return '10:30';
  if (kind === 'datetime') return '2031-04-05T10:30';
  if (type === 'object') return fill(schema, pick);
  if (type === 'integer' || type === 'number') return minimum + multipleOf * pick(3);
  if (type === 'string') return (texts[format ?? ''] ?? 'Analytical engines').padEnd(minLength, '.');
  const choices = items.oneOf ?? [];
  if (choices.length === 0) return Array.from({ length: minItems }, () => valueFor(items, pick));
  const first = pick(choices.length - minItems + 1);
  return choices.slice(first, first + minItems).map((one) => one.const);
}

/** Values for all required fields, and for some of the others. */
export function fill(schema: Schema, pick: Pick): Values {
  const { properties = {}, required = [], allOf = [] } = schema;
  const values: Record<string, unknown> = {};
  const add = (name: string) => {
    values[name] ??= valueFor(properties[name] ?? {}, pick);
  };
  for (const name of required) add(name);
  for (const [name, { readOnly }] of Object.entries(properties)) if (!readOnly && pick(2) === 1) add(name);
  // Fields that are required for one value may require more fields.
  for (const _ of allOf)
    for (const { if: condition, then } of allOf)
      if (condition && ajv.validate(condition, values)) then?.required.forEach(add);
  return values;
}

/** The body of a form submission. */
export function bodyOf(values: Values, schema: Schema): FormData | URLSearchParams {
  const data = new FormData();
  for (const [name, value] of Object.entries(values))
    for (const one of [value].flat()) data.append(name, one instanceof File ? one : String(one));
  const { token } = schema['x-form'] ?? {};
  if (token) data.append(token.name, token.value);
  const hasFiles = [...data.values()].some((one) => one instanceof File);
  return hasFiles ? data : new URLSearchParams(data as unknown as Record<string, string>);
}
