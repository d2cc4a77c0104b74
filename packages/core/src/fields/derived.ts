/** Fields that the relay computes from other fields, in an order in which each follows the fields that it reads. */
import { decidersOf } from '@form-relay/base/condition';
import {
  type Files,
  type SentFile,
  type Values,
  withNamesOfFiles,
  withoutEmpty,
} from '@form-relay/base/values';
import { visibleFields } from '@form-relay/schema/condition';
import type { Diagnostics } from '@form-relay/schema/diagnostics';
import type { Field } from './field.ts';

/** How a form derives the values of a field. */
export interface Derivation {
  /** The fields that it reads. The relay reports circular references. */
  readonly reads: readonly string[];
  /** The field's key that names them, for reports. */
  readonly key: string;
  /**
   * Computes the values. `read` returns a field's normalized non-empty values, or `undefined` while the
   * field is hidden. A repeated field has its JSON. An empty text means that no result can be computed:
   * outputs omit the field, `words` tells people why, and the log has `result_left_out`.
   */
  values(read: (field: string) => readonly string[] | undefined): readonly string[];
}

export interface Derived extends Derivation {
  readonly field: Field;
}

const none: readonly Derived[] = [];

/** The derived fields of a form. A field that others read comes before them. */
export function derivedIn(
  fields: readonly Field[],
  placeOf: (field: Field) => Diagnostics,
): readonly Derived[] {
  if (!fields.some(({ derive }) => derive)) return none;
  const found = new Map(
    fields.flatMap((field): [string, Derived][] => {
      const derivation = field.derive?.(fields, placeOf(field));
      return derivation ? [[field.name, { ...derivation, field }]] : [];
    }),
  );
  const conditions = new Map(fields.map(({ name, visible_when }) => [name, visible_when]));
  const ordered = new Set<Derived>();
  const known = new Set<string>();
  /** Follows the fields that a value or a field's visibility depends on. Hidden fields count as empty. */
  const follow = (kind: 'value' | 'view', name: string, path: readonly string[]): void => {
    const step = `${kind} ${name}`;
    const derived = kind === 'value' ? found.get(name) : undefined;
    if (path.includes(step)) {
      const circle = path.slice(path.indexOf(step)).map((one) => one.slice(one.indexOf(' ') + 1));
      for (const one of new Set(circle.flatMap((member) => found.get(member) ?? [])))
        placeOf(one.field).in(one.key).error(circular(one.field.name, circle));
    }
    if (known.has(step)) return;
    known.add(step);
    const when = kind === 'view' ? conditions.get(name) : undefined;
    for (const one of derived?.reads ?? (when ? decidersOf(when) : [])) {
      follow('value', one, [...path, step]);
      follow('view', one, [...path, step]);
    }
    if (derived) ordered.add(derived);
  };
  for (const name of found.keys()) follow('value', name, []);
  return [...ordered];
}

function circular(name: string, circle: readonly string[]): string {
  const others = [...new Set(circle)].filter((one) => one !== name).map((one) => `"${one}"`);
  return `"${name}" depends on itself${others.length > 0 ? ` through ${others.join(' and ')}` : ''}`;
}

export interface DerivingForm {
  readonly fields: readonly Field[];
  readonly derived: readonly Derived[];
}

/** A field, and the fields that its values are derived from. */
export const sourcesOf = (name: string, form: Pick<DerivingForm, 'derived'>): readonly string[] => [
  name,
  ...form.derived
    .filter(({ field }) => field.name === name)
    .flatMap(({ reads }) => reads.flatMap((one) => sourcesOf(one, form))),
];

/** The values, with those that the form derives. Submitted values of derived fields are dropped. */
export function withDerived(
  sent: Values,
  { fields, derived }: DerivingForm,
  files: Files<SentFile> = noFiles,
): Values {
  if (derived.length === 0) return sent;
  const values = new Map(sent);
  for (const { field } of derived) values.delete(field.name);
  for (const one of derived) {
    const inView = visibleFields(fields, withNamesOfFiles(values, files));
    const results = one.values((name) => {
      const field = inView.find((other) => other.name === name);
      return field?.inputs ? gathered(field, values) : field && withoutEmpty(values.get(name) ?? []);
    });
    if (results.length > 0) values.set(one.field.name, results);
  }
  return values;
}

const noFiles: Files<SentFile> = new Map();

/** The value of a field that has inputs. */
export function gathered({ inputs }: Field, values: Values): readonly string[] {
  const value = inputs?.gather(values);
  return value ? [JSON.stringify(value)] : [];
}
