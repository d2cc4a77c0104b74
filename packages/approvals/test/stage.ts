/** A relay with a form whose second output waits for approval, and approvers who read their mail. */
import PostalMime from 'postal-mime';
import { httpSink, type LogEvent, relayWith, smtpSink, tempFolder } from '../../../test/support/index.ts';
import type { SmtpSinkOptions } from '../../../test/support/smtp_sink.ts';
import type { Form } from '../../core/src/form.ts';

export const env = {
  FORM_TOKEN_SECRET: '0123456789abcdef0123456789abcdef',
  KEEP_SECRET: 'fedcba9876543210fedcba9876543210',
  PUBLIC_URL: 'https://forms.example',
};
export const ada = { name: 'Ada', email: 'ada@visitor.example' };
const page = { accept: 'text/html' };

interface Options {
  readonly folder?: string;
  readonly approve?: string;
  /** Keys of the form. */
  readonly keys?: string;
  readonly outputs?: string;
}

async function servers(options?: SmtpSinkOptions) {
  const [smtp, http] = [await smtpSink(options), await httpSink()];
  const countTo = (address: string) =>
    smtp.mails.filter(({ envelope }) => envelope.to.includes(address)).length;
  const mailsTo = (address: string) =>
    Promise.all(
      smtp.mails
        .filter(({ envelope }) => envelope.to.includes(address))
        .map(async ({ raw }) => {
          const { subject, text = '', html = '' } = await PostalMime.parse(Buffer.from(raw, 'latin1'));
          return { subject, text, html, link: /https:\/\/forms\.example(\S+)/.exec(text)?.[1] ?? '' };
        }),
    );
  /** The latest mail to an address, once this number has arrived. */
  const mailTo = async (address: string, number = 1) => {
    await expect.poll(() => countTo(address)).toBe(number);
    return (await mailsTo(address)).at(-1) ?? { subject: '', text: '', html: '', link: '' };
  };
  const delivered = () => http.requests.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
  const config = ({
    folder = tempFolder(),
    approve = '{by: [boss@example.com]}',
    keys = '',
    outputs = '',
  }: Options = {}) => `
keep: {in: "${folder}"}
counted_in: ${folder.startsWith('nats:') ? `"${folder}"` : folder}
forms:
  trip:
    title: Travel request
    ${keys}
    fields:
      - {name: name}
      - {name: email, type: email}
    outputs:
      - {type: smtp, from: forms@example.com, host: 127.0.0.1, port: ${smtp.port}, to: office@example.com, mapping: "*"}
      - {type: http_post, url: "${http.origin}/crm", mapping: "*", approve: ${approve}}
      ${outputs.replaceAll('$sink', http.origin)}
  other:
    fields: [{name: name}]
    outputs:
      - {type: smtp, from: forms@example.com, host: 127.0.0.1, port: ${smtp.port}, to: office@example.com, mapping: "*", approve: {by: [boss@example.com]}}
`;
  return { countTo, mailsTo, mailTo, delivered, config };
}

export async function stage({ smtp, ...options }: Options & { readonly smtp?: SmtpSinkOptions } = {}) {
  const around = await servers(smtp);
  const folder = tempFolder();
  const open = async (more: Options = {}) => {
    let forms: ReadonlyMap<string, Form> = new Map();
    let tend = () => {};
    const relay = await relayWith({
      config: around.config({ folder, ...options, ...more }),
      env,
      effects: {
        // The test starts the check that otherwise runs every ten minutes.
        repeat: (ms, work) => {
          if (ms === 600_000) tend = work;
          const timer = setInterval(work, ms);
          return () => clearInterval(timer);
        },
      },
      plugins: [
        {
          name: 'test',
          start: (life) => {
            forms = life.forms;
          },
        },
      ],
    });
    await relay.get('/readyz');
    return {
      ...relay,
      read: (link: string) => relay.get(link, page),
      decide: (link: string, choice: string) => {
        const [path = '', query] = link.split('?');
        return relay.post(path, { t: new URLSearchParams(query).get('t') ?? '', choice }, page);
      },
      logged: (event: RegExp): readonly LogEvent[] => relay.logged.filter((one) => event.test(one.event)),
      look: () => tend(),
      held: () => forms.get('trip')?.provided.get('approvals')?.held,
    };
  };
  return { ...around, open };
}
