import { createHash } from 'node:crypto';
import type { Files, SentFile, UploadedFile } from '../../base/files.ts';
import { type Values, withoutEmpty } from '../../base/values.ts';
import { labelOf } from '../../fields/field.ts';
import { cleanName, distinctName } from '../../fields/files/clean_name.ts';
import type { Form } from '../../form.ts';
import type { ArchivedField } from '../../transports/archive/archive_entry.ts';

/**
 * All that was sent for the form's fields, and under names that its outputs read. No `mapping` chooses among them, since a
 * person may restore the submission to every output.
 */
export function fieldsOf(form: Form, values: Values): readonly ArchivedField[] {
  const declared = form.fields.filter(({ takeFiles }) => !takeFiles);
  const names = new Set([...form.fields, ...form.inputs].map(({ name }) => name));
  const others = [...values.keys()].filter((name) => isUsed(form, name) && !names.has(name));
  return [
    ...declared.map((field) => ({ name: field.name, label: labelOf(field), parts: field.parts })),
    ...others.map((name) => ({ name, label: name, parts: undefined })),
  ].map(({ parts, ...one }) => {
    const value = parts?.gather(values);
    return value
      ? { ...one, values: [JSON.stringify(value)], in_words: parts?.words(value) }
      : { ...one, values: withoutEmpty(values.get(one.name) ?? []) };
  });
}

/** Files as validation would take them; others under a safe name. */
export function acceptedFiles({ fields }: Form, files: Files<SentFile>) {
  const names = new Set<string>();
  return fields.flatMap(({ name: field, takeFiles }) => {
    const sent = files.get(field);
    if (!sent || !takeFiles) return [];
    const taken = takeFiles(sent, names);
    const all = taken.ok ? taken.value : sent.map((file) => unjudged(file, names));
    return all.map((file) => ({ field, file }));
  });
}

const unjudged = ({ name, bytes }: SentFile, names: Set<string>): UploadedFile => ({
  name: distinctName(cleanName(name), names),
  type: 'application/octet-stream',
  bytes,
});

/** The same for the same content, whatever tokens and solutions come with it. */
export function contentHash(form: Form, values: Values, files: Files<SentFile>): string {
  const texts = [...values].filter(([name]) => isUsed(form, name)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const sizes = [...files].map(([field, some]) => [
    field,
    some.map(({ name, bytes }) => [name, bytes.length]),
  ]);
  return createHash('sha256')
    .update(JSON.stringify([form.id, texts, sizes]))
    .digest('base64url');
}

/** In bytes, about. */
export function sizeOf(values: Values, files: Files<SentFile>): number {
  let size = 500;
  for (const [name, some] of values) for (const value of some) size += name.length + value.length;
  for (const some of files.values()) for (const { bytes } of some) size += bytes.length;
  return size;
}

const isUsed = ({ usedNames, checkNames }: Form, name: string) =>
  usedNames.has(name) && !checkNames.has(name);
