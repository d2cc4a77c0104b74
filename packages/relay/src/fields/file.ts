import { type Finding, finding } from '../base/config_finding.ts';
import { defaultUploadBytes } from '../base/http.ts';
import { err, ok } from '../base/result.ts';
import type { Message } from '../messages/message.ts';
import { optional, withDefault } from '../schema/keys.ts';
import { flag, isWrittenTrue, number } from '../schema/kinds.ts';
import { parseSize, size } from '../schema/size.ts';
import { fieldType, type Written } from './field.ts';
import { fileControl } from './file_control.ts';
import { acceptEntries, type Entry } from './files/accept.ts';
import { cleanName, distinctName } from './files/clean_name.ts';
import { takeFile } from './files/take.ts';

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
  // What comes as text is a name alone: the form was not sent as multipart/form-data.
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

/** What browsers do not do, what cannot be sent, and what no link can hold. */
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
