/** The contents of archived submissions, shared by all outputs that archive. */

import { withoutEmpty } from '@form-relay/base/values';
import { labelOf } from '@form-relay/core/fields/label';
import type { Call, Common, Delivery, OutputContext, OutputForm, Rejection } from '@form-relay/core/index';
import { planPayload } from '@form-relay/core/outputs/delivery';
import { isMap } from '@form-relay/schema/schema';
import { type ArchivedField, type Entry, pdfName } from './archive_layout.ts';
import type { ArchiveObject } from './store_entry.ts';

/** Stores an object of an archive completely, or not at all. Rejects with a `ClientError`. */
export type PutObject = (object: ArchiveObject, timeoutMs: number) => Promise<void>;

/** Makes an output archive submissions. Runs `openArchive` with the first entry, not before, to keep cold starts short. */
export function archiving(
  output: Pick<Common, 'mapping' | 'static'>,
  { services, form, encoding }: OutputContext,
  openArchive: () => Promise<PutObject>,
) {
  const entryOf = entriesOf(output, form);
  const { mapping } = output;
  const store = async (entry: Entry, timeoutMs: number) => {
    const [{ storeEntry }, put] = await Promise.all([import('./store_entry.ts'), openArchive()]);
    await storeEntry(entry, timeoutMs, services, put, encoding);
    return undefined;
  };
  return {
    takesFile: (field: string) => !(mapping instanceof Map) || [...mapping.values()].includes(field),
    send: (delivery: Delivery, { timeoutMs }: Call) => store(entryOf(delivery), timeoutMs),
    rejected: {
      store: (delivery: Delivery, rejection: Rejection, timeoutMs: number) =>
        store(entryOf(delivery, rejection), timeoutMs),
    },
  };
}

/** The entry that an output archives for each submission. */
function entriesOf(
  output: Pick<Common, 'mapping' | 'static'>,
  { fields: declared, locale }: OutputForm,
): (delivery: Delivery, rejection?: Rejection) => Entry {
  const plan = planPayload(
    output,
    declared.map(({ name }) => name),
  );
  const isChosen = output.mapping !== undefined && output.mapping !== '*';
  const kept = isChosen ? plan : inFormsOrder(plan, declared);
  const fieldOf = new Map(declared.map((field) => [field.name, field]));
  return (delivery, rejection) => {
    const { requestId, formId, receivedAt, values, files: sent, remarks = [], templateContext } = delivery;
    const { page } = templateContext;
    const fields: ArchivedField[] = [];
    const files: Entry['files'][number][] = [];
    // A person may later restore a rejected submission to every output, so store all fields, whatever `mapping` says.
    const plan = rejection ? allOf(declared, values) : kept;
    for (const { key, fieldName, fixed } of plan) {
      const field = fieldName === undefined ? undefined : fieldOf.get(fieldName);
      const text = fixed?.render(templateContext) ?? '';
      if (text !== '') {
        fields.push({ name: key, label: key, values: [text] });
      } else if (field?.takeFiles) {
        for (const file of sent.get(field.name) ?? []) files.push({ field: key, file });
      } else if (fieldName !== undefined) {
        const label = field ? labelOf(field, locale) : key;
        const stored = withoutEmpty(values.get(fieldName) ?? []);
        const structure = field?.json(stored);
        const isStructure = isMap(structure) || (Array.isArray(structure) && structure.some(isMap));
        fields.push({
          name: key,
          label,
          values: stored,
          ...(field && isStructure && { in_words: field.words(stored, locale) }),
        });
      }
    }
    for (const [name, values] of rejection ? [] : (delivery.undeclared ?? []))
      if (!fields.some((one) => one.name === name)) fields.push({ name, label: name, values });
    for (const { name, label, value } of remarks)
      if (!fields.some((one) => one.name === name)) fields.push({ name, label, values: [value] });
    for (const file of sent.get(pdfName) ?? []) files.push({ field: pdfName, file });
    return {
      id: requestId,
      deliveryId: delivery.id,
      form: formId,
      receivedAt,
      page: page && { url: page.url, title: page.title },
      fields,
      files,
      ...(rejection && {
        dropped: { by: rejection.by, reason: rejection.reason },
        ...rejection.more,
      }),
    };
  };
}

const allOf = (declared: OutputForm['fields'], values: Delivery['values']): Plan =>
  [...new Set([...declared.map(({ name }) => name), ...values.keys()])].map((name) => ({
    key: name,
    fieldName: name,
    fixed: undefined,
  }));

type Plan = ReturnType<typeof planPayload>;

/** Lists every field under its own name, in the order of the form; a static value replaces a field of its name, or follows. */
function inFormsOrder(plan: Plan, fields: OutputForm['fields']): Plan {
  const fixed = new Map(plan.map((one) => [one.key, one.fixed]));
  const names = new Set(fields.map(({ name }) => name));
  return [
    ...fields.map(({ name }) => ({ key: name, fieldName: name, fixed: fixed.get(name) })),
    ...plan.filter(({ key }) => !names.has(key)),
  ];
}
