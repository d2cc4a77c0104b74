import type { Effects } from '../base/effects.ts';
import type { Message, Transports } from '../transports/index.ts';
import { type Fault, pretendedAnswer, type Transport } from '../transports/transport.ts';

export interface Pretending {
  /** The fault with which the delivery of this message is to fail, if any. */
  readonly faultOf: (message: Message) => Fault | undefined;
  /** Whether to really send messages without a fault. */
  readonly isDelivering: boolean;
}

/** Transports that show messages like the real ones, but pretend to send them, or to fail. */
export function pretendedTransports(
  real: Transports,
  { faultOf, isDelivering }: Pretending,
  { sleep }: Pick<Effects, 'sleep'>,
): Transports {
  const pretended = (transport: Transport<Message>): Transport<Message> => ({
    ...transport,
    send: async (message, timeoutMs) => {
      const fault = faultOf(message);
      if (!fault) return isDelivering ? transport.send(message, timeoutMs) : pretendedAnswer;
      if (fault.isSlow) await sleep(timeoutMs);
      throw fault.error(timeoutMs);
    },
  });
  const all = Object.entries(real).map(([via, transport]) => [
    via,
    pretended(transport as Transport<Message>),
  ]);
  return Object.fromEntries(all) as Transports;
}
