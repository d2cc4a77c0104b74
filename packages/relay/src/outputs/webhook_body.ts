import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { fileInWords, type UploadedFile } from '../base/files.ts';
import { type Job, pdfName } from '../base/job.ts';
import { base64Of, joined, jsonOf, sliced } from '../base/streamed.ts';
import { type Values, withoutEmpty } from '../base/values.ts';
import { type Field, labelOf, visibleFields } from '../fields/field.ts';
import { asJson } from '../fields/stored_value.ts';
import { type Finding, finding, type Path } from '../schema/finding.ts';
import { report } from '../schema/issue.ts';
import { isMap } from '../schema/kinds.ts';
import { nearest } from '../schema/suggestion.ts';
import { parseTemplate } from '../schema/template/parse.ts';
import { type Scope, Template } from '../schema/template/render.ts';
import type { HttpMessage } from '../transports/http/http_transport.ts';
import { base64InWords } from '../transports/mail/shown_mail.ts';
import type { FormAbout } from './output.ts';

/**
 * The `body` of a webhook: a tree in YAML. Templates stand only in its leaves, each a text of its own, so that nothing
 * a visitor writes can break out of it.
 */

/** Maps, lists and templates, so that output.ts finds the templates in it. */
export type BodyNode =
  | ReadonlyMap<string, BodyNode>
  | readonly BodyNode[]
  | Template
  | Leaf
  | number
  | boolean
  | null;

/** Values that are not text: a field's own value, all values, or facts about the submission. */
type Leaf =
  | { readonly leaf: 'field'; readonly name: string }
  | { readonly leaf: 'fields' }
  | { readonly leaf: 'submission' }
  | { readonly leaf: 'pdf' };

const words = ['$fields', '$submission', '$pdf'] as const;

export const bodySchema = v.pipe(
  v.unknown(),
  v.rawTransform<unknown, BodyNode>(({ dataset, addIssue, NEVER }) => {
    const findings: Finding[] = [];
    const node = readNode(dataset.value, [], findings);
    if (!isMap(dataset.value) && !Array.isArray(dataset.value)) findings.push(finding('body_of_no_tree', []));
    for (const one of findings) addIssue(report(one));
    return findings.length > 0 ? NEVER : node;
  }),
  v.metadata({ jsonSchema: { title: 'map or list', type: ['object', 'array'] } }),
);

/** Flags and numbers were made of plain words before (config/yaml/typed_bodies.ts): here, text is text. */
function readNode(written: unknown, path: Path, findings: Finding[]): BodyNode {
  if (typeof written === 'number' || typeof written === 'boolean' || written === null) return written;
  if (typeof written === 'string') return readText(written, path, findings);
  if (Array.isArray(written)) return written.map((item, index) => readNode(item, [...path, index], findings));
  if (!isMap(written)) return null;
  if ('$field' in written) return readField(written, path, findings);
  if ('<<' in written) findings.push({ ...finding('merge_key', [...path, '<<']), aboutKey: true });
  const word = words.find((one) => one in written);
  if (word) findings.push({ ...finding('body_word_as_key', [...path, word], { word }), aboutKey: true });
  return new Map(
    Object.entries(written).map(([key, item]) => {
      if (key.includes('{{')) {
        findings.push({ ...finding('body_template_in_key', [...path, key]), aboutKey: true });
      }
      return [key, readNode(item, [...path, key], findings)];
    }),
  );
}

function readText(written: string, path: Path, findings: Finding[]): BodyNode {
  if (written === '$fields') return { leaf: 'fields' };
  if (written === '$submission') return { leaf: 'submission' };
  if (written === '$pdf') return { leaf: 'pdf' };
  if (/^\$([a-z_]+$|(field|fields|submission)[.:[])/i.test(written)) {
    findings.push(finding('body_word_unknown', path, { word: written, near: nearest(written, [...words]) }));
  }
  const template = parseTemplate(written);
  if (template.ok) return template.value;
  findings.push(...template.error.map((one) => ({ ...one, path: [...path, ...one.path] })));
  return null;
}

function readField(written: Readonly<Record<string, unknown>>, path: Path, findings: Finding[]): BodyNode {
  const { $field: name, ...others } = written;
  const [other] = Object.keys(others);
  if (other !== undefined)
    findings.push({ ...finding('body_field_not_alone', [...path, other]), aboutKey: true });
  if (typeof name === 'string' && name !== '' && !name.includes('{{')) return { leaf: 'field', name };
  findings.push(finding('body_field_unnamed', [...path, '$field']));
  return null;
}

/** The fields whose values it takes by `$field`, with their places. */
export function fieldsIn(
  node: BodyNode,
  path: Path = [],
): readonly { readonly name: string; readonly path: Path }[] {
  if (node instanceof Map) return [...node].flatMap(([key, item]) => fieldsIn(item, [...path, key]));
  if (isList(node)) return node.flatMap((item, index) => fieldsIn(item, [...path, index]));
  return isLeaf(node) && node.leaf === 'field' ? [{ name: node.name, path: [...path, '$field'] }] : [];
}

export function holdsField(node: BodyNode, name: string): boolean {
  if (node instanceof Map) return [...node.values()].some((item) => holdsField(item, name));
  if (isList(node)) return node.some((item) => holdsField(item, name));
  if (!isLeaf(node)) return false;
  return node.leaf === 'field' ? node.name === name : node.leaf === 'fields';
}

/** Whether the PDF has a place in it. */
export function holdsPdf(node: BodyNode): boolean {
  if (node instanceof Map) return [...node.values()].some(holdsPdf);
  if (isList(node)) return node.some(holdsPdf);
  return isLeaf(node) && node.leaf === 'pdf';
}

export function namesField(node: BodyNode, name: string): boolean {
  if (node instanceof Template) return node.fieldNames.has(name);
  if (node instanceof Map) return [...node.values()].some((item) => namesField(item, name));
  return isList(node) && node.some((item) => namesField(item, name));
}

/**
 * The body for a job, as what JSON is made of. A field without a value is left out, and so is a map or list that holds
 * nothing else.
 */
export function renderBody(
  node: BodyNode,
  job: Job,
  scope: Scope,
  form: FormAbout,
  fileInJson?: FileInJson,
): unknown {
  const values = new JsonValues(form.fields, job, fileInJson);
  const render = (one: BodyNode): unknown => {
    if (one instanceof Template) return one.render(scope);
    if (one instanceof Map) return withoutAbsent(one, render);
    if (isList(one)) {
      const items = one.map(render).filter((item) => item !== undefined);
      return items.length === 0 && one.length > 0 ? undefined : items;
    }
    if (!isLeaf(one)) return one;
    if (one.leaf === 'field') return values.of(one.name);
    if (one.leaf === 'pdf') return values.pdf;
    return one.leaf === 'fields' ? allFields(values, form) : aboutSubmission(job, scope);
  };
  return render(node) ?? (isList(node) ? [] : {});
}

function withoutAbsent(
  map: ReadonlyMap<string, BodyNode>,
  render: (node: BodyNode) => unknown,
): object | undefined {
  // Without a prototype, `__proto__` is a name like any other.
  const rendered: Record<string, unknown> = Object.create(null);
  let isEmpty = map.size > 0;
  for (const [key, node] of map) {
    const value = render(node);
    if (value === undefined) continue;
    rendered[key] = value;
    isEmpty = false;
  }
  return isEmpty ? undefined : rendered;
}

const allFields = (values: JsonValues, { fields }: FormAbout) =>
  fields.map(({ name, label }) => ({
    name,
    label: labelOf({ label, name }),
    value: values.of(name) ?? null,
  }));

const aboutSubmission = ({ requestId, formId, page, doubt, isWaiting }: Job, { submittedAt }: Scope) => ({
  id: requestId,
  form: formId,
  received_at: submittedAt,
  page: page?.url,
  doubt,
  ...(isWaiting && { waiting: true }),
});

const isList = (node: BodyNode): node is readonly BodyNode[] => Array.isArray(node);
const isLeaf = (node: BodyNode): node is Leaf => typeof node === 'object' && node !== null && 'leaf' in node;

/** A file in JSON. `part`: the name under which a form with this field alone would send it. */
export type FileInJson = (file: UploadedFile, part: string) => object;

/** A file whose content is sent elsewhere, or not at all. */
export const aboutFile: FileInJson = ({ name, type, bytes }) => ({ name, type, size: bytes.length });

/** The submitted values as JSON: numbers, flags and lists keep their types. */
export class JsonValues {
  readonly #values: Values;
  readonly #files: Job['files'];
  readonly #pdf: Job['pdf'];
  readonly #fileInJson: FileInJson;
  readonly #fields: ReadonlyMap<string, Field>;
  readonly #visible: ReadonlySet<Field>;

  constructor(fields: readonly Field[], { values, files, pdf }: Job, fileInJson = aboutFile) {
    this.#pdf = pdf;
    this.#values = values;
    this.#files = files;
    this.#fileInJson = fileInJson;
    this.#fields = new Map(fields.map((field) => [field.name, field]));
    this.#visible = new Set(visibleFields(fields, values));
  }

  /**
   * A field's value; `undefined` where there is none. A box that was not ticked is `false`, unless the visitor never saw
   * it.
   */
  of(name: string): unknown {
    const field = this.#fields.get(name);
    const files = this.#files.get(name);
    if (files) return this.#filesOf(name, files, field?.takesSeveral ?? false);
    const filled = withoutEmpty(this.#values.get(name) ?? []);
    return field?.inJson === 'flag' && !this.#visible.has(field) ? undefined : asJson(field, filled);
  }

  /** `null`: it could not be made. */
  get pdf(): object | null {
    return this.#pdf && this.#pdf !== 'failed' ? this.#fileInJson(this.#pdf, pdfName) : null;
  }

  #filesOf(name: string, files: readonly UploadedFile[], takesSeveral: boolean): unknown {
    if (!takesSeveral && files.length === 1) return files.map((file) => this.#fileInJson(file, name))[0];
    return files.map((file, index) => this.#fileInJson(file, `${name}[${index}]`));
  }
}

/** Webhooks with files: what is sent is made while it is sent, so that no file is held twice. */

type Content = Pick<HttpMessage, 'contentType' | 'body' | 'streamed'>;

/** Makes the JSON, as what `JSON.stringify` takes. */
type Render = (fileInJson: FileInJson) => unknown;

/** A JSON text that contains the files. */
export function asBase64(render: Render): Content {
  const tree = render((file, part) => ({
    ...aboutFile(file, part),
    // For people, `JSON.stringify` makes words of it.
    content: { ...base64Of(file.bytes), toJSON: () => base64InWords(file) },
  }));
  return { contentType: 'application/json', body: JSON.stringify(tree), streamed: jsonOf(tree) };
}

/** The JSON in a part of its own, and each file that it names in another (RFC 7578). */
export function asParts(render: Render, id: string): Content {
  const files = new Map<string, UploadedFile>();
  const tree = render((file, wanted) => {
    let part = wanted;
    // A field may be called `payload`, or `photos[0]` beside one called `photos`. What the JSON says twice is sent once.
    while (part === json || (files.has(part) && files.get(part) !== file)) part += '_';
    files.set(part, file);
    return { ...aboutFile(file, part), part };
  });
  // Authors of files cannot know the id, so no file contains this.
  const boundary = `form-relay-${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
  const withFiles = <T>(contentOf: (file: UploadedFile) => T): readonly (string | T)[] => [
    // Without a media type: to many receivers, a part with one is a file.
    `--${boundary}\r\n${disposition(json)}\r\n\r\n${JSON.stringify(tree)}\r\n`,
    ...[...files].flatMap(([part, file]) => [
      `--${boundary}\r\n${disposition(part)}; filename="${quoted(file.name)}"\r\nContent-Type: ${file.type}\r\n\r\n`,
      contentOf(file),
      '\r\n',
    ]),
    `--${boundary}--\r\n`,
  ];
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: withFiles((file) => `(the bytes of ${fileInWords(file)})`).join(''),
    streamed: joined(withFiles(({ bytes }) => sliced(bytes))),
  };
}

const json = 'payload';

const disposition = (name: string) => `Content-Disposition: form-data; name="${quoted(name)}"`;

/** As browsers write names (HTML: multipart/form-data encoding algorithm). */
const quoted = (name: string) => name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
