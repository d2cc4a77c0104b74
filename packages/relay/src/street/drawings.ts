import type { Submission } from '../base/submission.ts';
import { withoutEmpty } from '../base/values.ts';
import type { Form } from '../form.ts';

type Sent = Pick<Submission, 'values' | 'files'>;

/** Scripts and JSON send a drawing as text (a `data:` URL). Nothing but a form that is shown again reads it so. */
export function drawingsAsFiles({ values, files }: Sent, { fields }: Form): Sent {
  let texts: Map<string, readonly string[]> | undefined;
  const found = new Map(files);
  for (const { name, fileIn } of fields) {
    const sent = fileIn && values.get(name);
    if (!sent) continue;
    texts ??= new Map(values);
    texts.delete(name);
    const drawn = [...(files.get(name) ?? []), ...withoutEmpty(sent).map(fileIn)];
    if (drawn.length > 0) found.set(name, drawn);
  }
  return texts ? { values: texts, files: found } : { values, files };
}
