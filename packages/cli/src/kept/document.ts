import { createHash } from 'node:crypto';
import { withoutEmpty } from '@form-relay/relay/base/values';
import { labelOf } from '@form-relay/relay/fields/field';
import type { Form } from '@form-relay/relay/form';
import type { KeptSubmission } from '@form-relay/relay/keeping/stores/content';
import type { ArchivedFile } from '@form-relay/relay/transports/archive/archive_entry';

/** What a visitor sent, as archives have it. */
export interface SubmissionDocument {
  readonly page?: { readonly url: string; readonly title: string };
  readonly fields: readonly {
    readonly name: string;
    readonly label: string;
    readonly values: readonly string[];
  }[];
  /** They lie in the store, with the rest. */
  readonly files: readonly Omit<ArchivedFile, 'path'>[];
}

/** @param form Knows what visitors read beside each field; as far as the config still has it. */
export function documentOf(
  { values, files, page }: KeptSubmission,
  form: Form | undefined,
): SubmissionDocument {
  const labels = new Map(form?.fields.map((field) => [field.name, labelOf(field)]));
  const texts = [...values].filter(([name]) => !files.has(name));
  const all = [...files].flatMap(([field, some]) => some.map((file) => ({ field, file })));
  return {
    ...(page && { page: { url: page.url, title: page.title } }),
    fields: texts.map(([name, all]) => ({
      name,
      label: labels.get(name) ?? name,
      values: withoutEmpty(all),
    })),
    files: all.map(({ field, file: { name, type, bytes } }) => ({
      field,
      name,
      type,
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })),
  };
}
