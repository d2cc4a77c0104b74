/** The forms that the suite declares in a product: few, so that they can be declared by hand where nothing else goes. */
import type { Feature, FormDeclared, OutputDeclared, ProductConfig } from './adapter.ts';
import { rejectedRecipient } from './smtp_sink.ts';

/** The addresses of the sinks. */
interface Sinks {
  readonly http: string;
  readonly smtpPort: number;
}

/** In the configs as `{{ env "PROMISES_TOKEN" }}`, and in no answer. */
export const configSecret = 'S3CRET-of-the-config';
export const environment = { PROMISES_TOKEN: configSecret } as const;

export const mailSecret = 'S3CRET-of-the-mailbox';

interface Catalogued {
  readonly needs: readonly Feature[];
  readonly form: FormDeclared;
}

const fields = [
  { name: 'name', required: true },
  { name: 'email', type: 'email' },
  { name: 'message', type: 'textarea' },
  { name: 'page', type: 'hidden' },
] as const;

const all = { name: 'name', email: 'email', message: 'message', page: 'page' } as const;

/** All forms, with the features that they need. The function is long since it is data. */
function catalogue({ http, smtpPort }: Sinks, offers: readonly Feature[]) {
  const to = (kind: string, keys: Partial<OutputDeclared> = {}): OutputDeclared => ({
    type: 'http_post',
    url: `${http}/${kind}`,
    mapping: all,
    ...keys,
  });
  const mail = (keys: Partial<OutputDeclared> = {}): OutputDeclared => ({
    type: 'smtp',
    host: '127.0.0.1',
    port: `${smtpPort}`,
    to: 'owner@promises.test',
    mapping: all,
    ...keys,
  });
  // Whichever the product has: most promises are about what arrives, not how.
  const anywhere = offers.includes('http_post') ? to('take') : mail();
  const tolerated = { on_error: 'continue', timeout: '1s' } as const;
  const spam = { honeypot: 'website' };
  const timed = { ...spam, min_fill_seconds: 1, form_ttl: '1h' };
  const forms = {
    contact: { needs: [], form: { fields, outputs: [anywhere] } },
    post: { needs: ['http_post'], form: { fields, outputs: [to('take/post')] } },
    mail: { needs: ['smtp'], form: { fields, outputs: [mail()] } },
    mapped: {
      needs: ['http_post', 'mapping'],
      form: {
        fields,
        outputs: [
          to('take', {
            mapping: { full_name: 'name', reply: 'email', note: 'message' },
            static: { source: 'site', reply: 'fixed@promises.test', nothing: '' },
          }),
        ],
      },
    },
    lead: {
      needs: ['crm_web2lead'],
      form: {
        fields,
        outputs: [
          to('take', { type: 'crm_web2lead', mapping: { last_name: 'name' }, static: { oid: '00D' } }),
        ],
      },
    },
    several: {
      needs: ['http_post', 'smtp', 'fan_out'],
      form: { fields, outputs: [to('take/first'), mail(), to('take/last')] },
    },
    first_fails: {
      needs: ['http_post', 'fan_out'],
      form: { fields, outputs: [to('fail-500'), to('take/second')] },
    },
    last_fails: {
      needs: ['http_post', 'fan_out'],
      form: { fields, outputs: [to('take/first'), to('fail-500')] },
    },
    tolerant: {
      needs: ['http_post', 'fan_out', 'on_error'],
      form: { fields, outputs: [to('fail-500', tolerated), to('take')] },
    },
    refused_by_receiver: { needs: ['http_post'], form: { fields, outputs: [to('fail-403')] } },
    beset: {
      needs: ['http_post', 'smtp', 'fan_out', 'on_error'],
      form: {
        fields,
        outputs: [
          // Only root can listen on port 1.
          to('take', { url: 'http://127.0.0.1:1/', ...tolerated }),
          to('hang', tolerated),
          to('cut', tolerated),
          to('garbage', tolerated),
          to('endless', tolerated),
          mail({ to: rejectedRecipient, ...tolerated }),
          to('take'),
        ],
      },
    },
    hanging: { needs: ['http_post'], form: { fields, outputs: [to('hang', { timeout: '2s' })] } },
    flaky: { needs: ['http_post', 'retries'], form: { fields, outputs: [to('flaky')] } },
    unregistered: {
      needs: ['http_post', 'fan_out', 'on_error'],
      form: { fields, outputs: [{ type: 'carrier_pigeon', on_error: 'continue' }, to('take')] },
    },
    telling: {
      needs: ['http_post', 'smtp', 'headers', 'templates', 'fan_out'],
      form: {
        fields,
        outputs: [
          to('tell', { headers: { Authorization: 'Bearer {{ env "PROMISES_TOKEN" }}' } }),
          mail({ to: rejectedRecipient, username: 'relay', password: mailSecret }),
        ],
      },
    },
    headers: {
      needs: ['http_post', 'headers', 'templates'],
      form: {
        fields,
        outputs: [
          to('take', {
            headers: {
              Authorization: 'Bearer {{ env "PROMISES_TOKEN" }}',
              'X-Name': '{{ .fields.name }}',
              'Content-Type': 'application/json',
            },
          }),
        ],
      },
    },
    mail_login: {
      needs: ['smtp'],
      form: { fields, outputs: [mail({ username: 'relay', password: mailSecret })] },
    },
    mail_refused: { needs: ['smtp'], form: { fields, outputs: [mail({ to: rejectedRecipient })] } },
    mail_templated: {
      needs: ['smtp', 'templates'],
      form: {
        fields,
        outputs: [
          mail({ to: 'owner@promises.test, {{ .fields.email }}', subject: 'From {{ .fields.name }}' }),
        ],
      },
    },
    templated: {
      needs: ['http_post', 'templates', 'mapping'],
      form: {
        fields,
        outputs: [
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
      },
    },
    trapped: { needs: ['honeypot'], form: { fields, outputs: [anywhere], spam } },
    timed: { needs: ['min_fill', 'honeypot'], form: { fields, outputs: [anywhere], spam: timed } },
    timed_too: { needs: ['min_fill', 'honeypot'], form: { fields, outputs: [anywhere], spam: timed } },
    brief: {
      needs: ['min_fill'],
      form: {
        fields,
        outputs: [anywhere],
        spam: { min_fill_seconds: 1, form_ttl: '2s', token_field: 'stamp' },
      },
    },
    guarded: {
      needs: ['captcha'],
      form: {
        fields,
        outputs: [anywhere],
        captcha: { provider: 'hcaptcha', secret: configSecret, verify_url: `${http}/captcha` },
      },
    },
    unverified: {
      needs: ['captcha'],
      form: {
        fields,
        outputs: [anywhere],
        captcha: { provider: 'hcaptcha', secret: configSecret, verify_url: `${http}/captcha-garbage` },
      },
    },
    worded: {
      needs: ['fragments'],
      form: { fields, outputs: [anywhere], confirmation: 'Merci & <b>à bientôt</b>' },
    },
    typed: {
      needs: ['field_types', 'validation'],
      form: {
        fields: [
          { name: 'name' },
          { name: 'amount', type: 'number' },
          { name: 'day', type: 'date' },
          { name: 'site', type: 'url' },
          { name: 'size', type: 'select', options: ['small', 'large'] },
          { name: 'colour', type: 'radios', options: ['red', 'blue'] },
          { name: 'topics', type: 'checkboxes', options: ['a', 'b', 'c'] },
        ],
        outputs: [{ ...anywhere, mapping: { name: 'name', topics: 'topics' } }],
      },
    },
  } as const satisfies Record<string, Catalogued>;
  return forms;
}

export type FormName = keyof ReturnType<typeof catalogue>;

/** The forms of the catalogue that the product can have. */
export const declared = (sinks: Sinks, offers: readonly Feature[]): ProductConfig['forms'] =>
  Object.fromEntries(
    Object.entries<Catalogued>(catalogue(sinks, offers))
      .filter(([, { needs }]) => needs.every((feature) => offers.includes(feature)))
      .map(([name, { form }]) => [name, form]),
  );

/** The features that a form needs in any product. */
export function needsOf(name: FormName): readonly Feature[] {
  return catalogue({ http: '', smtpPort: 0 }, [])[name].needs;
}
