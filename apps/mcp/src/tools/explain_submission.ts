import { fileOf, nameOfSample, sampleValues } from '@form-relay/dry-run/samples';
import { printedForm } from '@form-relay/pages/printed_form';
import type {} from '@form-relay/spam/page/index';
import * as z from 'zod/v4';
import { ToolError } from '../owner.ts';
import { candidateKeys, formName, formOf, loadTried, looksOnly, tool } from '../tool.ts';

const mostPairs = 500;

export const explainSubmission = tool({
  name: 'explain_submission',
  title: 'Explain a submission',
  description:
    'Shows what would happen to a submission, with your values or made-up ones: each check, each output with the bytes that it would send, mails, and the answer to the visitor. Nothing is sent, and no server is contacted. Variables have placeholders such as NAME@stand-in.example, and secrets are hidden. Without text and edits, the tool uses the config on disk.',
  annotations: looksOnly,
  input: z.strictObject({
    form: formName,
    fields: z
      .record(
        z.string().max(200),
        z.union([z.string().max(65_536), z.array(z.string().max(65_536)).max(100)]),
      )
      .optional()
      .describe(
        'Values by field name; a list for several values of one field. Default: made-up values for all fields, and the HTML of the form in the answer.',
      ),
    page: z.string().max(2_000).optional().describe('The address of the page, for a form with page: true.'),
    key: z
      .string()
      .max(200)
      .optional()
      .describe(
        'The name of a variable in the form’s keys_env: explains a submission from a server that sends this key.',
      ),
    ...candidateKeys,
  }),
  output: z.object({
    outcome: z.string(),
    says: z.string(),
    html: z.string().optional(),
    story: z.looseObject({ outcome: z.string() }),
    confirmed: z.looseObject({ outcome: z.string() }).optional(),
  }),
  async run({ form: name, fields, page, key, ...candidate }, session) {
    const { config, explain } = await loadTried(candidate, session);
    const form = formOf(config, name);
    if (page !== undefined && !form.provided.get('page'))
      throw new ToolError(`page is for forms with page: true, which ${form.id} does not have`);
    if (page !== undefined && !/^https?:\/\/./.test(page))
      throw new ToolError('page must be an address that starts with https://');
    const problem = key === undefined ? undefined : session.owner.keyProblem(form, key);
    if (problem !== undefined) throw new ToolError(problem);
    const samples = fields ? [] : sampleValues(form, Date.now());
    const pairs = fields
      ? Object.entries(fields).flatMap(([field, value]) => [value].flat().map((one) => [field, one] as const))
      : samples.filter(([, value]) => nameOfSample(value) === undefined);
    if (pairs.length > mostPairs) throw new ToolError(`give no more than ${mostPairs} values`);
    const files = samples.flatMap(([field, value]) => {
      const file = fileOf(value);
      return file ? [{ field, ...file }] : [];
    });
    const { report, confirmed } = await explain(form, { pairs, files, page, key });
    const last = confirmed ?? report;
    return {
      outcome: last.outcome,
      says: last.says,
      ...(!fields && { html: String(printedForm(form, '')) }),
      story: { ...report },
      ...(confirmed && { confirmed: { ...confirmed } }),
    };
  },
});
