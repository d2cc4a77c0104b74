import type { Form } from '@form-relay/core/form';
import { labelOf } from '@form-relay/core/kit';
import { printedForm } from '@form-relay/pages/printed_form';
import type { ChosenFile } from '@form-relay/studio/dry_run/explain';
import { nameOfSample, sampleValues } from '@form-relay/studio/samples';
import * as z from 'zod/v4';
import { candidateKeys, formName, formOf, loadTried } from '../shared.ts';
import { looksOnly, tool } from '../tool.ts';

/** More forms at once make an answer that is too long to read. */
const mostForms = 3;

export const tryConfig = tool({
  name: 'try_config',
  title: 'Try a config',
  description:
    'Tries the forms of a config with made-up values: shows the HTML of each form, the values, and what a submission of them would lead to. Nothing is sent. Use it after a change, to see that every output still gets what it should; explain_submission takes values of yours. Without text and edits, it takes the config on disk.',
  annotations: looksOnly,
  input: z.strictObject({ form: formName.optional(), ...candidateKeys }),
  output: z.object({
    forms: z.array(
      z.object({
        form: z.string(),
        fields: z.array(z.object({ name: z.string(), type: z.string(), label: z.string() })),
        html: z.string(),
        values: z.array(z.object({ name: z.string(), value: z.string() })),
        outcome: z.string(),
        says: z.string(),
        answer: z.looseObject({ status: z.number() }),
        outputs: z.array(
          z.looseObject({
            type: z.string(),
            target: z.string(),
            result: z.string(),
            warnings: z.array(z.string()),
          }),
        ),
        mails: z.array(z.looseObject({ result: z.string() })),
        notes: z.array(z.string()),
      }),
    ),
    left_out: z.array(z.string()).describe('Forms beyond the first 3: name one.'),
  }),
  async run({ form: name, ...candidate }, session, signal) {
    const { config, explain } = await loadTried(candidate, session);
    const all = name === undefined ? [...config.forms.values()] : [formOf(config, name)];
    const forms = [];
    for (const form of all.slice(0, mostForms)) {
      signal.throwIfAborted();
      forms.push(await tried(form));
    }
    return { forms, left_out: all.slice(mostForms).map(({ id }) => id) };

    async function tried(form: Form) {
      const samples = sampleValues(form, Date.now());
      const files = samples.flatMap(([field, value]) => fileIn(field, value) ?? []);
      const pairs = samples.filter(([, value]) => nameOfSample(value) === undefined);
      const { report, confirmed } = await explain(form, { pairs, files });
      const { outcome, says, answer, outputs, notes } = confirmed ?? report;
      return {
        form: form.id,
        fields: form.fields.map((field) => ({
          name: field.name,
          type: field.type,
          label: labelOf(field, form.locale(undefined)),
        })),
        html: String(printedForm(form, '')),
        values: samples.map(([field, value]) => ({ name: field, value: nameOfSample(value) ?? value })),
        outcome,
        says,
        answer: { ...answer },
        outputs: outputs.map((output) => ({ ...output, warnings: [...output.warnings] })),
        mails: [...report.mails, ...(confirmed?.mails ?? [])].map((mail) => ({ ...mail })),
        notes: [...notes],
      };
    }
  },
});

/** A file that a sample stands for as `data:`. */
function fileIn(field: string, value: string): ChosenFile | undefined {
  const name = nameOfSample(value);
  if (name === undefined) return undefined;
  const [head = '', data = ''] = value.split(';base64,');
  return { field, name, type: /^data:([^;]+)/.exec(head)?.[1] ?? '', bytes: Buffer.from(data, 'base64') };
}
