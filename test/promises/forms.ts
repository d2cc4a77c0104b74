/** The forms that the suite declares in a product: few, so that they can also be declared by hand. */
import type { Feature, FormDeclared, OutputDeclared, ProductConfig } from './adapter.ts';
import { rejectedRecipient } from './smtp_sink.ts';

/** The addresses of the sinks. */
interface Sinks {
  readonly http: string;
  readonly smtpPort: number;
}

/** In configs as `{{ env "PROMISES_TOKEN" }}`; must not be in any answer. */
export const configSecret = 'S3CRET-of-the-config';
export const environment = { PROMISES_TOKEN: configSecret } as const;

export const mailSecret = 'S3CRET-of-the-mailbox';

const fields = [
  { name: 'name', required: true },
  { name: 'email', type: 'email' },
  { name: 'message', type: 'textarea' },
  { name: 'page', type: 'hidden' },
] as const;

const all = { name: 'name', email: 'email', message: 'message', page: 'page' } as const;

/** A form with these outputs and keys, and the features that it needs. */
const needing = (
  needs: readonly Feature[],
  outputs: FormDeclared['outputs'],
  keys: Partial<FormDeclared> = {},
): { readonly needs: readonly Feature[]; readonly form: FormDeclared } => ({
  needs,
  form: { fields, outputs, ...keys },
});

/** All forms, with the features that they need. The function is long because it is data. */
function catalogue({ http, smtpPort }: Sinks, offers: readonly Feature[]) {
  const to = (kind: string, keys: Partial<OutputDeclared> = {}): OutputDeclared => ({
    type: 'http_post',
    url: `${http}/${kind}`,
    mapping: all,
    ...keys,
  });
  const mail = (keys: Partial<OutputDeclared> = {}): OutputDeclared => ({
    ...{ type: 'smtp', host: '127.0.0.1', port: `${smtpPort}`, to: 'owner@promises.test', mapping: all },
    ...keys,
  });
  // Any output that the product has: most promises are about what arrives, not how.
  const anywhere = offers.includes('http_post') ? to('take') : mail();
  const tolerated = { on_error: 'continue', timeout: '1s' } as const;
  const rejected = mail({ to: rejectedRecipient, ...tolerated });
  const spam = { honeypot: 'website' };
  const timed = { ...spam, min_fill_seconds: 1, form_ttl: '1h' };
  const token = 'Bearer {{ env "PROMISES_TOKEN" }}';
  const guardedBy = (path: string) => ({
    captcha: { provider: 'hcaptcha', secret: configSecret, verify_url: `${http}/${path}` },
  });
  return {
    contact: needing([], [anywhere]),
    post: needing(['http_post'], [to('take/post')]),
    mail: needing(['smtp'], [mail()]),
    mapped: needing(
      ['http_post', 'mapping'],
      [
        to('take', {
          mapping: { full_name: 'name', reply: 'email', note: 'message' },
          static: { source: 'site', reply: 'fixed@promises.test', nothing: '' },
        }),
      ],
    ),
    lead: needing(
      ['crm_web2lead'],
      [to('take', { type: 'crm_web2lead', mapping: { last_name: 'name' }, static: { oid: '00D' } })],
    ),
    several: needing(['http_post', 'smtp', 'fan_out'], [to('take/first'), mail(), to('take/last')]),
    first_fails: needing(['http_post', 'fan_out'], [to('fail-500'), to('take/second')]),
    last_fails: needing(['http_post', 'fan_out'], [to('take/first'), to('fail-500')]),
    tolerant: needing(['http_post', 'fan_out', 'on_error'], [to('fail-500', tolerated), to('take')]),
    refused_by_receiver: needing(['http_post'], [to('fail-403')]),
    beset: needing(
      ['http_post', 'smtp', 'fan_out', 'on_error'],
      [
        // Only root can listen on port 1.
        to('take', { url: 'http://127.0.0.1:1/', ...tolerated }),
        ...['hang', 'cut', 'garbage', 'endless'].map((kind) => to(kind, tolerated)),
        rejected,
        to('take'),
      ],
    ),
    hanging: needing(['http_post'], [to('hang', { timeout: '2s' })]),
    flaky: needing(['http_post', 'retries'], [to('flaky')]),
    unregistered: needing(
      ['http_post', 'fan_out', 'on_error'],
      [{ type: 'carrier_pigeon', on_error: 'continue' }, to('take')],
    ),
    telling: needing(
      ['http_post', 'smtp', 'headers', 'templates', 'fan_out'],
      [
        to('tell', { headers: { Authorization: token } }),
        mail({ to: rejectedRecipient, username: 'relay', password: mailSecret }),
      ],
    ),
    headers: needing(
      ['http_post', 'headers', 'templates'],
      [
        to('take', {
          headers: {
            Authorization: token,
            'X-Name': '{{ .fields.name }}',
            'Content-Type': 'application/json',
          },
        }),
      ],
    ),
    mail_login: needing(['smtp'], [mail({ username: 'relay', password: mailSecret })]),
    mail_refused: needing(['smtp'], [mail({ to: rejectedRecipient })]),
    mail_templated: needing(
      ['smtp', 'templates'],
      [mail({ to: 'owner@promises.test, {{ .fields.email }}', subject: 'From {{ .fields.name }}' })],
    ),
    templated: needing(
      ['http_post', 'templates', 'mapping'],
      [
        to('take', {
          mapping: { name: 'name', braces: 'message' },
          static: {
            field: '<{{ .fields.name }}>',
            absent: '<{{ .fields.page }}>',
            form: '{{ .form.id }}',
            at: '{{ .submitted_at }}',
            trim: '<{{ trim .fields.message }}>',
            lower: '{{ lower .fields.name }}',
            upper: '{{ upper .fields.name }}',
            default: '{{ default "nobody" .fields.email }}',
            known: '{{ env "PROMISES_TOKEN" }}',
            unknown: '<{{ env "PROMISES_UNKNOWN" }}>',
            environment: '<{{ .env }}>',
            joined: '{{ join "+" (values "name") }}',
          },
        }),
      ],
    ),
    trapped: needing(['honeypot'], [anywhere], { spam }),
    timed: needing(['min_fill', 'honeypot'], [anywhere], { spam: timed }),
    timed_too: needing(['min_fill', 'honeypot'], [anywhere], { spam: timed }),
    // So long that a busy machine is too fast for it, too.
    patient: needing(['min_fill', 'honeypot'], [anywhere], { spam: { ...timed, min_fill_seconds: 600 } }),
    brief: needing(['min_fill'], [anywhere], {
      spam: { min_fill_seconds: 1, form_ttl: '2s', token_field: 'stamp' },
    }),
    guarded: needing(['captcha'], [anywhere], guardedBy('captcha')),
    unverified: needing(['captcha'], [anywhere], guardedBy('captcha-garbage')),
    worded: needing(['fragments'], [anywhere], { confirmation: 'Merci & <b>à bientôt</b>' }),
    typed: needing(
      ['field_types', 'validation'],
      [{ ...anywhere, mapping: { name: 'name', topics: 'topics' } }],
      {
        fields: [
          { name: 'name' },
          { name: 'amount', type: 'number' },
          { name: 'day', type: 'date' },
          { name: 'site', type: 'url' },
          { name: 'size', type: 'select', options: ['small', 'large'] },
          { name: 'colour', type: 'radios', options: ['red', 'blue'] },
          { name: 'topics', type: 'checkboxes', options: ['a', 'b', 'c'] },
        ],
      },
    ),
  };
}

export type FormName = keyof ReturnType<typeof catalogue>;

/** The forms that the product can have. */
export const declared = (sinks: Sinks, offers: readonly Feature[]): ProductConfig['forms'] =>
  Object.fromEntries(
    Object.entries(catalogue(sinks, offers))
      .filter(([, { needs }]) => needs.every((feature) => offers.includes(feature)))
      .map(([name, { form }]) => [name, form]),
  );

/** The features that a form needs in any product. */
export function needsOf(name: FormName): readonly Feature[] {
  return catalogue({ http: '', smtpPort: 0 }, [])[name].needs;
}
