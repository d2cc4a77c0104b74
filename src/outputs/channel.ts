import type { SmtpMessage } from '../effects.ts';
import type { Template } from '../template/render.ts';

/** What a delivery needs of the outside world: what `relay doctor` examines and `relay dev` can make fail. */
export type Channel = HttpChannel | SmtpChannel | SesChannel;

export interface HttpChannel {
  readonly kind: 'http';
  readonly url: URL;
}

export interface SmtpChannel extends Pick<SmtpMessage, 'host' | 'port' | 'tls' | 'from'> {
  readonly kind: 'smtp';
  readonly to: readonly Template[];
  readonly username: Template | undefined;
  readonly password: Template | undefined;
  /** `relay@<host>`, because no `from` is given. */
  readonly isDefaultSender: boolean;
}

/** From MAIL_FROM_ADDRESS. */
export interface SesChannel {
  readonly kind: 'ses';
  readonly to: readonly Template[];
}
