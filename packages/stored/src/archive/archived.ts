/** For other features: what the form's archives have of a submission now. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { withTimeout } from '@form-relay/base/with_timeout';
import type { Form, Values } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { documentName, folderOf, stemOf } from '@form-relay/more-outputs/archive_layout';
import { readDocument } from './document.ts';
import { isBucket, openArchive } from './open.ts';

declare module '@form-relay/core/plugin' {
  interface Provided {
    /** For features with `reads: ['archived']`. */
    readonly archived: {
      /** `gone`: no archive that can be read has it. `undefined`: none can be read, or has all its values. */
      read(form: Form, id: string, receivedAt: number): Promise<Values | 'gone' | undefined>;
    };
  }
}

const mostBytes = 1_048_576;
const timeoutMs = 5_000;

export const archived = feature({
  name: 'archived',
  configure: ({ outputTypes }) =>
    outputTypes.some((type) => type === 'folder' || type === 's3') ? { provides: { read } } : undefined,
});

async function read(form: Form, id: string, receivedAt: number): Promise<Values | 'gone' | undefined> {
  let ending: 'gone' | undefined;
  for (const [index, output] of form.outputs.entries()) {
    const { isArchive, mapping, target: place } = output;
    const isSealed = 'seal_to' in output || 'seal_to_file' in output;
    if (!isArchive || place === undefined || isSealed || mapping instanceof Map) continue;
    const deliveryId = `${id}-${index}`;
    const folder = folderOf({ form: form.id, receivedAt });
    const path = `${folder}/${documentName(stemOf({ receivedAt, deliveryId }))}`;
    const bytes = await withTimeout(
      timeoutMs,
      openArchive(place).read(path, mostBytes),
      () => undefined,
    ).catch(() => undefined);
    const document = bytes?.ok ? readDocument(bytes.value) : undefined;
    if (document?.ok && document.value.id === id)
      return new Map(document.value.fields.map(({ name, values }) => [name, values]));
    const mustHaveIt = !output.accepts && !isBucket(place);
    if (mustHaveIt && existsSync(place) && !existsSync(join(place, path))) ending = 'gone';
  }
  return ending;
}
