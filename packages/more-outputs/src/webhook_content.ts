/** The body of a webhook: JSON with typed values, and files. */

import { base64Of, jsonOf } from '@form-relay/base/streamed';
import { withoutEmpty } from '@form-relay/base/values';
import { single } from '@form-relay/core/fields/field';
import { labelOf } from '@form-relay/core/fields/label';
import type { Delivery, Field, OutputForm, OutputRequest, UploadedFile } from '@form-relay/core/index';
import { visibleFields } from '@form-relay/schema/condition';
import { Template } from '@form-relay/schema/template';
import { type BodyNode, isLeaf, isList } from './webhook_body.ts';

/** The body for a delivery, without fields that have no value and maps and lists that hold nothing else. */
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

/** Remarks go without the `_` of their names. */
const aboutSubmission = ({ requestId, formId, remarks = [], templateContext }: Delivery) => ({
  id: requestId,
  form: formId,
  received_at: templateContext.submittedAt,
  page: templateContext.page?.url,
  ...Object.fromEntries(remarks.map(({ name, value }) => [name.replace(/^_/, ''), value])),
});

/** A file in JSON. */
export type FileInJson = (file: UploadedFile) => object;

/** A file whose content is sent elsewhere, or not at all. */
export const aboutFile: FileInJson = ({ name, type, bytes }) => ({ name, type, size: bytes.length });

/** The submitted values as JSON: numbers, flags and lists keep their types. */
export function jsonValues(fields: readonly Field[], { values, files }: Delivery, fileInJson = aboutFile) {
  const declared = new Map(fields.map((field) => [field.name, field]));
  const visible = new Set(visibleFields(fields, values));
  return {
    /** A field's value, if it has one. A box that was not ticked is `false`, unless the visitor never saw it. */
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

/** Webhooks with files: what is sent is made while it is sent, so that no file is held twice. */

export type Content = Pick<OutputRequest, 'contentType' | 'body' | 'streamed'>;

/** Makes the JSON, as what `JSON.stringify` takes. */
type Render = (fileInJson: FileInJson) => unknown;

export function asBase64(render: Render): Content {
  const tree = render((file) => ({ ...aboutFile(file), content: base64Of(file.bytes) }));
  return { contentType: 'application/json', body: '', streamed: jsonOf(tree) };
}
