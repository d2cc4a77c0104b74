import { type Condition, inWords } from '@form-relay/relay/base';
import { applies } from '@form-relay/relay/transports';
import { canAppear, canSend } from './field_names.ts';
import { error, type PageCheck, type PageForm, quote } from './page_finding.ts';

/** Checks whether a submission of this page can reach an output of its form. Other pages may reach the others. */
export const outputConditions: PageCheck = (subject) => {
  const { outputs } = subject.config;
  const whens = outputs.flatMap(({ when }) => when ?? []);
  if (whens.length < outputs.length || whens.some((when) => canHold(when, subject))) return [];
  const asked = new Set(whens.map((when) => inWords({ ...when, field: quote(when.field) })));
  const message = `what this form can send reaches no output, since each waits for something else (${[...asked].join('; ')}): every submission is answered 500`;
  return [error(subject.form.place, 'output_unreached', message)];
};

function canHold(when: Condition, subject: PageForm): boolean {
  const isMeant = (value: string) => applies(when, new Map([[when.field, [value]]]));
  const decider = subject.config.fields.find(({ name }) => name === when.field);
  return isMeant('') || (!!decider && canAppear(decider, subject) && canSend(when.field, isMeant, subject));
}
