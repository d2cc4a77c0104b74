import type { Effects } from '../base/effects.ts';
import type { Message, Transports } from '../transports/index.ts';
import { type Fault, pretendedAnswer, type Transport } from '../transports/transport.ts';

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
