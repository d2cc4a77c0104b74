import { cleanName, endingOf, withEnding } from '@form-relay/base/file_names';
import { attributes, html } from '@form-relay/base/html';
import { err, ok } from '@form-relay/base/result';
import { fieldType } from '@form-relay/core/fields/field';
import { controlAttributes } from '@form-relay/core/fields/text';
import type {
  ControlState,
  Declared,
  Html,
  Message,
  Property,
  Result,
  SentFile,
  TakenFiles,
  UploadedFile,
} from '@form-relay/core/index';
import { boolean, number, size } from '@form-relay/schema/scalars';
import { optional, withDefault } from '@form-relay/schema/schema';
import { acceptEntries, accepts, type Entry, type Kind, kindsCalled, kindsEnding } from './file_kinds.ts';
import { kindsOf } from './sniff.ts';

const defaultMaxFiles = 10;

const keys = {
  accept: optional(
    'Accepted kinds: `pdf`, `image`, `office`, `text`, `audio`, `video`, `archive`; formats such as `docx` and `png`; media types such as `image/png`; extensions such as `.dwg`. ' +
      'Default: all except web pages, SVG, scripts, programs, shortcuts, archives and documents with macros.',
    acceptEntries(),
    { aliases: ['types', 'filetypes', 'extensions', 'allowed'] },
  ),
  max_size: withDefault('5MB', 'Maximum size of each file.', size(), {
    aliases: ['maxfilesize', 'size'],
  }),
  multiple: withDefault('false', 'Whether several files may be chosen.', boolean()),
  max_files: optional(
    `Maximum number of files, with \`multiple\`. Default: ${defaultMaxFiles}.`,
    number({ least: 1, most: 100, whole: true }),
  ),
} satisfies Record<string, Property<unknown>>;

type FileField = Declared<typeof keys>;

/** The form's addition to each field. */
export interface Together {
  /** How large all files of the form may be together, in bytes. */
  readonly together?: number;
}

/** Keys of other fields that browsers ignore for files. */
const unusable = ['value', 'placeholder', 'from_query'];

export const file = fieldType({
  type: 'file',
  isReentered: true,
  aliases: ['upload', 'attachment', 'files', 'file_upload', 'attachments', 'image', 'photo'],
  summary:
    'Files. The relay reads the first bytes to tell a file’s type; its name and declared type must match (docs/files.md).',
  card: {
    title: 'File',
    purpose: 'Files',
    words: 'upload attachment picture document pdf cv',
    idleKeys: ['value', 'placeholder', 'from_query'],
  },
  missing: 'missing_file',
  keys,
  problems: (field, at) => {
    for (const [key, given] of Object.entries(field))
      if (given !== false && at.in(key).written !== undefined && unusable.includes(key))
        at.in(key).error(
          `a field of type file cannot have \`${key}\`, because only the visitor can choose a file; remove this key`,
          { aboutKey: true, fix: 'remove' },
        );
    if (field.max_files !== undefined && field.multiple === false)
      at.in('max_files').warning('the field accepts one file; add multiple: true for several', {
        fix: [[[...at.path, 'multiple'], true]],
      });
  },
  hint: (field) => {
    const { accept, max_size, together }: FileField & Together = field;
    const max = mostFiles(field);
    const params = { size: { bytes: max_size }, max, kinds: accept && inWords(accept) };
    const code = `file_hint${max === 1 ? '' : '_several'}${accept ? '_kinds' : ''}`;
    if (together === undefined || max * max_size <= together) return { code, params };
    return [
      { code, params },
      { code: 'file_hint_together', params: { size: { bytes: together } } },
    ];
  },
  takesSeveral: ({ multiple }) => multiple,
  // A text value is only a file name: the form was not sent as multipart/form-data.
  checkValue: () => ({ code: 'file_not_sent' }),
  takeFiles,
  control: fileControl,
});

function takeFiles(field: FileField, sent: readonly SentFile[]): TakenFiles {
  const { accept, max_size } = field;
  const max = mostFiles(field);
  if (sent.length > max) return { error: { code: 'too_many_files', params: { max } } };
  const files: UploadedFile[] = [];
  for (const [at, one] of sent.entries()) {
    const wrong = (code: string, more?: Message['params']): TakenFiles => ({
      error: { code, params: { name: cleanName(one.name), ...more } },
      at,
    });
    if (one.bytes.length === 0) return wrong('file_empty');
    if (one.bytes.length > max_size) return wrong('file_too_large', { size: { bytes: max_size } });
    const accepted = takeFile(one, accept);
    if (!accepted.ok)
      return wrong(
        accepted.error,
        accepted.error === 'file_not_accepted' ? { kinds: inWords(accept ?? []) } : undefined,
      );
    files.push(accepted.value);
  }
  return { files };
}

export const mostFiles = ({
  multiple,
  max_files = defaultMaxFiles,
}: Pick<FileField, 'multiple' | 'max_files'>): number => (multiple ? max_files : 1);

const inWords = (accept: readonly Entry[]) => accept.map(({ words }) => words);

/**
 * The control contains its error messages, so that a script can validate chosen files (packages/element).
 * `{name}` stands for the file's name.
 */
function fileControl(field: FileField, state: ControlState): Html {
  const { max_size, accept } = field;
  const max = mostFiles(field);
  const translate = (code: string, params?: Message['params']) =>
    state.locale.translate({ code, params: { name: '{name}', ...params } });
  return html`<input${attributes({
    type: 'file',
    ...controlAttributes(field, state),
    autocomplete: undefined,
    multiple: max > 1,
    accept: accept?.flatMap(({ attribute }) => attribute).join(),
    'data-max-size': max_size,
    'data-too-large': translate('file_too_large', { size: { bytes: max_size } }),
    'data-max-files': max,
    'data-too-many': translate('too_many_files', { max }),
    'data-empty': translate('file_empty'),
    'data-not-accepted': accept && translate('file_not_accepted', { kinds: inWords(accept) }),
  })}>`;
}

type Rejection = 'file_refused' | 'file_is_another' | 'file_not_accepted';

/**
 * Accepts a file as the type that its first bytes indicate. The file's name and declared type must agree with
 * it, unless they are meaningless. Without `accept`, all types except harmful ones are accepted.
 */
export function takeFile(
  sent: SentFile,
  accept: readonly Entry[] | undefined,
): Result<UploadedFile, Rejection> {
  const declared = sent.type.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const possible = kindsOf(sent.bytes);
  const name = cleanName(sent.name, possible[0]?.endings[0]);
  const ending = endingOf(name);
  const kind =
    possible.find(({ endings }) => endings.includes(ending)) ??
    possible.find(({ type }) => type === declared) ??
    possible[0];

  const byName = kindsEnding(ending);
  if (accept) {
    if (!accepts(accept, kind, ending)) {
      const seems =
        accept.some((one) => one.ending === ending) || byName.some((one) => accepts(accept, one, ending));
      return err(seems ? 'file_is_another' : 'file_not_accepted');
    }
  } else if (kind?.canHarm || (byName.length > 0 && byName.every(({ canHarm }) => canHarm))) {
    return err('file_refused');
  }
  const isNamed = accept?.some((one) => one.ending === ending) ?? false;
  const byType = kindsCalled(declared);
  if (!isNamed && !(agrees(kind, byName) && agrees(kind, byType))) return err('file_is_another');

  const isRightEnding =
    isNamed || kind === undefined || (byName.length === 0 && ending !== '') || kind.endings.includes(ending);
  return ok({
    name: isRightEnding ? name : withEnding(name, kind.endings[0] ?? ''),
    type: kind?.type ?? 'application/octet-stream',
    bytes: sent.bytes,
  });
}

/** Whether a name or declared type allows this kind: it is meaningless, or includes the kind or a related one. */
const agrees = (kind: Kind | undefined, said: readonly Kind[]) =>
  said.length === 0 ||
  said.some((one) => one === kind || (kind?.group !== undefined && one.group === kind.group));
