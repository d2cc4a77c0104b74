/** What it takes to render a template, beside a closure that somebody wrote for just this one. */
import { parseTemplate } from '../../packages/relay/src/schema/template/parse.ts';
import type { Scope } from '../../packages/relay/src/schema/template/render.ts';
import { contest } from './contest.ts';

const parsed = parseTemplate(
  'New {{ .form.id }} from {{ .fields.name | trim | default "somebody" }} <{{ .fields.email | lower }}>, {{ env "SITE" }}',
);
if (!parsed.ok) throw new Error('the template of this bench does not parse');
const template = parsed.value;

const scope: Scope = {
  fields: new Map([
    ['name', ['Ada Lovelace ']],
    ['email', ['Ada@Example.org']],
  ]),
  formId: 'contact',
  submittedAt: '2030-12-31T23:59:59Z',
  env: () => 'example.com',
};

const byHand = ({ fields, formId, env }: Scope) => {
  const name = fields.get('name')?.join(',').trim() || 'somebody';
  const email = fields.get('email')?.join(',').toLowerCase() ?? '';
  return `New ${formId} from ${name} <${email}>, ${env('SITE') ?? ''}`;
};

contest('A template with four actions', {
  template: () => template.render(scope),
  closure: () => byHand(scope),
});
