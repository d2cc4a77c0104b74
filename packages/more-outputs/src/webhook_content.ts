/** What a webhook sends: JSON with typed values, and files. */

import { createHash } from 'node:crypto';
import type { Delivery, Field, OutputForm, OutputRequest, UploadedFile } from '@form-relay/core/index';
import {
  alone,
  base64Of,
  joined,
  jsonOf,
  labelOf,
  sliced,
  Template,
  visibleFields,
  withoutEmpty,
} from '@form-relay/core/kit';
import { pdfName } from './pdf_name.ts';
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
    if (one.leaf === 'pdf') return values.pdf();
    return one.leaf === 'fields' ? allFields(values, form) : aboutSubmission(delivery);
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

const allFields = (values: ReturnType<typeof jsonValues>, { fields, locale }: OutputForm) =>
  fields.map((field) => ({
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

/** A file in JSON. `part`: the name under which a form with this field alone would send it. */
export type FileInJson = (file: UploadedFile, part: string) => object;

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
      if (file && sent?.length === 1 && !field?.takesSeveral) return fileInJson(file, name);
      if (sent) return sent.map((one, index) => fileInJson(one, `${name}[${index}]`));
      const filled = withoutEmpty(values.get(name) ?? []);
      if (!field) return alone(filled);
      return filled.length === 0 && !visible.has(field) ? undefined : field.json(filled);
    },
    /** `null`: it could not be made. */
    pdf(): object | null {
      const [pdf] = files.get(pdfName) ?? [];
      return pdf ? fileInJson(pdf, pdfName) : null;
    },
  };
}

/** Webhooks with files: what is sent is made while it is sent, so that no file is held twice. */

export type Content = Pick<OutputRequest, 'contentType' | 'body' | 'streamed'>;

/** Makes the JSON, as what `JSON.stringify` takes. */
type Render = (fileInJson: FileInJson) => unknown;

export function asBase64(render: Render): Content {
  const tree = render((file, part) => ({
    ...aboutFile(file, part),
    content: base64Of(file.bytes),
  }));
  return { contentType: 'application/json', body: '', streamed: jsonOf(tree) };
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
  const parts = [
    // Without a media type: to many receivers, a part with one is a file.
    `--${boundary}\r\n${disposition(json)}\r\n\r\n${JSON.stringify(tree)}\r\n`,
    ...[...files].flatMap(([part, file]) => [
      `--${boundary}\r\n${disposition(part)}; filename="${quoted(file.name)}"\r\nContent-Type: ${file.type}\r\n\r\n`,
      sliced(file.bytes),
      '\r\n',
    ]),
    `--${boundary}--\r\n`,
  ];
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: '',
    streamed: joined(parts),
  };
}

const json = 'payload';

const disposition = (name: string) => `Content-Disposition: form-data; name="${quoted(name)}"`;

/** As browsers write names (HTML: multipart/form-data encoding algorithm). */
const quoted = (name: string) => name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
