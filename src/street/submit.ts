import { checks } from '../checks/index.ts';
import { validate } from '../checks/validation.ts';
import type { CheckEvidence } from '../event.ts';
import { visibleFields } from '../fields/visible_when.ts';
import type { Form } from '../form.ts';
import type { Outcome } from '../outcome.ts';
import type { Submission } from '../submission.ts';
import type { Values } from '../values.ts';
import { deliver, type StreetContext } from './deliver.ts';

/** The street that every submission goes down. */
export async function submit(submission: Submission, context: StreetContext): Promise<Outcome> {
  const { form, tell } = context;
  for (const check of checks) {
    if (!check.isOn(form)) continue;
    const examining = check.examine(submission, context);
    const { evidence, ending } = examining instanceof Promise ? await examining : examining;
    tell({ kind: 'checked', passed: ending === undefined, evidence });
    if (ending) return ending;
  }
  const values = validate(submission, context);
  if ('kind' in values) {
    if (values.kind === 'invalid') {
      tell({
        kind: 'checked',
        passed: false,
        evidence: { check: 'validation', code: 'invalid', errors: values.errors },
      });
    }
    return values;
  }
  tell({ kind: 'checked', passed: true, evidence: valid(form, submission.values) });
  // Nothing holds on to what was sent under other names while outputs take their time.
  return deliver({ ...submission, values }, context);
}

/** Which fields were validated, and which `visible_when` left out. */
function valid({ fields }: Form, values: Values): CheckEvidence {
  const visible = visibleFields(fields, values);
  const hidden = fields.filter((field) => !visible.includes(field)).map(({ name }) => name);
  return { check: 'validation', code: 'valid', fields: visible.length, hidden };
}
