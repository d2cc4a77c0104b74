import type { Submission } from '../base/submission.ts';
import { withoutEmpty } from '../base/values.ts';
import type { Form } from '../form.ts';

type Sent = Pick<Submission, 'values' | 'files'>;

/** Scripts and JSON send a drawing as text (a `data:` URL). Nothing but a form that is shown again reads it so. */
export function drawingsAsFiles(sent: Sent, { fields }: Form): Sent {
  let arrived = sent;
  for (const { name, fileIn } of fields) {
    const texts = fileIn && arrived.values.get(name);
    if (!texts) continue;
    const values = new Map(arrived.values);
    values.delete(name);
    const drawn = [...(arrived.files.get(name) ?? []), ...withoutEmpty(texts).map(fileIn)];
    const files = drawn.length > 0 ? new Map([...arrived.files, [name, drawn]]) : arrived.files;
    arrived = { values, files };
  }
  return arrived;
}
