import type { SentFile, UploadedFile } from '../base/files.ts';
import { attributes, type Html, html } from '../base/html.ts';
import { defaultUploadBytes } from '../base/http.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Message, MessageCode, OneOf } from '../messages/message.ts';
import { type Finding, finding } from '../schema/finding.ts';
import { optional, withDefault } from '../schema/keys.ts';
import { flag, isWrittenTrue, number } from '../schema/kinds.ts';
import { parseSize, size } from '../schema/size.ts';
import type { ControlState, Field } from './field.ts';
import { fieldType, type Written } from './field_type.ts';
import { acceptEntries, type Entry, takes } from './files/accept.ts';
import { cleanName, distinctName, endingOf, withEnding } from './files/clean_name.ts';
import { type Kind, kindsCalled, kindsEnding } from './files/file_kinds.ts';
import { fileWords } from './files/file_words.ts';
import { kindsOf } from './files/sniff.ts';
import { controlAttributes } from './text_like.ts';

const defaultMaxFiles = 10;
const defaultMaxSize = '5MB';

export const file = fieldType({
  type: 'file',
  summary:
    'One or several files. What a file is, its first bytes say; its name and its declared type have to agree (docs/files.md).',
  missing: { code: 'missing_file' },
  keys: {
    accept: optional(
      'What is taken: `pdf`, `image`, `office`, `text`, `audio`, `video`, `archive`; single kinds such as `docx` and `png`; media types such as `image/png`; endings such as `.dwg`. ' +
        'Without it everything but what can do harm: web pages, SVG, scripts, programs, shortcuts, archives and documents with macros are taken only where they are named.',
      acceptEntries(),
    ),
    max_size: withDefault(defaultMaxSize, 'How large each file may be.', size()),
    multiple: withDefault('false', 'Whether several files may be chosen.', flag()),
    max_files: optional(
      `How many files may be chosen, where \`multiple\` is set: ${defaultMaxFiles}, unless said otherwise.`,
      number({ least: 1, most: 100, whole: true }),
    ),
  },
  problems: ({ value, placeholder }) =>
    Object.entries({ value, placeholder }).flatMap(([key, given]) =>
      given === undefined ? [] : [{ ...finding('key_of_no_file', [key], { key }), aboutKey: true }],
    ),
  warnings: ({ multiple, max_files }) =>
    max_files !== undefined && !multiple ? [finding('max_files_of_one', ['max_files'])] : [],
  inForm: problemsInForm,
  hint: (field) => {
    const { accept, max_size } = field;
    const max = mostFiles(field);
    const params = { size: { bytes: max_size }, max, kinds: accept && inWords(accept) };
    const isOne = max === 1;
    if (accept) return { code: isOne ? 'file_hint_kinds' : 'file_hint_several_kinds', params };
    return { code: isOne ? 'file_hint' : 'file_hint_several', params };
  },
  mostBytes: (field) => mostFiles(field) * field.max_size,
  within: ({ max_size }, bytes) => ({ max_size: Math.min(max_size, bytes) }),
  takesSeveral: ({ multiple }) => multiple,
  inWords: (stored, _, { say }) => fileWords(stored, say),
  // A value in text form is only a name: the form was not sent as multipart/form-data.
  checkValue: () => ({ code: 'file_not_sent' }),
  takeFiles: (field, sent, names) => {
    const { accept, max_size } = field;
    const max = mostFiles(field);
    if (sent.length > max) return err({ code: 'too_many_files', params: { max } });
    const taken = [];
    for (const [at, one] of sent.entries()) {
      const wrong = (code: Message['code'], more?: Message['params']) =>
        err({ code, params: { name: cleanName(one.name), ...more }, at });
      if (one.bytes.length === 0) return wrong('file_empty');
      if (one.bytes.length > max_size) return wrong('file_too_large', { size: { bytes: max_size } });
      const file = takeFile(one, accept);
      if (!file.ok) {
        return wrong(
          file.error,
          file.error === 'file_not_accepted' ? { kinds: inWords(accept ?? []) } : undefined,
        );
      }
      taken.push({ ...file.value, name: distinctName(file.value.name, names) });
    }
    return ok(taken);
  },
  control: (field, state) =>
    fileControl(field, state, {
      bytes: field.max_size,
      files: mostFiles(field),
      accept: field.accept?.flatMap(({ attribute }) => attribute).join(),
      kinds: inWords(field.accept ?? []),
    }),
});

const mostFiles = ({
  multiple,
  max_files = defaultMaxFiles,
}: {
  multiple: boolean;
  max_files?: number | undefined;
}) => (multiple ? max_files : 1);

const inWords = (accept: readonly Entry[]) => ({ oneOf: accept.map(({ words }) => words) });

/** Finds keys that browsers ignore, limits that exceed the body's, and links that would have to hold files. */
function problemsInForm(form: Written, index: number, fields: readonly Written[]): readonly Finding[] {
  const { from_query, max_size } = fields[index] ?? {};
  const findings: Finding[] = [];
  const about = (path: Finding['path'], one: Finding) => findings.push({ ...one, path, aboutKey: true });
  if (isWrittenTrue(from_query)) {
    about(['fields', index, 'from_query'], finding('key_of_no_file', [], { key: 'from_query' }));
  }
  const sizes = [max_size ?? defaultMaxSize, form.max_body ?? `${defaultUploadBytes}B`].map((written) =>
    typeof written === 'string' ? parseSize(written) : undefined,
  );
  const [each, all] = sizes.map((size) => (size?.ok ? size.value : undefined));
  if (each !== undefined && all !== undefined && each > all) {
    const path = max_size === undefined ? ['max_body'] : ['fields', index, 'max_size'];
    findings.push(finding('file_over_body', path, { each, all }));
  }
  const isFirst = fields.findIndex(({ type }) => type === 'file') === index;
  if (form.double_opt_in !== undefined && isFirst)
    about(['double_opt_in'], finding('double_opt_in_of_files', []));
  return findings;
}

interface Limits {
  readonly bytes: number;
  readonly files: number;
  /** As an attribute and in words. */
  readonly accept: string | undefined;
  readonly kinds: OneOf;
}

/**
 * The control carries its error texts, so that a script can validate chosen files (packages/element): `{name}` is the
 * file's name.
 */
export function fileControl(field: Pick<Field, 'name'>, state: ControlState, limits: Limits): Html {
  const say = (code: Message['code'], params?: Message['params']) =>
    state.say({ code, params: { name: '{name}', ...params } });
  return html`<input${attributes({
    type: 'file',
    ...controlAttributes(field, state, 'input'),
    autocomplete: undefined,
    multiple: limits.files > 1,
    accept: limits.accept,
    'data-max-size': limits.bytes,
    'data-too-large': say('file_too_large', { size: { bytes: limits.bytes } }),
    'data-max-files': limits.files,
    'data-too-many': say('too_many_files', { max: limits.files }),
    'data-empty': say('file_empty'),
    'data-not-accepted': limits.accept && say('file_not_accepted', { kinds: limits.kinds }),
  })}>`;
}

type Refused = Extract<MessageCode, 'file_refused' | 'file_is_another' | 'file_not_accepted'>;

/**
 * Accepts a file as the type that its first bytes indicate. Its name and declared type must agree, if they mean
 * anything. Without `accept`, all types are accepted except harmful ones.
 */
export function takeFile(
  sent: SentFile,
  accept: readonly Entry[] | undefined,
): Result<UploadedFile, Refused> {
  const declared = sent.type.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const possible = kindsOf(sent.bytes);
  const name = cleanName(sent.name, possible[0]?.endings[0]);
  const ending = endingOf(name);
  const kind =
    possible.find(({ endings }) => endings.includes(ending)) ??
    possible.find(({ type }) => type === declared) ??
    possible[0];
  const refused = (code: Refused) => err(code);

  const byName = kindsEnding(ending);
  if (accept) {
    if (!takes(accept, kind, ending)) {
      const seems =
        accept.some((one) => one.ending === ending) || byName.some((one) => takes(accept, one, ending));
      return refused(seems ? 'file_is_another' : 'file_not_accepted');
    }
  } else if (kind?.canHarm || (byName.length > 0 && byName.every(({ canHarm }) => canHarm))) {
    return refused('file_refused');
  }
  const isNamed = accept?.some((one) => one.ending === ending) ?? false;
  const byType = kindsCalled(declared);
  if (!isNamed && !(agrees(kind, byName) && agrees(kind, byType))) return refused('file_is_another');

  const type = kind?.type ?? 'application/octet-stream';
  const bytes = sent.bytes;
  const isRightEnding =
    isNamed || kind === undefined || (byName.length === 0 && ending !== '') || kind.endings.includes(ending);
  return ok({ name: isRightEnding ? name : withEnding(name, kind.endings[0] ?? ''), type, bytes });
}

/** Whether a name or declared type allows this kind: it has no meaning, or includes the kind or a related one. */
const agrees = (kind: Kind | undefined, said: readonly Kind[]) =>
  said.length === 0 ||
  said.some((one) => one === kind || (kind?.group !== undefined && one.group === kind.group));
