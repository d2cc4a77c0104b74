/** Archives to read, written without the relay's outputs. */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Encrypter } from 'age-encryption';
import {
  type ArchiveDocument,
  documentName,
  fileName,
  folderOf,
  stemOf,
} from '../../more-outputs/src/archive_layout.ts';

export interface Written {
  readonly form?: string;
  readonly id: string;
  /** The index of the output that wrote it. Default: 0. */
  readonly output?: number;
  /** A time as in RFC 3339. */
  readonly at: string;
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** Default type: `text/plain`. */
  readonly files?: readonly (readonly [
    field: string,
    name: string,
    content: string | Uint8Array,
    type?: string,
  ])[];
  /** Other keys of the document, such as `dropped`. */
  readonly more?: Partial<ArchiveDocument>;
  /** Public keys to seal the entry to. */
  readonly sealTo?: readonly string[];
}

/** The files of an entry, by their paths. */
export async function entryFiles({
  form = 'contact',
  id,
  output = 0,
  at,
  values = {},
  files = [],
  more = {},
  sealTo = [],
}: Written) {
  const place = { form, receivedAt: Date.parse(at), deliveryId: `${id}-${output}` };
  const [folder, stem, isSealed] = [folderOf(place), stemOf(place), sealTo.length > 0];
  const end = isSealed ? '.age' : '';
  const document: ArchiveDocument = {
    version: 1,
    id,
    form,
    received_at: at,
    fields: Object.entries(values).map(([name, values]) => ({ name, label: name, values })),
    files: files.map(([field, name, content, type = 'text/plain'], index) => ({
      field,
      name,
      type,
      size: Buffer.byteLength(content),
      sha256: createHash('sha256').update(content).digest('hex'),
      path: isSealed ? `${stem}/${index + 1}.age` : fileName(stem, index + 1, name),
    })),
    ...more,
  };
  const inClear = new Map([
    ...document.files.map(({ path }, index) => [`${folder}/${path}`, files[index]?.[2] ?? ''] as const),
    [`${folder}/${documentName(stem)}${end}`, JSON.stringify(document)] as const,
  ]);
  const sealed = [...inClear].map(async ([path, content]) => [path, await seal(content, sealTo)] as const);
  return new Map(await Promise.all(sealed));
}

async function seal(content: string | Uint8Array, recipients: readonly string[]): Promise<Buffer> {
  if (recipients.length === 0) return Buffer.from(content);
  const age = new Encrypter();
  for (const recipient of recipients) age.addRecipient(recipient);
  return Buffer.from(await age.encrypt(content));
}

export async function writeEntry(root: string, written: Written): Promise<void> {
  for (const [path, bytes] of await entryFiles(written)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), bytes);
  }
}
