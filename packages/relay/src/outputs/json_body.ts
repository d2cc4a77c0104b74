/**
 * The `body` of a webhook: a tree in YAML. Templates stand only in its leaves, each a text of its own, so that nothing
 * a visitor writes can break out of it.
 */
import * as v from 'valibot';
import { type Finding, finding } from '../base/config_finding.ts';
import type { Job } from '../base/job.ts';
import type { Path } from '../base/place.ts';
import { nearest } from '../base/suggestion.ts';
import { labelOf } from '../fields/label.ts';
import { report } from '../schema/issue.ts';
import { isMap } from '../schema/kinds.ts';
import { parseTemplate } from '../schema/template/parse.ts';
import { type Scope, Template } from '../schema/template/render.ts';
import { type FileInJson, JsonValues } from './json_value.ts';
import type { FormAbout } from './output.ts';

/** Maps, lists and templates, so that output.ts finds the templates in it. */
export type BodyNode =
  | ReadonlyMap<string, BodyNode>
  | readonly BodyNode[]
  | Template
  | Leaf
  | number
  | boolean
  | null;

/** What is not text: a field's own value, all of them, or what is known of the submission. */
type Leaf =
  | { readonly leaf: 'field'; readonly name: string }
  | { readonly leaf: 'fields' }
  | { readonly leaf: 'submission' };

const words = ['$fields', '$submission'] as const;

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

/** Whether it holds what the field of this name has, with its type. */
export function holdsField(node: BodyNode, name: string): boolean {
  if (node instanceof Map) return [...node.values()].some((item) => holdsField(item, name));
  if (isList(node)) return node.some((item) => holdsField(item, name));
  if (!isLeaf(node)) return false;
  return node.leaf === 'field' ? node.name === name : node.leaf === 'fields';
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

/** All that the form declares, so that each submission has the same shape. */
const allFields = (values: JsonValues, { fields }: FormAbout) =>
  fields.map(({ name, label }) => ({
    name,
    label: labelOf({ label, name }),
    value: values.of(name) ?? null,
  }));

const aboutSubmission = ({ requestId, formId, page, doubt }: Job, { submittedAt }: Scope) => ({
  id: requestId,
  form: formId,
  received_at: submittedAt,
  page: page?.url,
  doubt,
});

const isList = (node: BodyNode): node is readonly BodyNode[] => Array.isArray(node);
const isLeaf = (node: BodyNode): node is Leaf => typeof node === 'object' && node !== null && 'leaf' in node;
