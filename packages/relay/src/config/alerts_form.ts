import * as v from 'valibot';
import { archive } from '../features/archive.ts';
import { keep } from '../features/keep/keep.ts';
import type { Form, FormOutput } from '../form.ts';
import { outputTypeNames, outputTypeOf } from '../outputs/index.ts';
import type { Output } from '../outputs/output.ts';
import { planPayload } from '../outputs/payload.ts';
import { type Finding, finding } from '../schema/finding.ts';
import { isMap } from '../schema/kinds.ts';
import { noLists } from '../schema/lists/list.ts';
import { meantBy } from '../schema/suggestion.ts';
import { Template } from '../schema/template/render.ts';
import { buildForm, createCommon, inEnglish } from './build_form.ts';
import { crossChecks } from './cross_checks.ts';
import { english } from './languages.ts';
import { formSchema, type ParsedTop } from './schema.ts';
import { warningsOf } from './warnings.ts';

export interface Alerts {
  /** A made-up form (`isAlerts`): what is told are its submissions, so that outputs of every type can say it. */
  readonly form: Form;
  /** How long something may wait before that is told. */
  readonly oldestMs: number;
}

/** The contents of an alert, as fields of a form, in reading order. */
const fields = [
  { name: 'summary' },
  { name: 'form' },
  { name: 'waiting', type: 'number', label: 'Deliveries that wait' },
  { name: 'aside', type: 'number', label: 'Of these, for you' },
  { name: 'oldest', label: 'The oldest was kept' },
  { name: 'reason', type: 'textarea' },
  { name: 'what_to_do', type: 'textarea' },
  {
    name: 'event',
    type: 'select',
    options: ['kept', 'waiting', 'old', 'aside', 'keep_failed', 'delivered', 'unpruned', 'bounced'],
  },
];

/** No visitor sends this form; its deliveries depend on `fields` alone. */
const id = 'alerts';
const title = 'Form Relay: what is kept';

/** Defaults for keys that the owner has left out. */
const defaults = {
  subject: 'Form Relay: {{ .fields.summary }}',
  title: '{{ .fields.summary }}',
  text: '{{ .fields.summary }}\n\n{{ .fields.reason }}\n\n{{ .fields.what_to_do }}',
};

/** @param top What applies to alerts, too. */
export function alertsOf(
  { outputs, oldest }: NonNullable<ParsedTop['alerts']>,
  top: Pick<ParsedTop, 'bounces'>,
): Alerts {
  const parsed = v.parse(formSchema, {
    title,
    fields,
    outputs: [{ type: 'http_post', url: 'https://a.example/' }],
  });
  const form = buildForm(id, inEnglish({ ...parsed, outputs: [] }), createCommon(top, english, noLists));
  return {
    form: { ...form, isAlerts: true, outputs: outputs.map((one) => ready(one, form)) },
    oldestMs: oldest,
  };
}

function ready(output: Output, { fields, language, say }: Form): FormOutput {
  const keys = outputTypeOf(output.type)?.keys ?? {};
  for (const [key, source] of Object.entries(defaults)) {
    const schema = keys[key] as v.GenericSchema | undefined;
    if (schema && !isWritten(output, key, schema)) Object.assign(output, { [key]: v.parse(schema, source) });
  }
  const mapping = output.mapping ?? '*';
  const names = fields.map(({ name }) => name);
  const about = {
    id,
    title,
    language,
    direction: 'ltr',
    pageLabel: say({ code: 'mail_page' }),
    doubtLabel: say({ code: 'mail_doubt' }),
    waitingLabel: say({ code: 'mail_waiting' }),
    doubtWords: (mark: string) => mark,
    tagSubject: '',
    fields,
  } as const;
  return Object.assign(output, { mapping, plan: planPayload({ ...output, mapping }, names), form: about });
}

/** A mail's text would stand in the place of what else it says. */
function isWritten(output: Output, key: string, schema: v.GenericSchema): boolean {
  const written = output as Output & Readonly<Record<string, unknown>>;
  if (key === 'text' && (written.html || output.mapping || output.static)) return true;
  const own = written[key];
  return (
    own !== undefined && !(own instanceof Template && own.source === (schema as Partial<Defaulted>).default)
  );
}

interface Defaulted {
  readonly default: string;
}

export function alertProblems(config: unknown): readonly Finding[] {
  if (!isMap(config) || !isMap(config.alerts)) return [];
  const { outputs } = config.alerts;
  return crossChecks(id, { fields, outputs }).map((one) => ({ ...one, path: [id, ...one.path.slice(2)] }));
}

export function alertWarnings(
  { form }: Alerts,
  forms: readonly Form[],
  isTellingBounces: boolean,
): readonly Finding[] {
  const isUsed = isTellingBounces || forms.some((one) => keep.of(one) ?? archive.of(one));
  return [
    ...(isUsed ? [] : [finding('alerts_of_nothing', [id])]),
    ...warningsOf(form)
      .filter(({ code }) => code !== 'submission_without_output')
      .map((one) => (one.code === 'output_type_unknown' ? ofUnknownType(one, form) : one)),
  ].map((one) => ({ ...one, severity: 'warning' }));
}

function ofUnknownType({ path }: Finding, { outputs }: Form): Finding {
  const { type = '' } = outputs[Number(path[2])] ?? {};
  return finding('alert_type_unknown', path, { type, near: meantBy(type, outputTypeNames) });
}
