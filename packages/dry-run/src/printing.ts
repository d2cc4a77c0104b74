/** Services that record what would be sent, in place of sending it. */

import { createSesClient } from '@form-relay/clients/aws/ses_client';
import { inAscii, isInternational } from '@form-relay/clients/mail/international';
import type { Aws, HttpAnswer, HttpRequest, Services, ShownContent } from '@form-relay/core/services';
import { currentDelivery, currentRecording, deliveryOf, type RecordedDelivery } from './recording.ts';
import type { Secrets } from './secrets.ts';
import { type Shown, showEntry, showRequest, showSes, showSmtp } from './shown.ts';

const needsSmtputf8 =
  'if the server does not support SMTPUTF8, addresses with non-ASCII characters before the @ are left out';

/** A token with which a stand-in for a captcha's widget plays a bot. Any other one passes. */
export const botToken = 'pretend-bot';
export const humanToken = 'pretend-human';

/** @param isDelivering Whether outputs really deliver. Captchas are never verified. */
export function printing(real: Omit<Services, 'log'>, secrets: Secrets, isDelivering: boolean) {
  /** Records it, and sends it where that is meant. */
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

/** The only requests besides deliveries go to a captcha's provider. */
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

/** Keeps each event for the report of its submission. */
export const recordingLog =
  (log: Services['log']): Services['log'] =>
  (level, event, fields = {}) => {
    currentRecording()?.logged.push({ event, fields });
    log(level, event, fields);
  };
