/** The body of a webhook: JSON with typed values, and files. */

import { jsonNumber } from '@form-relay/base/json';
import { base64Of, jsonOf } from '@form-relay/base/streamed';
import { withoutEmpty } from '@form-relay/base/values';
import { single } from '@form-relay/core/fields/field';
import { labelOf } from '@form-relay/core/fields/label';
import type {
  Delivery,
  Diagnostics,
  Field,
  FieldRead,
  JsonSchema,
  OutputForm,
  OutputRequest,
  Schema,
  UploadedFile,
} from '@form-relay/core/index';
import { visibleFields } from '@form-relay/schema/condition';
import { isMap, schema } from '@form-relay/schema/schema';
import { didYouMean, nearest } from '@form-relay/schema/suggestion';
import { Template } from '@form-relay/schema/template';
import { template } from '@form-relay/schema/templates';

/** Renders the body for a delivery. Omits fields without a value, and maps and lists that contain only such fields. */
export function renderBody(
  node: BodyNode,
  delivery: Delivery,
  form: OutputForm,
  fileInJson?: FileInJson,
): unknown {
  const values = jsonValues(form.fields, delivery, fileInJson);
  const render = (one: BodyNode): unknown => {
    if (one instanceof Template) return one.render(delivery.templateContext);
    if (one instanceof Map) return withoutAbsent(one, render);
    if (isList(one)) {
      const items = one.map(render).filter((item) => item !== undefined);
      return items.length === 0 && one.length > 0 ? undefined : items;
    }
    if (!isLeaf(one)) return one;
    if (one.leaf === 'field') return values.of(one.name);
    return one.leaf === 'fields' ? allFields(values, form, delivery) : aboutSubmission(delivery);
  };
  return render(node) ?? (isList(node) ? [] : {});
}

function withoutAbsent(
  map: ReadonlyMap<string, BodyNode>,
  render: (node: BodyNode) => unknown,
): object | undefined {
  const rendered = [...map].map(([key, node]) => [key, render(node)] as const);
  const present = rendered.filter(([, value]) => value !== undefined);
  return present.length === 0 && map.size > 0 ? undefined : Object.fromEntries(present);
}

const allFields = (
  values: ReturnType<typeof jsonValues>,
  { fields, locale }: OutputForm,
  { undeclared = new Map() }: Delivery,
) =>
  [...fields, ...[...undeclared.keys()].map((name) => ({ name, label: name }))].map((field) => ({
    name: field.name,
    label: labelOf(field, locale),
    value: values.of(field.name) ?? null,
  }));

/** The `_` of remarks' names is dropped. */
const aboutSubmission = ({ requestId, formId, remarks = [], templateContext }: Delivery) => ({
  id: requestId,
  form: formId,
  received_at: templateContext.submittedAt,
  page: templateContext.page?.url,
  ...Object.fromEntries(remarks.map(({ name, value }) => [name.replace(/^_/, ''), value])),
});

/** Represents a file in JSON. */
export type FileInJson = (file: UploadedFile) => object;

/** Describes a file whose content is sent elsewhere, or not at all. */
export const aboutFile: FileInJson = ({ name, type, bytes }) => ({ name, type, size: bytes.length });

/** The submitted values as JSON. Numbers, booleans and lists keep their types. */
export function jsonValues(fields: readonly Field[], { values, files }: Delivery, fileInJson = aboutFile) {
  const declared = new Map(fields.map((field) => [field.name, field]));
  const visible = new Set(visibleFields(fields, values));
  return {
    /** A field's value, if it has one. An unticked box is `false`, unless the visitor never saw it. */
    of(name: string): unknown {
      const field = declared.get(name);
      const sent = files.get(name);
      const [file] = sent ?? [];
      if (file && sent?.length === 1 && !field?.takesSeveral) return fileInJson(file);
      if (sent) return sent.map(fileInJson);
      const filled = withoutEmpty(values.get(name) ?? []);
      if (!field) return single(filled);
      return filled.length === 0 && !visible.has(field) ? undefined : field.json(filled);
    },
  };
}

/** Webhooks with files. The body is generated while it is sent, so that no file is in memory twice. */

export type Content = Pick<OutputRequest, 'contentType' | 'body' | 'streamed'>;

/** Makes the value to pass to `JSON.stringify`. */
type Render = (fileInJson: FileInJson) => unknown;

export function asBase64(render: Render): Content {
  const tree = render((file) => ({ ...aboutFile(file), content: base64Of(file.bytes) }));
  return { contentType: 'application/json', body: '', streamed: jsonOf(tree) };
}

/** The `body` of a webhook, as YAML. Templates are leaves, so that a visitor's text cannot break out of them. */

/** Consists of maps, lists and templates, so that the core finds the templates. */
export type BodyNode = ReadonlyMap<string, BodyNode> | readonly BodyNode[] | End;
type End = Template | Leaf | number | boolean | null;

/** Leaves that are not text: a field's own value, all values, or facts about the submission. */
type Leaf =
  | { readonly leaf: 'field'; readonly name: string }
  | { readonly leaf: 'fields' }
  | { readonly leaf: 'submission' };

const words = ['$fields', '$submission'] as const;

const json: JsonSchema = { title: 'map or list', type: ['object', 'array'] };

export const bodySchema: Schema<BodyNode> = schema(
  () => json,
  (value, at) => {
    if (!isMap(value) && !Array.isArray(value))
      return at.error('expected a map or a list: the JSON to send, as YAML');
    return readNode(value, at);
  },
);

/** Configs contain text, but services distinguish `5` from `"5"`, so unquoted `true`, `false` and numbers are sent as such. */
function readNode(written: unknown, at: Diagnostics): BodyNode {
  if (typeof written === 'number' || typeof written === 'boolean' || written === null) return written;
  const value =
    typeof written === 'string' && isTyped.test(written) && at.isPlain ? typed(written) : undefined;
  if (value !== undefined) return value;
  if (typeof written === 'string') return readText(written, at);
  if (Array.isArray(written)) return written.map((item, index) => readNode(item, at.in(index)));
  if (!isMap(written)) return null;
  if ('$field' in written) return readField(written, at);
  if ('<<' in written)
    at.in('<<').error(
      'merge keys are not part of YAML 1.2; use an alias for a whole block, or write the keys out',
      { aboutKey: true },
    );
  const word = words.find((one) => one in written);
  if (word) at.in(word).error(`use ${word} as a value, as in "answers: ${word}"`, { aboutKey: true });
  return new Map(
    Object.entries(written).map(([key, item]) => {
      if (key.includes('{{')) {
        at.in(key).error('templates work only in values, not in keys', { aboutKey: true });
      }
      return [key, readNode(item, at.in(key))];
    }),
  );
}

const isTyped = /^(true|True|TRUE|false|False|FALSE|-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?)$/;

/** `undefined` for a number with too many digits, which remains text. */
function typed(text: string): number | boolean | undefined {
  if (/^t/i.test(text)) return true;
  return /^f/i.test(text) ? false : jsonNumber(text);
}

function readText(written: string, at: Diagnostics): BodyNode {
  if (written === '$fields') return { leaf: 'fields' };
  if (written === '$submission') return { leaf: 'submission' };
  if (/^\$([a-z_]+$|(field|fields|submission)[.:[])/i.test(written)) {
    at.error(
      `"${written}" is neither $fields nor $submission${didYouMean(nearest(written, [...words]))}; a field's own value is {$field: its_name}`,
    );
  }
  return template()(written, at) ?? null;
}

function readField(written: Readonly<Record<string, unknown>>, at: Diagnostics): BodyNode {
  const { $field: name, ...others } = written;
  const [other] = Object.keys(others);
  if (other !== undefined)
    at.in(other).error('$field must be the only key of its map, as in "topics: {$field: topics}"', {
      aboutKey: true,
    });
  const isName = typeof name === 'string' && name !== '' && !name.includes('{{');
  if (isName && !(isTyped.test(name) && at.in('$field').isPlain)) return { leaf: 'field', name };
  at.in('$field').error('expected the name of a field, as in {$field: email}');
  return null;
}

/** The leaves of the tree, with their paths. */
function* endsOf(node: BodyNode, path: FieldRead['path'] = []): Generator<readonly [End, FieldRead['path']]> {
  if (isBranch(node)) for (const [step, item] of node.entries()) yield* endsOf(item, [...path, step]);
  else yield [node, path];
}

const isBranch = (node: BodyNode): node is Exclude<BodyNode, End> => node instanceof Map || isList(node);

const hasEnd = (body: BodyNode, isWanted: (end: End) => boolean): boolean =>
  [...endsOf(body)].some(([end]) => isWanted(end));

export const fieldsIn = (body: BodyNode, path: FieldRead['path']): readonly FieldRead[] =>
  [...endsOf(body, path)].flatMap(([end, at]) =>
    isLeaf(end) && end.leaf === 'field' ? [{ name: end.name, path: [...at, '$field'] }] : [],
  );

export const holdsField = (body: BodyNode, name: string): boolean =>
  hasEnd(body, (end) => isLeaf(end) && (end.leaf === 'field' ? end.name === name : end.leaf === 'fields'));

const isList = (node: BodyNode): node is readonly BodyNode[] => Array.isArray(node);
const isLeaf = (node: BodyNode): node is Leaf => typeof node === 'object' && node !== null && 'leaf' in node;
