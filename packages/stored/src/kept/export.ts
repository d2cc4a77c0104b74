import type { Config } from '@form-relay/core/config';
import type { ContentKeys } from '@form-relay/queue/content';
import type { Listed, Store } from '@form-relay/queue/index';
import { writeDocument } from '../archive/document.ts';
import { table } from '../archive/sheet.ts';
import { documentOf, factsOf } from './list.ts';
import { readListed } from './open.ts';

/** An export's source and keys. */
export interface Exporting {
  readonly store: Store;
  readonly config: Config | undefined;
  readonly keys: ContentKeys;
  readonly isChosen: (one: Listed) => boolean;
  /** Learns what cannot be read. */
  readonly tell: (id: string, what: string) => void;
}

async function* readAll({ store, keys, isChosen, tell }: Exporting) {
  for await (const one of store.list()) {
    if (!isChosen(one)) continue;
    const read = await readListed(one, keys);
    if (read.ok) yield { one, submission: read.value };
    else tell(one.kept.id, read.error);
  }
}

/** A line for each delivery: what is known of it, and the submission. */
export async function* asJsonLines(context: Exporting): AsyncGenerator<string> {
  const { config, tell } = context;
  for await (const { one, submission } of readAll(context)) {
    const document = documentOf(submission, config?.forms.get(one.kept.form));
    const line = writeDocument({ ...factsOf(one, config), ...document });
    if (line.ok) yield `${line.value}\n`;
    else tell(one.kept.id, line.error);
  }
}

/** A table for spreadsheets: a row for each delivery, so that a submission has one for each output that owes it. */
export const asCsv = (context: Exporting): AsyncGenerator<string> => table(rows(context));

async function* rows(context: Exporting) {
  for await (const { one, submission } of readAll(context)) {
    const { id, form, received_at } = factsOf(one, context.config);
    const { page, values } = submission;
    yield { id, form, received_at, ...(page && { page }), cells: values };
  }
}
