/** A newsletter whose mails come back, and providers that say so, with keys of their own. */
import { createHmac, createSign, generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { httpSink, relayWith, smtpSink } from '../../../../test/spec/stage.ts';
import * as certificates from '../../../../test/support/certificates.ts';
import type { HttpSink } from '../../../../test/support/http_sink.ts';
import type { Answer, LogEvent, TestRelay } from '../../../../test/support/relay.ts';
import type { SmtpSink, SmtpSinkOptions } from '../../../../test/support/smtp_sink.ts';
import { FolderCounts } from '../../../capacity/src/counters/stores/folder.ts';
import type { HttpRequest, Services } from '../../../core/src/services.ts';
import { systemDisk } from '../../../queue/src/stores/folder/disk.ts';
import { BlockList, hashOf } from '../../src/bounces/block_list.ts';

export const topic = 'arn:aws:sns:eu-west-1:123456789012:bounces';
const sendgridKeys = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
export const sendgridKey = sendgridKeys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');

export const secrets = {
  FORM_TOKEN_SECRET: 'kept-by-the-relay-and-nobody-else-0123456789',
  POSTMARK_PASSWORD: 'a-password-of-postmark',
  MAILGUN_KEY: 'a-signing-key-of-mailgun',
  RESEND_SECRET: `whsec_${Buffer.from('a-secret-of-resend-that-is-long').toString('base64')}`,
};

const providers = `
  ses: {topics: ["${topic}"]}
  postmark: {password_env: POSTMARK_PASSWORD}
  mailgun: {signing_key_env: MAILGUN_KEY}
  sendgrid: {public_key: "${sendgridKey}"}
  resend: {secret_env: RESEND_SECRET}`;

export interface Newsletter extends TestRelay {
  readonly sink: SmtpSink;
  /** Gets alerts. */
  readonly alerts: HttpSink;
  /** Requests of the relay to Amazon. */
  readonly asked: readonly HttpRequest[];
  readonly folder: string;
  /** Posts an event, and gives the answer. */
  post(provider: string, request: Signed, more?: Partial<Signed>): Promise<Answer>;
  /** Signs up, and gives the answer. */
  signUp(email: string): Promise<Answer>;
  /** Lines of the log about events. */
  readonly told: readonly LogEvent[];
  /** Whether the address is on the list. */
  isBlocked(email: string): Promise<boolean>;
  /** Another process with the same list. */
  again(more?: Pick<Options, 'form'>): Promise<Newsletter>;
}

export interface Signed {
  readonly body: string | Buffer;
  readonly headers?: Record<string, string>;
}

interface Options {
  readonly bounces?: string;
  readonly sink?: SmtpSinkOptions;
  readonly http?: Services['http'];
  readonly env?: Record<string, string>;
  readonly top?: string;
  /** The output of `alerts`; `$port` is the server's. */
  readonly alerts?: string;
  /** How the server that gets alerts answers. */
  readonly alertStatus?: () => number;
  readonly form?: string;
  readonly effects?: Partial<Services>;
}

/** What `openNewsletter` serves, as YAML. */
export const newsletterConfig = (
  port: number,
  folder: string,
  { bounces = providers, top = '', form = '' } = {},
) => `
counted_in: ${folder}
bounces:${bounces}
${top}
forms:
  letter:
    fields: [{name: email, type: email, required: true}]
    outputs:
      - {type: smtp, host: 127.0.0.1, port: ${port}, from: Seeds <shop@seeds.example>, to: office@seeds.example, mapping: "*", retries: 0}
    double_opt_in: {to: email, subject: Please confirm, text: Click here.}
${form}
  plain:
    fields: [{name: words}]
    outputs:
      - {type: smtp, host: 127.0.0.1, port: ${port}, from: shop@seeds.example, to: "office@seeds.example, boss@seeds.example", mapping: "*", retries: 0}
`;

export async function openNewsletter(options: Options = {}): Promise<Newsletter> {
  const folder = mkdtempSync(join(tmpdir(), 'bounces-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [sink, alerts] = await Promise.all([
    smtpSink(options.sink),
    httpSink({ answer: () => ({ status: options.alertStatus?.() ?? 200 }) }),
  ]);
  const output = options.alerts ?? `{type: http_post, url: "${alerts.origin}/"}`;
  const top = `alerts: {outputs: [${output}]}\n${options.top ?? ''}`;
  const open = async (more: Pick<Options, 'form'> = {}): Promise<Newsletter> => {
    const config = newsletterConfig(sink.port, folder, { ...options, top, ...more }).replaceAll(
      '$port',
      String(sink.port),
    );
    const asked: HttpRequest[] = [];
    const http: Services['http'] = async (request) => {
      if (!/\.amazonaws\.com(\.cn)?$/.test(request.url.hostname)) return realHttp(request);
      asked.push(request);
      if (options.http) return options.http(request);
      return { status: 200, headers: {}, body: certificates.server.cert };
    };
    const relay = await relayWith({
      config,
      env: { PUBLIC_URL: 'https://forms.seeds.example', ...secrets, ...options.env },
      effects: { http, ...options.effects },
    });
    const signUp = (email: string) =>
      relay.submit('letter', [['email', email]], { accept: 'application/problem+json' });
    return {
      ...relay,
      sink,
      alerts,
      asked,
      folder,
      signUp,
      post: (provider, { body, headers = {} }, more = {}) =>
        relay.request(`/api/v1/mail-events/${provider}`, {
          method: 'POST',
          headers: { ...headers, ...more.headers },
          body: (more.body ?? body) as string,
        }),
      get told() {
        return relay.logged.filter(({ event }) => /^(mail_|owner_|bounces_)/.test(event));
      },
      isBlocked: async (email) => {
        const list = new BlockList(new FolderCounts(folder, systemDisk()), relay.relay.services.now);
        return (await list.find(hashOf(secrets.FORM_TOKEN_SECRET, email))) !== undefined;
      },
      again: open,
    };
  };
  return open();
}

/** The relay's own client, for the sink that gets alerts. */
const realHttp: Services['http'] = async ({ url, headers, body, method = 'POST' }) => {
  const answer = await fetch(url, { method, headers, body });
  return { status: answer.status, headers: {}, body: await answer.text() };
};

let ids = 0;
const nextId = () => {
  ids += 1;
  return ids;
};

const snsHost = 'https://sns.eu-west-1.amazonaws.com';
export const certificateUrl = `${snsHost}/SimpleNotificationService-9c6465fa7f48f5cacd23014631ec1136.pem`;

/** An envelope as Amazon SNS signs it. */
export function sns(message: unknown, more: Record<string, string> = {}, version: '1' | '2' = '2'): Signed {
  const envelope: Record<string, string> = {
    Type: 'Notification',
    MessageId: `22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324-${nextId()}`,
    TopicArn: topic,
    Message: typeof message === 'string' ? message : JSON.stringify(message),
    Timestamp: new Date().toISOString(),
    SignatureVersion: version,
    SigningCertURL: certificateUrl,
    ...more,
  };
  const names =
    envelope.Type === 'Notification'
      ? ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
      : ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
  const text = names
    .flatMap((name) => (envelope[name] === undefined ? [] : `${name}\n${envelope[name]}\n`))
    .join('');
  const signer = createSign(version === '1' ? 'RSA-SHA1' : 'RSA-SHA256').update(text);
  const signature = signer.sign(certificates.server.key, 'base64');
  return {
    body: JSON.stringify({ Signature: signature, ...envelope }),
    headers: { 'content-type': 'text/plain; charset=UTF-8', 'x-amz-sns-message-type': envelope.Type ?? '' },
  };
}

export const subscription = (more: Record<string, string> = {}): Signed =>
  sns(`You have chosen to subscribe to the topic ${topic}.`, {
    Type: 'SubscriptionConfirmation',
    Token: '2336412f37fb687f5d51e6e2425c464de257eb',
    SubscribeURL: `${snsHost}/?Action=ConfirmSubscription&TopicArn=${topic}&Token=2336412f37fb687f5d51e6e2425c464de257eb`,
    ...more,
  });

/** As in the documentation of Amazon SES (Examples of event data). */
export const sesBounce = (address: string, more: object = {}, recipient: object = {}) => ({
  eventType: 'Bounce',
  bounce: {
    bounceType: 'Permanent',
    bounceSubType: 'General',
    bouncedRecipients: [
      {
        emailAddress: address,
        action: 'failed',
        status: '5.1.1',
        diagnosticCode: 'smtp; 550 5.1.1 user unknown',
        ...recipient,
      },
    ],
    timestamp: new Date().toISOString(),
    feedbackId: '01000157c44f053b-61b59c11-9236-11e6-8f96-7be8aexample-000000',
    reportingMTA: 'dsn; mta.example.com',
    ...more,
  },
  mail: {
    timestamp: '2017-08-05T00:40:02.012Z',
    source: 'Sender Name <sender@example.com>',
    messageId: 'EXAMPLE7c191be45-e9aedb9a-02f9-4d12-a87d-dd0099a07f8a-000000',
    destination: [address],
    commonHeaders: { messageId: '<6f5902ac-237d-4d3b-9a3e-6e4d3c1d2e11-confirmation@seeds.example>' },
    tags: { 'ses:configuration-set': ['ConfigSet'] },
  },
});

export const postmark = (report: object, password = secrets.POSTMARK_PASSWORD): Signed => ({
  body: JSON.stringify(report),
  headers: {
    'content-type': 'application/json',
    authorization: `Basic ${Buffer.from(`postmark:${password}`).toString('base64')}`,
  },
});

/** As in the documentation of Postmark (Bounce webhook). */
export const postmarkBounce = (address: string, more: object = {}) => ({
  RecordType: 'Bounce',
  MessageStream: 'outbound',
  ID: 4323372036854775 + nextId(),
  Type: 'HardBounce',
  TypeCode: 1,
  Name: 'Hard bounce',
  Tag: 'Test',
  MessageID: '883953f4-6105-42a2-a16a-77a8eac79483',
  ServerID: 23,
  Description: 'The server was unable to deliver your message (ex: unknown user, mailbox not found).',
  Details: 'Test bounce details',
  Email: address,
  From: 'sender@example.com',
  BouncedAt: new Date().toISOString(),
  DumpAvailable: true,
  Inactive: true,
  CanActivate: true,
  Subject: 'Test subject',
  ...more,
});

export function mailgun(
  data: object,
  { key = secrets.MAILGUN_KEY, at = Date.now(), token = '' } = {},
): Signed {
  const timestamp = String(Math.floor(at / 1_000));
  const own = token || `a8ce0edb2dd8301dee6c2405235584e45aa91d1e${String(nextId()).padStart(10, '0')}`;
  const signature = createHmac('sha256', key)
    .update(timestamp + own)
    .digest('hex');
  return {
    body: JSON.stringify({ signature: { token: own, timestamp, signature }, 'event-data': data }),
    headers: { 'content-type': 'application/json' },
  };
}

/** As in the documentation of Mailgun (Event structure: permanent failure). */
export const mailgunFailure = (address: string, more: object = {}) => ({
  id: `G9Bn5sl1TC6nu79C8C0bwg-${nextId()}`,
  event: 'failed',
  severity: 'permanent',
  reason: 'bounce',
  timestamp: Date.now() / 1_000,
  recipient: address,
  'recipient-domain': address.split('@')[1],
  'delivery-status': {
    'attempt-no': 1,
    code: 550,
    message: '5.1.1 The email account that you tried to reach does not exist.',
    description: '',
    'session-seconds': 1.5,
  },
  message: { headers: { 'message-id': '20130503192659.13651.20287@samples.mailgun.org', to: address } },
  ...more,
});

export function sendgrid(
  events: unknown,
  { at = Date.now(), timestamp = String(Math.floor(at / 1_000)) } = {},
): Signed {
  const body = JSON.stringify(events);
  const signature = sign('sha256', Buffer.from(timestamp + body), sendgridKeys.privateKey).toString('base64');
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'x-twilio-email-event-webhook-signature': signature,
      'x-twilio-email-event-webhook-timestamp': timestamp,
    },
  };
}

/** As in the documentation of SendGrid (Event webhook reference). */
export const sendgridBounce = (email: string, more: object = {}) => {
  return {
    email,
    timestamp: Math.floor(Date.now() / 1_000),
    'smtp-id': '<14c5d75ce93.dfd.64b469@ismtpd-555>',
    event: 'bounce',
    category: 'cat facts',
    sg_event_id: `6g4ZI7SA-xmRDv57GoPIPw==${nextId()}`,
    sg_message_id: '14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0',
    reason: '500 unknown recipient',
    status: '5.0.0',
    type: 'bounce',
    ...more,
  };
};

export function resend(
  report: object,
  {
    id = '',
    at = Date.now(),
    timestamp = String(Math.floor(at / 1_000)),
    secret = secrets.RESEND_SECRET,
  } = {},
): Signed {
  const body = JSON.stringify(report);
  const own = id || `msg_p5jXN8AQM9LWM0D4loKWxJek${nextId()}`;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${own}.${timestamp}.${body}`).digest('base64');
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'svix-id': own,
      'svix-timestamp': timestamp,
      'svix-signature': `v1,Zm9yIGFub3RoZXIga2V5 v1,${signature}`,
    },
  };
}

/** As in the documentation of Resend (email.bounced). */
export const resendBounce = (to: string | readonly string[], more: object = {}, type = 'email.bounced') => ({
  type,
  created_at: new Date().toISOString(),
  data: {
    broadcast_id: '8b146471-e88e-4322-86af-016cd36fd216',
    created_at: '2024-11-22T23:41:11.894719+00:00',
    email_id: '56761188-7520-42d8-8898-ff6fc54ce618',
    from: 'Acme <onboarding@resend.dev>',
    to: [to].flat(),
    subject: 'Sending this example',
    bounce: {
      message:
        "The recipient's email address is on the suppression list because it has a recent history of producing hard bounces.",
      subType: 'Suppressed',
      type: 'Permanent',
    },
    ...more,
  },
});
