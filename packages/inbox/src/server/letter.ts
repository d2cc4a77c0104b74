import type { Form } from '@form-relay/core/form';
import { doubtNames } from '@form-relay/spam/score/marks';
import { noticedIn } from '@form-relay/spam/score/noticed';
import type { Letter } from '../api.ts';
import type { IndexedEntry } from '../entry_index.ts';
import type { Documents, StoredDocument } from './documents.ts';
import { previewOf } from './file_answer.ts';
import type { InboxOptions } from './options.ts';
import { tell } from './story.ts';

/** A submission with all that is known of it. */
export async function letterOf(
  entry: IndexedEntry,
  documents: Documents,
  form: Form | undefined,
  words: InboxOptions['words'],
): Promise<Letter> {
  const { stored: _stored, kept: _kept, journal: _journal, ...line } = entry;
  const found = await documents.read(entry);
  const document = found.ok ? found.value.document : undefined;
  const told = tell(entry, form);
  const language = form?.locale(undefined).language ?? 'en';
  return {
    ...line,
    ...told,
    language,
    fields:
      document?.fields.map(({ name, label, values, in_words }) => ({
        name,
        label,
        values: in_words ?? inWords(name, values, language),
        type: name === doubtNames.tag ? 'mark' : form?.fields.find((field) => field.name === name)?.type,
      })) ?? [],
    attached:
      document?.files.map(({ field, name, type, size }, index) => ({
        nth: index + 1,
        field,
        name,
        type,
        size,
        ...(previewOf(type) && { preview: previewOf(type) }),
      })) ?? [],
    page: document?.page && { url: document.page.url, title: document.page.title },
    dropped: droppedOf(document?.dropped) ?? told.dropped,
    words: form && document && wasLearned(told, document) ? words?.(form, document) : undefined,
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
  name === doubtNames.tag ? values.map((mark) => noticedIn(language)(mark)) : values;

/** Whether `learned` gave it points: the journal says so, or its mark. */
const wasLearned = ({ doubt }: Pick<Letter, 'doubt'>, { fields }: StoredDocument): boolean =>
  doubt?.signals.learned !== undefined ||
  fields.some(({ name, values: [mark = ''] }) => name === doubtNames.tag && /\blearned\b/.test(mark));

/** `readDocument` does not check this key. */
function droppedOf(said: unknown): Letter['dropped'] {
  if (typeof said !== 'object' || said === null) return undefined;
  const { by, reason } = said as { readonly by?: unknown; readonly reason?: unknown };
  return typeof by === 'string' && typeof reason === 'string' ? { by, reason } : undefined;
}
