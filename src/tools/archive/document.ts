import { err, ok, type Result } from '../../result.ts';
import type { ArchiveDocument } from '../../transports/archive/entry.ts';

/** A document as an archive has it, or in words why it is none. What is unknown in it is kept. */
export function readDocument(bytes: Uint8Array): Result<ArchiveDocument, string> {
  let document: unknown;
  try {
    document = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return err('is no JSON');
  }
  if (!isObject(document)) return err('is no document of an archive');
  const { version } = document;
  if (version !== 1) {
    return err(
      Number.isInteger(version)
        ? `is of version ${version}, which needs a newer relay`
        : 'is no document of an archive',
    );
  }
  const wrong = keys.find(([name, isRight]) => !isRight(document[name]));
  return wrong ? err(`is malformed: \`${wrong[0]}\``) : ok(document as unknown as ArchiveDocument);
}

type Check = (value: unknown) => boolean;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText: Check = (value) => typeof value === 'string';
const isListOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const has =
  (parts: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(parts).every(([name, check]) => check(value[name]));

const keys: readonly (readonly [name: string, isRight: Check])[] = [
  ['id', isText],
  ['form', isText],
  ['received_at', (value) => isText(value) && !Number.isNaN(Date.parse(value as string))],
  ['page', (value) => value === undefined || has({ url: isText, title: isText })(value)],
  ['fields', isListOf(has({ name: isText, label: isText, values: isListOf(isText) }))],
  [
    'files',
    isListOf(
      has({
        field: isText,
        name: isText,
        type: isText,
        size: (size) => Number.isInteger(size) && (size as number) >= 0,
        sha256: isText,
        path: isText,
      }),
    ),
  ],
];
