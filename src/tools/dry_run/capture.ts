import { ClientError, failed } from '../../client_error.ts';
import type { Effects, SesMessage } from '../../effects.ts';
import type { Secrets } from './secrets.ts';
import type { Sent } from './story.ts';
import { mailSource, postBytes, sesSource, shownPost } from './wire.ts';

/** How an output can be made to fail. */
export const faults = {
  http: ['refused', 'status_500', 'slow'],
  mail: ['refused', 'bounced', 'slow'],
} as const;

export type Fault = (typeof faults)['http' | 'mail'][number];

export interface Capture {
  /** What a delivery sends goes here, in order. */
  readonly sent: Sent[];
  readonly secrets: Secrets;
  readonly fault: Fault | undefined;
  /** Whether it is sent for real, too. */
  readonly isDelivering: boolean;
}

/** Effects that record all that a delivery sends; they answer as a server that takes everything, or as `fault` says. */
export function capturing(effects: Effects, capture: Capture): Effects {
  const { sent, secrets, fault, isDelivering } = capture;
  const exchange = async <A>(
    record: (answer: string) => Sent,
    timeoutMs: number,
    send: () => Promise<A>,
    pretended: () => A,
    say: (answer: A) => string,
  ): Promise<A> => {
    try {
      if (fault === 'slow') {
        await effects.sleep(timeoutMs);
        throw failed('timed_out', { timeoutMs });
      }
      if (fault === 'refused') {
        const refusal = { call: 'connect', codes: ['ECONNREFUSED'] };
        throw failed('nobody_listens', refusal, { retryAfterMs: 0, isUnsent: true });
      }
      const isReal = isDelivering && fault === undefined;
      const answer = isReal ? await send() : pretended();
      sent.push(record(isReal ? say(answer) : `${say(answer)} (pretended)`));
      return answer;
    } catch (error) {
      const reason = error instanceof ClientError ? error.message : 'internal error';
      sent.push(record(fault ? `${reason} (pretended)` : reason));
      throw error;
    }
  };
  const mail = (message: SesMessage, server: string, source: string) => (answer: string) =>
    ({
      kind: 'mail',
      server,
      envelope: { from: message.from, to: message.to },
      replyTo: message.replyTo,
      subject: message.subject,
      text: message.text,
      source,
      answer,
    }) as const;
  const hidden = <M extends { subject: string; text: string }>(message: M): M => ({
    ...message,
    subject: secrets.hide(message.subject),
    text: secrets.hideText(message.text),
  });

  return {
    ...effects,
    http: (post) =>
      exchange(
        (answer) => ({
          kind: 'http',
          bytes: postBytes(secrets.hidePost(shownPost(post))),
          answer,
        }),
        post.timeoutMs,
        () => effects.http(post),
        () => ({ status: fault === 'status_500' ? 500 : 200, headers: {}, body: '' }),
        ({ status }) => String(status),
      ),
    smtp: async (message) => {
      const shown = hidden(message);
      const server = `${message.host}:${message.port}`;
      await exchange(
        mail(shown, server, await mailSource(shown)),
        message.timeoutMs,
        () => effects.smtp(message),
        () => bounce(fault, failed('smtp_refused', { command: 'RCPT', reply: '550 5.1.1' })),
        () => 'accepted',
      );
    },
    ses: async (message) => {
      const shown = hidden(message);
      const region = effects.env('AWS_REGION') || effects.env('AWS_DEFAULT_REGION') || 'us-east-1';
      await exchange(
        mail(shown, 'Amazon SES', await sesSource(shown, region, effects.now)),
        message.timeoutMs,
        () => effects.ses(message),
        () => bounce(fault, failed('ses_status', { status: 400, name: 'MessageRejected' })),
        () => 'accepted',
      );
    },
  };
}

function bounce(fault: Fault | undefined, reason: ClientError): void {
  if (fault === 'bounced') throw reason;
}
