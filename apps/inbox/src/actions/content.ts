import { cleanName } from '@form-relay/base/file_names';
import { fromJson, structureIn } from '@form-relay/base/json';
import { err, ok, type Result } from '@form-relay/base/result';
import { type Files, fileInWords, type UploadedFile, type Values } from '@form-relay/base/values';
import type { Field } from '@form-relay/core/fields/field';
import type { Form } from '@form-relay/core/form';
import {
  type ArchiveDocument,
  isChangeMark,
  readDocumentPath,
} from '@form-relay/more-outputs/archive_layout';
import { isRemark } from '@form-relay/spam/score/marks';
import type { Entry } from '@form-relay/stored/archive/archive';
import { readEntry, readFile } from '@form-relay/stored/archive/read_entry';
import type { Located } from './context.ts';

export interface Content {
  readonly id: string;
  readonly receivedAt: number;
  /** The values as outputs received them: by field name, with the mark of a doubted submission. */
  readonly values: Values;
  readonly files: Files;
  readonly page: ArchiveDocument['page'] | undefined;
}

/** More files than any relay accepts. A forged document may name thousands. */
const mostFiles = 1_000;
const mostBytes = 256 * 1_048_576;

/** Reads a submission from the first place that has all of it, or returns why no place has. */
export async function readContent(places: readonly Located[], form: Form): Promise<Result<Content, string>> {
  let why = 'the submission is in no archive';
  for (const place of places) {
    if (isPart(place, form)) {
      why = "the archive has only the fields in the output's `mapping`, not the whole submission";
      continue;
    }
    if (place.entry.isSealed) {
      why = 'the document is sealed, and the server has no key for it';
      continue;
    }
    const read = await readStored(place);
    if (read.ok) return contentOf(read.value, place.entry, form);
    why = `the document cannot be read: ${read.error}`;
  }
  return err(why);
}

/** Whether an output's `mapping` selected only some fields. Dropped submissions are always stored whole. */
function isPart({ in: place, path }: Located, { outputs }: Form): boolean {
  if (place.isDropped) return false;
  const [, index] = /-(\d+)(?:-again-[\da-z]+)?$/.exec(readDocumentPath(path)?.deliveryId ?? '') ?? [];
  const mapping = outputs[Number(index)]?.mapping;
  return mapping !== undefined && mapping !== '*';
}

interface Whole {
  readonly document: ArchiveDocument;
  readonly bytes: readonly Uint8Array[];
}

async function readStored({ in: { archive }, entry }: Located): Promise<Result<Whole, string>> {
  const reading = { archive, unseal: undefined };
  const document = await readEntry(reading, entry);
  if (!document.ok) return err(`the document ${document.error}`);
  const { files } = document.value;
  if (files.length > mostFiles) return err(`the document lists ${files.length} files`);
  const bytes: Uint8Array[] = [];
  let left = mostBytes;
  for (const file of files) {
    const read = await readFile(reading, entry, file, left);
    if (!read.ok) return err(`a file ${read.error}`);
    left -= read.value.length;
    bytes.push(read.value);
  }
  return ok({ document: document.value, bytes });
}

/** Documents may be forged: the path determines the submission's id, and only fields of the form count. */
function contentOf({ document, bytes }: Whole, entry: Entry, form: Form): Result<Content, string> {
  const files = new Map<string, UploadedFile[]>();
  for (const [index, { field, name, type }] of document.files.entries()) {
    const isFileField = form.fields.some((one) => one.name === field && one.takeFiles);
    const content = bytes[index];
    if (!isFileField || !content) continue;
    const file = { name: cleanName(name), type: isMediaType.test(type) ? type : unknownType, bytes: content };
    files.set(field, [...(files.get(field) ?? []), file]);
  }
  const values = new Map(
    document.fields.flatMap(({ name, values }): (readonly [string, readonly string[]])[] => {
      const field = form.fields.find((one) => one.name === name);
      if (field?.inputs) {
        const sent = sentIn(field, values).filter(([input]) => form.outputNames.has(input));
        return [[name, values], ...sent];
      }
      return form.usedNames.has(name) || isMark(name) ? [[name, values]] : [];
    }),
  );
  for (const [field, some] of files) values.set(field, some.map(fileInWords));
  const { id, receivedAt } = entry;
  return ok({ id, receivedAt, values, files, page: document.page });
}

const isMark = (name: string) => isRemark(name) || isChangeMark(name);

/** Values in the form in which a browser submits them. Validation takes the files separately. */
export const sentValues = ({ values }: Content, { fields }: Form): Values =>
  new Map(
    [...values].flatMap(([name, stored]) => {
      const field = fields.find((one) => one.name === name);
      if (isMark(name) || field?.takeFiles) return [];
      return field?.inputs ? sentIn(field, stored) : [[name, stored] as const];
    }),
  );

/** Splits a field's value into those of its inputs. */
function sentIn({ name, inputs }: Field, [stored = '']: readonly string[]) {
  const structure = structureIn(stored) ?? {};
  const maps = inputs?.shape === 'list' ? Object.values(structure) : [structure];
  const sent = new Map<string, unknown>();
  for (const [index, one] of maps.entries()) {
    const prefix = inputs?.shape === 'list' ? `${name}.${index + 1}` : name;
    for (const [key, value] of Object.entries(one ?? {})) sent.set(`${prefix}.${key}`, value);
  }
  return (inputs?.all ?? []).flatMap((input) =>
    sent.has(input.name) ? [[input.name, fromJson(input, sent.get(input.name))] as const] : [],
  );
}

const isMediaType = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/;
const unknownType = 'application/octet-stream';
