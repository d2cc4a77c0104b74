import type { Form } from '@form-relay/core/form';
import { markNames } from '@form-relay/spam/score/marks';
import { noticedIn } from '@form-relay/spam/score/noticed';
import type { Delivery, MessageView } from '../api.ts';
import type { IndexedEntry, KeptAt } from '../entry_index.ts';
import type { Documents } from './documents.ts';
import { isImage } from './documents.ts';

/** A submission with all that is known of it. */
export async function messageOf(
  entry: IndexedEntry,
  documents: Documents,
  form: Form | undefined,
): Promise<MessageView> {
  const { stored: _stored, kept, ...line } = entry;
  const found = await documents.read(entry);
  const document = found.ok ? found.value.document : undefined;
  const language = form?.locale(undefined).language ?? 'en';
  return {
    ...line,
    deliveries: kept.flatMap((one) => waiting(one, form)),
    language,
    fields:
      document?.fields.map(({ name, label, values, in_words }) => ({
        name,
        label,
        values: in_words ?? inWords(name, values, language),
        type: name === markNames.tag ? 'mark' : form?.fields.find((field) => field.name === name)?.type,
      })) ?? [],
    attached:
      document?.files.map(({ field, name, type, size }, index) => ({
        nth: index + 1,
        field,
        name,
        type,
        size,
        ...(isImage(type) && { preview: true as const }),
      })) ?? [],
    page: document?.page && { url: document.page.url, title: document.page.title },
    dropped: document?.dropped && { by: document.dropped.by, reason: document.dropped.reason },
    isFormKnown: form !== undefined,
    outputs:
      form?.outputs.map(({ type, transport }, index) => ({
        index,
        type,
        target: transport?.target ?? type,
      })) ?? [],
    places: [
      ...documents.copies(entry).map(({ in: { name }, path }) => `${name}: ${path}`),
      ...(found.ok || line.isSealed || entry.stored.length === 0 ? [] : [`not readable: ${found.error}`]),
    ],
  };
}

/** Puts the mark of a doubted submission into the words that mails use. */
const inWords = (name: string, values: readonly string[], language: string): readonly string[] =>
  name === markNames.tag ? values.map((mark) => noticedIn(mark, language)) : values;

function waiting({ store: _, id, ...about }: KeptAt, form: Form | undefined): readonly Delivery[] {
  const output = Number(/-(\d+)$/.exec(id)?.[1]);
  if (!Number.isSafeInteger(output)) return [];
  const now = form?.outputs[output];
  return [{ output, type: now?.type ?? 'unknown', target: now?.transport?.target, ...about }];
}
