/** Services that record what would be sent instead of sending it. */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { UploadedFile } from '@form-relay/base/values';
import { createSesClient } from '@form-relay/clients/aws/ses_client';
import { inAscii, isInternational } from '@form-relay/clients/mail/international';
import type { Delivery, Transport } from '@form-relay/core/outputs/output';
import { type Observer, outputExtension, type Plugin } from '@form-relay/core/plugin';
import type { Aws, HttpAnswer, HttpRequest, Mail, Services, ShownContent } from '@form-relay/core/services';
import type { Payload } from '@form-relay/core/submission';
import type { Sent } from './report.ts';
import type { Secrets } from './secrets.ts';
import { type Shown, showEntry, showRequest, showSes, showSmtp } from './shown.ts';

/** The record for one request to the relay. */
export interface Recording {
  answered: Parameters<Observer>[0] | undefined;
  /** Deliveries in the order in which they started, by id, each with all attempts. */
  readonly deliveries: Map<string, RecordedDelivery>;
  readonly logged: { readonly event: string; readonly fields: Readonly<Record<string, unknown>> }[];
}

export interface RecordedDelivery {
  readonly payload: Payload;
  /** A mail to the visitor. */
  readonly isToVisitor: boolean;
  readonly target: string;
  readonly sent: Sent[];
  readonly warnings: string[];
  readonly files: readonly UploadedFile[];
  pdf?: UploadedFile;
  /** The readable form of the next message (`Services.show`). */
  shown?: ShownContent | undefined;
  /** Whether a client returned a fake response. */
  isFaked: boolean;
  error?: unknown;
  /** In a test: the recipients, the response on one line, and its body. */
  heard: { to?: readonly string[]; says?: string; body?: string };
}

const recordings = new AsyncLocalStorage<{
  readonly recording: Recording;
  readonly delivery?: RecordedDelivery;
}>();

export const currentRecording = (): Recording | undefined => recordings.getStore()?.recording;
export const currentDelivery = (): RecordedDelivery | undefined => recordings.getStore()?.delivery;

export const record = <T>(recording: Recording, work: () => T): T => recordings.run({ recording }, work);

/** Assigns each message to its delivery, and ignores what an output makes of a fake response. */
export const recordingPlugin = (isDelivering: boolean, titlePrefix?: string): Plugin => ({
  name: 'dry_run',
  outputExtensions: [
    outputExtension({
      name: 'dry_run',
      keys: {},
      configure: () => ({
        wrapTransport: (inner) => ({
          ...inner,
          send: async (delivery, call) => {
            const recording = currentRecording();
            if (!recording) return inner.send(delivery, call);
            const recorded = deliveryIn(recording, delivery.id, () => begun(delivery, inner));
            const warn = (warning: string) => {
              if (!recorded.warnings.includes(warning)) recorded.warnings.push(warning);
              delivery.warn?.(warning);
            };
            const watched = { ...delivery, ...(titlePrefix && { titlePrefix }), warn };
            try {
              const warning = await recordings.run({ recording, delivery: recorded }, () =>
                inner.send(watched, call),
              );
              if (warning) warn(warning);
              return warning;
            } catch (error) {
              recorded.error = error;
              if (!isDelivering && recorded.isFaked) return undefined;
              throw error;
            }
          },
        }),
      }),
    }),
  ],
});

const deliveryIn = ({ deliveries }: Recording, id: string, begin: () => Begun): RecordedDelivery => {
  const known = deliveries.get(id) ?? { ...begin(), sent: [], warnings: [], isFaked: false, heard: {} };
  deliveries.set(id, known);
  return known;
};

type Begun = Pick<RecordedDelivery, 'payload' | 'isToVisitor' | 'target' | 'files'>;

const begun = ({ payload, mail, files }: Delivery, { target = '' }: Transport): Begun => ({
  payload,
  isToVisitor: mail?.isAutoReply === true,
  target,
  files: [...files.values()].flat(),
});

/** A mail to the visitor is sent by an output, or by a separate server. */
export function deliveryOf({ messageId, isAutoReply }: Mail, target: string): RecordedDelivery | undefined {
  const known = currentDelivery();
  const recording = currentRecording();
  if (known || !isAutoReply || !recording) return known;
  const [id = ''] = messageId.split('@');
  return deliveryIn(recording, id, () => ({
    payload: [],
    isToVisitor: true,
    target,
    files: [],
  }));
}

const needsSmtputf8 =
  'if the server does not support SMTPUTF8, addresses with non-ASCII characters before the @ are left out';

/** The token of the fake captcha widget for a bot. Any other token passes. */
export const botToken = 'pretend-bot';
export const humanToken = 'pretend-human';

/** @param isDelivering Whether outputs really deliver. Captchas are never verified. */
export function printing(real: Omit<Services, 'log'>, secrets: Secrets, isDelivering: boolean) {
  /** Records the call, and passes it on if deliveries are real. */
  const passing = async <A>(
    delivery: RecordedDelivery | undefined,
    show: () => Promise<Shown> | Shown | undefined,
    words: (answer: A) => string,
    fake: A,
    send: () => Promise<A>,
  ): Promise<A> => {
    const shown = await show();
    const end = (answer: string) => shown && void delivery?.sent.push({ ...shown, answer });
    if (!isDelivering) {
      if (delivery) delivery.isFaked = true;
      end(`${words(fake)} (pretended)`);
      return fake;
    }
    try {
      const answer = await send();
      end(words(answer));
      return answer;
    } catch (error) {
      end(error instanceof Error ? error.message : 'internal error');
      throw error;
    }
  };
  const status = (answer: Pick<HttpAnswer, 'status'>) => String(answer.status);
  const accepted = () => 'accepted';

  return {
    ...real,
    http: async (request: HttpRequest) => {
      const delivery = currentDelivery();
      if (!delivery) return verdict(request);
      if (!isDelivering && asksForToken(request)) {
        secrets.add('from oauth2', accessToken);
        return {
          ...fakeAnswer,
          body: JSON.stringify({ access_token: accessToken, token_type: 'Bearer' }),
        };
      }
      const show = () =>
        showRequest(request, secrets, { files: filesOf(delivery), says: takeShown(delivery)?.content });
      return passing(delivery, show, status, fakeAnswer, () => real.http(request));
    },
    smtp: (message) =>
      passing<unknown>(
        deliveryOf(message, `${message.host}:${message.port}`),
        () => showSmtp(message, secrets),
        accepted,
        isInternational(message) ? { warning: needsSmtputf8 } : undefined,
        () => real.smtp(message),
      ),
    ses: async (message) => {
      const delivery = deliveryOf(message, 'Amazon SES');
      const { mail, warning } = inAscii(message);
      const show = async () => showSes(mail, secrets, await sesRequest(mail));
      return passing<unknown>(delivery, show, accepted, { warning }, () => real.ses(message));
    },
    aws: async () => {
      if (isDelivering) return real.aws();
      return {
        account: madeUpAccount(real.env),
        now: real.now,
        http: async () => emptyBytes,
      } satisfies Aws;
    },
    ...(isDelivering && { storeFile: real.storeFile ?? storeReally }),
    showEntry: async (entry, store) => {
      const delivery = currentDelivery();
      const show = () => showEntry(delivery?.target ?? '', entry, secrets);
      await passing<unknown>(delivery, show, () => 'stored', undefined, store);
    },
    show: (shown) => {
      const delivery = currentDelivery();
      if (!delivery) return;
      if (shown.pdf) delivery.pdf = shown.pdf;
      else delivery.shown = shown;
    },
  } satisfies Omit<Services, 'log'>;

  async function sesRequest(message: Parameters<Services['ses']>[0]): Promise<HttpRequest> {
    let request: HttpRequest | undefined;
    const send = createSesClient({
      account: madeUpAccount(real.env),
      now: real.now,
      http: async (sent) => {
        request = sent;
        return emptyBytes;
      },
    });
    await send(message);
    return request as HttpRequest;
  }
}

const storeReally: NonNullable<Services['storeFile']> = async ({ folder, object, timeoutMs }) =>
  (await import('@form-relay/more-outputs/store_file')).storeFile(folder, object, timeoutMs);

const filesOf = ({ files, pdf }: RecordedDelivery) => (pdf ? [...files, pdf] : files);

function takeShown(delivery: RecordedDelivery): ShownContent | undefined {
  const { shown } = delivery;
  delivery.shown = undefined;
  return shown;
}

const fakeAnswer: HttpAnswer = { status: 200, headers: {}, body: '{"ok":true}' };
const emptyBytes = { ...fakeAnswer, body: Buffer.alloc(0), isCut: false };
const accessToken = 'pretended-access-token';

const asksForToken = ({ headers, body }: HttpRequest): boolean =>
  headers['content-type'] === 'application/x-www-form-urlencoded' && /(^|&)grant_type=/.test(body);

/** Besides deliveries, only captcha providers get requests. */
function verdict({ body }: HttpRequest): HttpAnswer {
  const isBot = new URLSearchParams(body).get('response') === botToken;
  const said = { success: !isBot, score: isBot ? 0 : 1, 'error-codes': isBot ? ['pretended-bot'] : [] };
  return { status: 200, headers: {}, body: JSON.stringify(said) };
}

const madeUpAccount = (env: Services['env']): Aws['account'] => ({
  credentials: async () => ({ accessKeyId: 'dry-run', secretAccessKey: 'dry-run' }),
  region: async (given) => given ?? env('AWS_REGION') ?? env('AWS_DEFAULT_REGION') ?? 'us-east-1',
  endpoint: () => undefined,
});

/** Keeps each log event for the submission's report. */
export const recordingLog =
  (log: Services['log']): Services['log'] =>
  (level, event, fields = {}) => {
    currentRecording()?.logged.push({ event, fields });
    log(level, event, fields);
  };
