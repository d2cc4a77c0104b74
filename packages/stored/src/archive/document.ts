import { err, ok, type Result } from '@form-relay/base/result';
import type { ArchiveDocument } from '@form-relay/more-outputs/archive_layout';

/** A document as an archive has it, or in words why it is none. Keeps keys that it does not know. */
export function readDocument(bytes: Uint8Array): Result<ArchiveDocument, string> {
  let document: ArchiveDocument;
  try {
    document = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return err('is no JSON');
  }
  const raw: unknown = document;
  if (!isObject(raw)) return err('is not a document of an archive');
  const { version } = raw;
  if (version !== 1) {
    return err(
      Number.isInteger(version)
        ? `has version ${version}, which needs a newer relay`
        : 'is not a document of an archive',
    );
  }
  const wrong = keys.find(([name, isRight]) => !isRight(raw[name]));
  return wrong ? err(`is malformed: \`${wrong[0]}\``) : ok(document);
}

/** A document as JSON that moves no cursor and turns no text round, or in words why there is none. */
export function writeDocument(document: object, indent?: number): Result<string, string> {
  try {
    return ok(JSON.stringify(document, undefined, indent).replaceAll(restless, escaped));
  } catch (error) {
    // Unknown keys may nest deeper than JSON.stringify can write.
    if (!(error instanceof RangeError)) throw error;
    return err('is nested too deeply');
  }
}

/** Controls that JSON lets stand, marks of direction, and line breaks of Unicode's own. */
const restless = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

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

const isOptional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const isNumber: Check = (value) => typeof value === 'number';

const keys: readonly (readonly [name: string, isRight: Check])[] = [
  ['id', isText],
  ['form', isText],
  ['received_at', (value) => isText(value) && !Number.isNaN(Date.parse(value as string))],
  ['page', isOptional(has({ url: isText, title: isText }))],
  ['dropped', isOptional(has({ by: isText, reason: isText }))],
  [
    'doubt',
    isOptional(
      has({
        score: isNumber,
        action: isOptional(isText),
        signals: (all) => isObject(all) && Object.values(all).every(isNumber),
      }),
    ),
  ],
  [
    'fields',
    isListOf(
      has({
        name: isText,
        label: isText,
        values: isListOf(isText),
        in_words: isOptional(isListOf(isText)),
      }),
    ),
  ],
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
