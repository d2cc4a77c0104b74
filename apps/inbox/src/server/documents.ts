import { err, ok, type Result } from '@form-relay/base/result';
import type { Form } from '@form-relay/core/form';
import { type ArchiveDocument, isChangeMark } from '@form-relay/more-outputs/archive_layout';
import { markNames, noticedIn } from '@form-relay/spam/score/marks';
import { foreignFile, readEntry, readFile, type Unseal } from '@form-relay/stored/archive/read_entry';
import { type Located, locate, openForActions } from '../actions/context.ts';
import type { Delivery, MessageView } from '../api.ts';
import type { IndexedEntry, KeptAt, Sources } from '../entry_index.ts';
import type { Answer } from './answer.ts';

type Placed = Pick<IndexedEntry, 'id' | 'form' | 'stored'>;
type Changed = Pick<IndexedEntry, 'id' | 'form' | 'stored' | 'receivedAt' | 'changes'>;

interface Version extends Pick<MessageView, 'receivedAt' | 'part'> {
  readonly found: Result<ReadCopy, string>;
}

export type Documents = ReturnType<typeof createDocuments>;

interface StoredFile {
  readonly bytes: Uint8Array;
  readonly name: string;
  /** The type that the visitor's browser sent. */
  readonly type: string;
}

interface ReadCopy {
  readonly copy: Located;
  readonly document: ArchiveDocument;
}

/** Outputs of one form may write the same submission into several archives. */
const mostCopies = 8;
/** Files are held in memory while they are sent. */
const mostFileBytes = 64 * 1_048_576;

/** `unseal`: opens sealed documents. */
export function createDocuments({ archives }: Pick<Sources, 'archives'>, unseal?: Unseal) {
  const opened = archives.map(openForActions);
  /** Copies whose path matches this submission. */
  const copies = (entry: Placed) => locate(entry, { archives: opened }).slice(0, mostCopies);
  /** The most complete readable copy, or the reason why there is none. */
  const read = async (entry: Placed): Promise<Result<ReadCopy, string>> => {
    let why = 'the document no longer exists';
    let best: ReadCopy | undefined;
    for (const copy of copies(entry)) {
      const document = await readEntry({ archive: copy.in.archive, unseal }, copy.entry);
      if (!document.ok) why = copy.entry.isSealed && !unseal ? sealed : `the document ${document.error}`;
      else if (!best || sizeOf(document.value) > sizeOf(best.document))
        best = { copy, document: document.value };
    }
    return best ? ok(best) : err(why);
  };
  /** The submission, then its changes in order. */
  const versions = async (entry: Changed): Promise<readonly Version[]> => [
    { receivedAt: entry.receivedAt, found: await read(entry) },
    ...(await Promise.all(entry.changes.map(async (one) => ({ ...one, found: await read(one) })))),
  ];
  return {
    copies,
    read,
    versions,
    /** A file of the submission, counted from 1. */
    async file(entry: Changed, nth: number): Promise<Result<StoredFile, string>> {
      const all = await versions(entry);
      const files = all.flatMap(({ found }) =>
        found.ok ? found.value.document.files.map((file) => ({ file, copy: found.value.copy })) : [],
      );
      const why = all.find(({ found }) => !found.ok)?.found;
      const { file, copy } = files[nth - 1] ?? {};
      if (!file || !copy) return why && !why.ok ? why : err('this submission has no file of that name');
      const reading = { archive: copy.in.archive, unseal };
      const bytes = await readFile(reading, copy.entry, file, mostFileBytes);
      if (bytes.ok) return ok({ ...file, bytes: bytes.value });
      return err(`${bytes.error === foreignFile ? 'this' : 'the file'} ${bytes.error}`);
    },
  };
}

const sealed = 'this submission is sealed; open it with relay inbox --identity or relay archive';

const sizeOf = ({ fields, files }: ArchiveDocument) => fields.length + files.length;

const images = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** Whether the page may show a file of this type. The bytes are checked when the file is sent. */
export const isImage = (type: string): boolean => images.includes(type);

/** Serves a visitor's file so that nothing in it can run; everything but safe images is a download. */
export function fileAnswer({ bytes, name, type }: StoredFile, isSaved: boolean): Answer {
  const isShown = !isSaved && isImage(type) && imageType(bytes) === type;
  return {
    status: 200,
    headers: {
      'content-type': isShown ? type : 'application/octet-stream',
      'content-disposition': disposition(isShown ? 'inline' : 'attachment', name),
      'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'self'",
    },
    body: bytes,
  };
}

/** The image type according to the first bytes. */
function imageType(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 12)).toString('latin1');
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(start)) return 'image/gif';
  return start.startsWith('RIFF') && start.slice(8) === 'WEBP' ? 'image/webp' : undefined;
}

/** RFC 6266. File names may contain any character; headers may not. */
export function disposition(kind: 'inline' | 'attachment', name: string): string {
  const clean = name.slice(0, 200).replaceAll(/[\p{Surrogate}\0-\x1f\x7f-\x9f/\\]/gu, '_');
  const plain = clean.replaceAll(/[^\w .()+,-]/g, '_') || 'file';
  const encoded = encodeURIComponent(clean).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** A submission with all its details, and the values of its latest change. */
export async function messageOf(
  entry: IndexedEntry,
  documents: Documents,
  form: Form | undefined,
): Promise<MessageView> {
  const { stored: _stored, kept, changes, ...line } = entry;
  const versions = await documents.versions(entry);
  const documentsOf = versions.flatMap(({ found }) => (found.ok ? found.value.document : []));
  const [found] = versions.map((one) => one.found);
  const document = documentsOf.at(-1);
  const language = form?.locale(undefined).language ?? 'en';
  const fieldsIn = ({ found }: (typeof versions)[number]) =>
    fieldsOf(found.ok ? found.value.document : undefined, form, language);
  return {
    ...line,
    isSealed: line.isSealed && !found?.ok,
    deliveries: kept.flatMap((one) => waiting(one, form)),
    language,
    fields: fieldsOf(document, form, language),
    history:
      changes.length === 0
        ? []
        : versions.map((one) => ({ ...pickedOf(one), fields: fieldsIn(one) })).reverse(),
    attached: documentsOf
      .flatMap(({ files }) => files)
      .map(({ field, name, type, size }, index) => ({
        nth: index + 1,
        field,
        name,
        type,
        size,
        ...(isImage(type) && { preview: true as const }),
      })),
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
      ...[entry, ...changes].flatMap(documents.copies).map(({ in: { name }, path }) => `${name}: ${path}`),
      ...(!found || found.ok || line.isSealed || entry.stored.length === 0
        ? []
        : [`not readable: ${found.error}`]),
    ],
  };
}

const pickedOf = ({ receivedAt, part }: Version) => ({ receivedAt, part });

const fieldsOf = (
  document: ArchiveDocument | undefined,
  form: Form | undefined,
  language: string,
): MessageView['fields'] =>
  document?.fields
    .filter(({ name }) => !isChangeMark(name))
    .map(({ name, label, values, in_words }) => {
      const field = form?.fields.find((field) => field.name === name);
      return {
        name,
        label,
        values:
          in_words ??
          (form && field?.offered
            ? field.words(values, form.locale(undefined))
            : inWords(name, values, language)),
        type: name === markNames.tag ? 'mark' : field?.type,
      };
    }) ?? [];

/** Shows the mark of a doubted submission in the words that mails use. */
const inWords = (name: string, values: readonly string[], language: string): readonly string[] =>
  name === markNames.tag ? values.map((mark) => noticedIn(mark, language)) : values;

function waiting({ store: _, id, ...about }: KeptAt, form: Form | undefined): readonly Delivery[] {
  const output = Number(/-(\d+)$/.exec(id)?.[1]);
  if (!Number.isSafeInteger(output)) return [];
  const now = form?.outputs[output];
  return [{ output, type: now?.type ?? 'unknown', target: now?.transport?.target, ...about }];
}
