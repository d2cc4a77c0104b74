import { inWords } from '../base/condition.ts';
import { doubtNames } from '../base/doubt.ts';
import { reservedHostIn } from '../base/url.ts';
import { maxValueBytes } from '../base/values.ts';
import { featureWarnings, templatesOfFeatures } from '../features/index.ts';
import { page } from '../features/page.ts';
import type { Field } from '../fields/field.ts';
import { type Form, type FormOutput, pathOf } from '../form.ts';
import { say } from '../messages/message.ts';
import { outputTypeNames } from '../outputs/index.ts';
import { mailedFieldIn, mailedFieldsOf } from '../outputs/mailed_fields.ts';
import { applies, takesAside } from '../outputs/payload.ts';
import { type Finding, finding, type Path } from '../schema/finding.ts';
import { linkWordsAlone } from '../schema/linked_text.ts';
import { meantBy, mostCandidates, nearest } from '../schema/suggestion.ts';
import { parseTemplate } from '../schema/template/parse.ts';
import { hasPlaceholder } from './unread_signs.ts';

/** Finds keys that load, but that the owner probably meant otherwise. */
export function warningsOf(form: Form, now?: number): readonly Finding[] {
  const { fields, notes, groups, outputs, confirmation, keptMessage, failureMessage, closedText, fullText } =
    form;
  const { title, submitLabel } = form;
  const declared = fields.map(({ name }) => name);
  const asksForPage = page.of(form) === true;
  return [
    ...fields.flatMap((field, index) => {
      const written = index + notes.filter(({ before }) => before <= index).length;
      return under(['fields', written], fieldWarnings(field));
    }),
    ...notes.flatMap(({ text, before }, index) =>
      under(['fields', before + index, 'note'], wordsNotRead(text)),
    ),
    ...groups.flatMap(({ title }, index) => under(['groups', index, 'legend'], wordsNotRead(title))),
    ...outputs.flatMap((output, index) =>
      under(['outputs', index], outputWarnings(output, fields, asksForPage)),
    ),
    ...nobodys(fields, outputs),
    ...filesGoNowhere(fields, notes, outputs),
    ...featureWarnings(form, now),
    ...templatesOfFeatures(form).flatMap(({ path, template }) => [
      ...alwaysEmpty(path, template.unknownPaths, declared),
      ...(asksForPage ? [] : ofPage('template_page_not_asked', path, template.pagePaths)),
      ...ofShells(path, template.source),
    ]),
    ...Object.entries({
      confirmation,
      kept_message: keptMessage,
      title,
      submit_label: submitLabel,
    }).flatMap(([key, text]) => (text?.includes('{{') ? [finding('template_not_read', [key])] : [])),
    ...Object.entries({
      confirmation,
      kept_message: keptMessage,
      failure_message: failureMessage,
      closed_text: closedText,
      full_text: fullText,
    }).flatMap(([key, text]) => under([key], wordsNotRead(text))),
    ...Object.entries({ confirmation, kept_message: keptMessage }).flatMap(([key, text]) =>
      text?.trim() === '' ? [finding('confirmation_empty', [key])] : [],
    ),
  ].map((finding) => ({
    ...finding,
    severity: 'warning',
    path: [...pathOf(form), ...finding.path],
  }));
}

/** Files that no output delivers: its owner would learn their names alone. */
const filesGoNowhere = (
  fields: readonly Field[],
  notes: Form['notes'],
  outputs: readonly FormOutput[],
): readonly Finding[] =>
  fields.flatMap(({ name, takeFiles, drawingOf }, at) => {
    const index = drawingOf === undefined ? at : fields.findIndex((field) => field.name === drawingOf);
    return takeFiles && !outputs.some(({ takesFile }) => takesFile(name))
      ? [
          finding(
            'files_go_nowhere',
            ['fields', index + notes.filter(({ before }) => before <= index).length],
            { name },
          ),
        ]
      : [];
  });

/** A choice of visitors that no output takes, where each output waits for one of the same field. */
function nobodys(fields: readonly Field[], outputs: readonly FormOutput[]): readonly Finding[] {
  const usual = outputs.filter((output) => takesAside(output, false));
  const whens = usual.flatMap(({ when }) => when ?? []);
  const field = fields.find(({ name }) => name === whens[0]?.field);
  if (!field?.possibleValues || whens.length < usual.length) return [];
  const { name, possibleValues, required, visible_when } = field;
  // A value that the field cannot have is an error by itself.
  const isPossible = (value: string) => value === '' || possibleValues.includes(value);
  if (!whens.every((when) => when.field === name && when.values.every(isPossible))) return [];
  const choices = possibleValues.map((value) => [value]).filter((one) => field.check(one) === undefined);
  if (!required || visible_when) choices.push([]);
  const left = choices.find((choice) => !whens.some((when) => applies(when, new Map([[name, choice]]))));
  return left ? [finding('submission_without_output', ['outputs'], { name, values: left })] : [];
}

/** HTML, and links that lead nowhere. */
function wordsNotRead(text = ''): readonly Finding[] {
  if (/<(a\s[^>]*href|\/?(b|i|u|p|strong|em|br|span)\b[^>]*>)/i.test(text))
    return [finding('markup_not_read', [])];
  return /\[[^[\]]+\]\([^\s()]+[()]/.test(linkWordsAlone(text)) ? [finding('link_not_read', [])] : [];
}

const under = (path: Path, findings: readonly Finding[]) =>
  findings.map((finding) => ({ ...finding, path: [...path, ...finding.path] }));

function fieldWarnings(field: Field): readonly Finding[] {
  const { value = [], max_length: maxLength = 0 } = field;
  const filled = value.filter((one) => one !== '');
  const words = Object.entries({ label: field.label, help: field.help });
  const refused = filled.length > 0 ? field.check(filled) : undefined;
  return [
    ...words.flatMap(([key, text]) => under([key], wordsNotRead(text))),
    ...(field.warnings ?? []),
    ...(refused ? [finding('value_refused', ['value'], { says: say(refused) })] : []),
    ...(field.pattern?.canTakeExponentialTime() ? [finding('pattern_exponential', ['pattern'])] : []),
    ...(maxLength > maxValueBytes
      ? [finding('max_length_over_the_cap', ['max_length'], { value: maxLength, most: maxValueBytes })]
      : []),
  ];
}

function outputWarnings(
  output: FormOutput,
  fields: readonly Field[],
  asksForPage: boolean,
): readonly Finding[] {
  // A mapping may name a part.
  const declared = fields.flatMap(({ name, parts }) => [
    name,
    ...(parts?.all ?? []).map((part) => part.name),
  ]);
  const { type, message, plan, mapping, templates, warnings, when, target, sendsOfItself, readsFields } =
    output;
  if (!message) {
    // Below it, a block of text may have swallowed other keys, and their secrets.
    const [firstLine = '', more] = type.split('\n', 2);
    return [
      finding('output_type_unknown', ['type'], {
        type: more === undefined ? firstLine : `${firstLine} …`,
        near: meantBy(type, outputTypeNames),
        when: when && inWords(when),
      }),
    ];
  }
  // A new form has no fields yet; this output will send the ones to come.
  const sendsAllOfNothing = mapping === '*' && fields.length === 0;
  const sendsFiles = fields.some(({ name, takeFiles }) => takeFiles && output.takesFile(name));
  const host = [
    target?.name ?? '',
    ...templates.flatMap(({ path, template }) => (mailKeys.has(path[0]) ? template.source : [])),
  ]
    .map(reservedHostIn)
    .find(Boolean);
  const undeclared = (code: UndeclaredCode, path: Path, name: string): readonly Finding[] =>
    declared.includes(name) || name === doubtNames.tag || name === doubtNames.similar
      ? []
      : [finding(code, path, { name, near: nearest(name, declared.slice(0, mostCandidates)) })];
  return [
    ...(when ? linkDecides(['when', 'field'], new Set([when.field]), fields) : []),
    ...warnings,
    ...(host ? [finding('output_address_reserved', [], { host })] : []),
    ...(plan.length === 0 && !sendsOfItself && !sendsAllOfNothing
      ? [finding(sendsFiles ? 'output_sends_files_alone' : 'output_sends_nothing', [])]
      : []),
    ...[...(mapping instanceof Map ? mapping : [])].flatMap(([key, name]) =>
      undeclared(name.includes('{{') ? 'mapping_of_template' : 'field_undeclared', ['mapping', key], name),
    ),
    ...readsFields.flatMap(({ path, name, wantsFiles }) =>
      wantsFiles && fields.some((field) => field.name === name && !field.takeFiles)
        ? [finding('field_without_files', path, { name })]
        : undeclared('field_undeclared', path, name),
    ),
    ...templates.flatMap(({ path, template: { fieldNames, pagePaths, unknownPaths } }) => [
      ...[...fieldNames].flatMap((name) => undeclared('template_field_undeclared', path, name)),
      ...alwaysEmpty(path, unknownPaths, declared),
      ...(asksForPage ? [] : ofPage('template_page_not_asked', path, pagePaths)),
      ...(decisive.includes(String(path[0])) ? linkDecides(path, fieldNames, fields) : []),
      ...(asksForPage && decisive.includes(String(path[0])) ? ofPage('page_decides', path, pagePaths) : []),
    ]),
    ...templates.flatMap(({ path, template: { source } }) => ofShells(path, source)),
    ...mailedFieldsOf([output], fields)
      .filter(({ only, name }) => !only || mailedFieldIn(only) === name)
      .filter(({ name }) => fields.some((field) => field.name === name && plainTypes.includes(field.type)))
      .map(({ name, isRecipient }) =>
        finding('mailed_field_of_another_type', [isRecipient ? 'to' : 'reply_to'], { name }),
      ),
  ];
}

const mailKeys: ReadonlySet<unknown> = new Set(['to', 'cc', 'bcc', 'reply_to']);

const ofShells = (path: Path, source: string): readonly Finding[] =>
  hasPlaceholder(source) ? [finding('template_of_shells', path)] : [];

/** Keys that say who gets something, or what a server is told beside the payload. */
const decisive = ['to', 'reply_to', 'headers'];

/** Types in which browsers and scripts ask for no address. */
const plainTypes = ['text', 'textarea'];

/** Visitors see what a link has filled in, except where the field is hidden. */
const linkDecides = (
  path: Path,
  fieldNames: ReadonlySet<string>,
  fields: readonly Field[],
): readonly Finding[] =>
  fields
    .filter(({ type, name, from_query }) => type === 'hidden' && from_query && fieldNames.has(name))
    .map(({ name }) => finding('link_decides', path, { name }));

const ofPage = (
  code: 'template_page_not_asked' | 'page_decides',
  path: Path,
  pagePaths: ReadonlySet<string>,
): readonly Finding[] => [...pagePaths].map((read) => finding(code, path, { path: read }));

type UndeclaredCode = 'field_undeclared' | 'mapping_of_template' | 'template_field_undeclared';

const alwaysEmpty = (
  path: Path,
  unknownPaths: ReadonlySet<string>,
  declared: readonly string[],
): readonly Finding[] =>
  [...unknownPaths].map((unknown) =>
    finding('template_always_empty', path, { path: unknown, near: meantPath(unknown, declared) }),
  );

/** Suggests a path for one that does not exist: mostly a field whose `.fields` is missing or misspelled. */
function meantPath(path: string, declared: readonly string[]): string | undefined {
  const [, first = '', last = ''] = /^\.(.*?)\.?([^.]*)$/s.exec(path) ?? [];
  if (first === 'env') return `env "${last}"`;
  const isReadable = (name: string) => {
    const template = parseTemplate(`{{ .fields.${name} }}`);
    return template.ok && template.value.fieldNames.has(name);
  };
  const field = nearest(last, declared.slice(0, mostCandidates).filter(isReadable));
  const others = ['.form.id', '.submitted_at', '.page.url', '.page.title'];
  // A form has nothing but its name: `.form.name`, `.form.title`.
  const near = nearest(path, others) ?? (first === 'form' ? meantBy(path, others) : undefined);
  return near ?? (field === undefined ? meantBy(path, others) : `.fields.${field}`);
}
