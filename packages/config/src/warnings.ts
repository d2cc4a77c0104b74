/** Warns about what loads, but is probably not meant. Runs only when warnings are requested. */

import { linkWordsOnly } from '@form-relay/base/html';
import { maxValueBytes } from '@form-relay/base/values';
import type { PlacedForm, Registry } from '@form-relay/core/config';
import type { Field } from '@form-relay/core/fields/field';
import type { Form } from '@form-relay/core/form';
import type { OutputType } from '@form-relay/core/outputs/output';
import { SubmissionContext } from '@form-relay/core/pipeline/context';
import { readSettings } from '@form-relay/core/settings';
import type { PlacedTemplate } from '@form-relay/schema/diagnostics';
import { Diagnostics, finderIn, type Path, Report, type TextsRead } from '@form-relay/schema/diagnostics';
import { type Named, nearest } from '@form-relay/schema/suggestion';
import type { Template } from '@form-relay/schema/template';
import { paths } from '@form-relay/schema/template/names';
import { parseTemplate } from '@form-relay/schema/template/parse';
import { meantBy } from '@form-relay/yaml/advice/unknown_keys';
import { type Document, leavesIn } from '@form-relay/yaml/document';
import { takesFilesOf, warnOfGaps, warnOfOutput } from './output_warnings.ts';

export function findWarnings(
  text: string,
  document: Document,
  forms: readonly PlacedForm[],
  { config, outputTypes }: Registry,
  others: readonly OutputType[],
): Report['warnings'] {
  const texts: TextsRead = { templates: [], forVisitors: [] };
  config(document.value, new Diagnostics([], new Report(document.value, texts)));
  const at = new Diagnostics([], new Report(document.value));
  // A misspelled type may resemble one that this config does not load.
  const types = [...outputTypes.values(), ...others].map(({ type, aliases }) => ({ name: type, aliases }));
  const templatesIn = finderIn(texts.templates);
  for (const { form, path } of forms) {
    const own = templatesIn(path);
    warnOfForm(form, own.length > 0 ? own : templatesOf(form, path), types, at.in(...path));
  }
  for (const { path, text } of texts.forVisitors) warnOfText(text, at.in(...path));
  warnOfSigns(text, document, texts.templates, at);
  return at.report.warnings;
}

/** The templates in a form's outputs, for schemas that the config's schema does not check. */
const templatesOf = ({ outputs }: Form, path: Path): readonly PlacedTemplate[] =>
  outputs.flatMap(({ templates }, index) =>
    templates.map((one) => ({ ...one, path: [...path, 'outputs', index, ...one.path] })),
  );

function warnOfForm(
  form: Form,
  templates: readonly PlacedTemplate[],
  types: readonly Named[],
  at: Diagnostics,
): void {
  const { fields, outputs } = form;
  const check = checkerFor(form);
  const placeOf = (field: Field) => at.in(...placeIn(at, field));
  for (const field of fields) warnOfField(field, check, placeOf(field));
  for (const field of fields)
    if (field.takeFiles && !outputs.some((output) => takesFilesOf(output, field)))
      placeOf(field).warning(
        `no output receives the files of "${field.name}"; outputs get only their names and sizes`,
      );
  const templatesIn = finderIn(templates);
  for (const [index, output] of outputs.entries()) {
    const place = at.in('outputs', index);
    warnOfOutput(output, fields, types, templatesIn(place.path), place, form.takesUndeclared);
  }
  warnOfGaps(outputs, fields, (field, values) => check(field, values) === undefined, at);
  const names = fields.map(({ name }) => name);
  const asksForPage = /^true$/i.test(String(at.in('page').written));
  for (const { path, template } of templates) {
    const place = at.fromTop(...path);
    warnOfTemplate(template, names, place);
    for (const read of asksForPage ? [] : template.pagePaths)
      place.warning(
        `${read} is empty, because the form does not record its page; add page: true beside fields`,
      );
  }
}

/** The index in the written list, which also contains notes. */
function placeIn(at: Diagnostics, { name }: Field): Path {
  const { written } = at.in('fields');
  const all: readonly { readonly name?: string }[] = Array.isArray(written) ? written : [];
  // A part of a field, such as the drawing of a signature, has the place of that field.
  return ['fields', all.findIndex((one) => one?.name === name || name.startsWith(`${one?.name}.`))];
}

type Check = (field: Field, values: readonly string[]) => string | undefined;

/** Checks values like the form does. */
function checkerFor(form: Form): Check {
  const { services } = form;
  const request = { method: 'POST', path: '/', query: '', headers: {}, body: undefined };
  const shared = { services, settings: readSettings({}), follow: () => {} };
  const submission = new SubmissionContext(form, '', request, shared);
  const { translate } = form.locale(undefined);
  return (field, values) => {
    try {
      const problem = field.check(values, submission);
      return problem && translate(problem);
    } catch {
      return undefined;
    }
  };
}

function warnOfField(field: Field, check: Check, at: Diagnostics): void {
  const filled = (field.value ?? []).filter((one) => one !== '');
  const refused = filled.length > 0 ? check(field, filled) : undefined;
  if (refused !== undefined) at.in('value').warning(`the form would reject this value: "${refused}"`);
  const { max_length: most = 0 } = field;
  if (most > maxValueBytes)
    at.in('max_length').warning(`found ${most}; a value can have at most ${maxValueBytes} bytes`);
}

function warnOfTemplate({ unknownPaths, source }: Template, fields: readonly string[], at: Diagnostics) {
  for (const path of unknownPaths)
    at.warning(`${path} is always empty`, { suggestion: meantPath(path, fields), word: path });
  if (hasPlaceholder(source))
    at.warning('this is sent as literal text; to read an environment variable, write \'{{ env "NAME" }}\'');
}

/** Suggests a path for one that does not exist, usually a field whose `.fields` is missing or misspelled. */
function meantPath(path: string, fields: readonly string[]): string | undefined {
  const [, first = '', last = ''] = /^\.(.*?)\.?([^.]*)$/s.exec(path) ?? [];
  if (first === 'env') return `env "${last}"`;
  const isReadable = (name: string) => {
    const template = parseTemplate(`{{ .fields.${name} }}`);
    return template.ok && template.value.fieldNames.has(name);
  };
  const field = nearest(last, fields.filter(isReadable));
  const called = () => meantBy(path, paths);
  // Templates know only the form's names: `.form.name`, `.form.title`.
  const names = paths.map(({ name }) => name);
  const near = nearest(path, names) ?? (first === 'form' ? called() : undefined);
  return near ?? (field === undefined ? called() : `.fields.${field}`);
}

/** Keys whose texts cannot contain links. */
const plainKeys: ReadonlySet<unknown> = new Set(['placeholder', 'title', 'submit_label']);

/** Warns about HTML, braces, and broken links. */
function warnOfText(text: string, at: Diagnostics): void {
  const [top, , key, ...below] = at.path;
  const isOfForm = top === 'forms' && below.every((step) => typeof step === 'string' && step.length <= 12);
  if (isOfForm && key !== 'fields' && key !== 'kept_message' && text.includes('{{'))
    at.warning(
      'these braces are shown to visitors unchanged: only outputs, `thanks` and `kept_message` have templates',
    );
  if (isOfForm && /^(confirmation|kept_message)$/.test(String(key)) && text.trim() === '')
    at.warning('visitors see an empty text after they have sent the form');
  if (plainKeys.has(at.path.at(-1))) return;
  if (/<(a\s[^>]*href|\/?(b|i|u|p|strong|em|br|span)\b[^>]*>)/i.test(text))
    at.warning('visitors see these tags as text; write links as [words](https://…), the only markup');
  else if (/\[[^[\]]+\]\([^\s()]+[()]/.test(linkWordsOnly(text)))
    at.warning('visitors see this as text: a link must start with https://, http://, mailto:, tel: or /');
}

/** `${TOKEN}` and `$(TOKEN)` anywhere, `$TOKEN` at the end, and `$TOKEN` and `%TOKEN%` in texts without spaces. */
const hasPlaceholder = (text: string): boolean =>
  /\$\{[A-Za-z_]\w*(?:[:?+=-][^}]*)?\}|\$\([A-Z_]\w+\)|(?:^|\s)\$[A-Z_][A-Z0-9_]+$/.test(text) ||
  // `%C3%BC` stands for bytes in a URL.
  /^\S*(?:(?<![\w$])\$(?:env:\w+|[A-Z_][A-Z0-9_]+(?!\w))|%[A-Z_][A-Z0-9_]{2,}%)\S*$/.test(text);

/**
 * Warns about characters with another meaning elsewhere: shell variables, braces in a URL, and a `#` within a
 * text. Templates report their own mistakes.
 */
function warnOfSigns(
  yaml: string,
  { value, places }: Document,
  templates: readonly PlacedTemplate[],
  at: Diagnostics,
): void {
  const templated = new Set(templates.map(({ path }) => JSON.stringify(path)));
  const isTemplated = (path: Path) =>
    path.some((_, index) => templated.has(JSON.stringify(path.slice(0, index + 1))));
  const isCut = (path: Path, text: string | null) => {
    if (!isProse(path)) return false;
    const { offset, length } = text === null ? places.of({ path }) : places.written(path);
    if (text !== null && !places.isPlain(path)) return false;
    // Matches a comment without the usual space after the `#`. Sticky, because the whole config may be on one line.
    const sign = text === null ? /["']?[ \t]*:[ \t]+#[^\s#]/y : /[ \t]+#(?:[^\s#].*)?$/my;
    sign.lastIndex = offset + length;
    return sign.test(yaml);
  };
  for (const { path, value: text } of leavesIn(value)) {
    const place = at.in(...path);
    if (isCut(path, text))
      place.warning(
        'the value ends before the #, which starts a comment; if the rest belongs to the value, put quotes around all of it',
      );
    const hasBraces = isUrlWithBraces(text ?? '');
    if ((!hasBraces && !hasPlaceholder(text ?? '')) || foreign.test(path.join('.')) || isTemplated(path))
      continue;
    place.warning(
      hasBraces
        ? 'these braces are sent unchanged: a url cannot be a template'
        : 'this is used as literal text: environment variables do not work here; write out the value (url_env names a variable with an address)',
    );
  }
}

/** Regular expressions and field names. */
const foreign = /\.(?:pattern|mapping)(?:\.|$)/;

const isUrlWithBraces = (text: string): boolean => /^https?:\/\/.*(?:\{\{|\}\})/i.test(text);

/** Keys whose texts often contain a `#`, as in `Order #12`. */
const proseKeys = new Set(
  'username password secret token url subject title label help note legend value confirmation kept_message failure_message closed_text full_text submit_label'.split(
    ' ',
  ),
);

const isProse = (path: Path): boolean =>
  proseKeys.has(String(path.at(-1))) || path.some((key) => key === 'static' || key === 'headers');
