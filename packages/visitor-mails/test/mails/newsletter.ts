import type { HttpSinkOptions } from '../../../../test/support/http_sink.ts';
import { httpSink, relayWith, smtpSink } from '../../../../test/support/index.ts';
import type { TestRelayOptions } from '../../../../test/support/relay.ts';
import type { SmtpSinkOptions } from '../../../../test/support/smtp_sink.ts';
import type { Environment } from '../../../core/src/settings.ts';

interface NewsletterOptions extends Omit<TestRelayOptions, 'config'> {
  readonly env?: Environment;
  /** Keys of `double_opt_in`, in YAML. */
  readonly keys?: string;
  /** Keys of the form, one per line. */
  readonly formKeys?: string;
  readonly list?: HttpSinkOptions;
  readonly smtp?: SmtpSinkOptions;
  /** Keys of the list's output, following a comma. */
  readonly outputKeys?: string;
  /** Keys of the list's `static`. */
  readonly statics?: string;
  /** Additional fields, one per line. */
  readonly fields?: string;
  /** Additional forms. */
  readonly forms?: string;
}

export const publicUrl = 'https://forms.acme.example';

export const optInEnv = { FORM_TOKEN_SECRET: '3d1d0f6dd1f34c2b8a5e', PUBLIC_URL: publicUrl };

/** A newsletter: a list that gets posts over HTTP, and a mail to each subscriber. */
export async function openNewsletter({
  keys = '',
  formKeys = '',
  list: listOptions,
  smtp: smtpOptions,
  outputKeys = '',
  statics = '',
  fields = '',
  forms = '',
  env = {},
  ...options
}: NewsletterOptions = {}) {
  const list = await httpSink(listOptions);
  const smtp = await smtpSink(smtpOptions);
  const relay = await relayWith({
    ...options,
    env: { ...optInEnv, ...env },
    config: `
forms:
  news:
    title: Acme news
    fields:
      - {name: email, type: email, required: true}
      - {name: name, max_length: 80}
      - {name: topics, type: checkboxes, options: [boots, hats]}
${indented(fields, 6)}
    outputs:
      - {type: http_post, url: "${list.origin}/subscribers", mapping: "*", static: {at: "{{ .submitted_at }}"${statics && `, ${statics}`}}${outputKeys}}
    double_opt_in:
      to: email
      subject: Please confirm
      text: You want our news. Then click here, please.
      from: Acme <news@acme.example>
      through: {type: smtp, host: 127.0.0.1, port: ${smtp.port}}
${indented(keys, 6)}
${indented(formKeys.replaceAll('$port', String(smtp.port)), 4)}
${forms}
`,
  });
  const href = () => {
    const texts = smtp.mails.map(({ raw }) => raw.replaceAll('=\r\n', '').replaceAll('=3D', '='));
    const links = texts.flatMap((text) => /https?:[^\s"]+\/api\/v1\/confirm\/[^\s"]+/.exec(text)?.[0] ?? []);
    return new URL(there(links.at(-1)));
  };
  const sealed = () => there(href().searchParams.get('t'));
  const click = (text = sealed(), headers: Record<string, string> = {}, form = 'news') =>
    relay.post(`/api/v1/confirm/${form}`, { t: text }, headers);
  return {
    ...relay,
    /** Receives subscriptions. */
    list,
    smtp,
    subscribe: (values: Readonly<Record<string, string>> = {}, headers: Record<string, string> = {}) =>
      relay.submit('news', Object.entries({ email: 'ada@visitor.example', name: 'Ada', ...values }), headers),
    /** Path and query of the link in the latest mail. */
    get link() {
      return href().pathname + href().search;
    },
    /** The token in the link. */
    get sealed() {
      return sealed();
    },
    /** Sends the form behind the button of the link's page. */
    click,
    /** Follows the link to its last page. */
    confirm: async (text?: string, headers?: Record<string, string>, form?: string) =>
      relay.shown(await click(text, headers, form), headers),
  };
}

/** Throws if the value is missing. */
export function there<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('it is not there');
  return value;
}

export const indented = (lines: string, by: number) => lines.replaceAll(/^/gm, ' '.repeat(by));
