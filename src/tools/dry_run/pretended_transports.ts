import type { Effects } from '../../effects.ts';
import type { Message, Transports } from '../../transports/index.ts';
import type { AnyMessage, Fault, Transport } from '../../transports/transport.ts';

export interface Pretending {
  /** How the delivery of this message is to fail; by default it does not. */
  readonly faultOf: (message: Message) => Fault | undefined;
  /** Whether messages that are not to fail are sent for real. */
  readonly isDelivering: boolean;
}

/** Transports that show as the real ones do, and send nothing: as if the other side took everything, or failed so. */
export function pretendedTransports(
  real: Transports,
  { faultOf, isDelivering }: Pretending,
  { sleep }: Pick<Effects, 'sleep'>,
): Transports {
  const pretended = <M extends AnyMessage & Message>(transport: Transport<M>): Transport<M> => ({
    ...transport,
    send: async (message, timeoutMs) => {
      const fault = faultOf(message);
      if (!fault) return isDelivering ? transport.send(message, timeoutMs) : pretendedAnswer;
      if (fault.isSlow) await sleep(timeoutMs);
      throw fault.error(timeoutMs);
    },
  });
  return { http: pretended(real.http), smtp: pretended(real.smtp), ses: pretended(real.ses) };
}

/** Good enough for every verdict on an answer. */
const pretendedAnswer = { status: 200, headers: {}, body: '' };
