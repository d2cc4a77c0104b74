import type { Dkim, SmtpMessage as SmtpClientMessage } from '../../base/effects.ts';
import type { Scope, Template } from '../../schema/template/render.ts';
import type { OAuth2, OAuth2Grant } from '../oauth2/grant.ts';
import type { AnyMessage, AnyTarget } from '../transport.ts';

/** One mail for one server. */
export interface SmtpMessage extends AnyMessage, Omit<SmtpClientMessage, 'timeoutMs'> {
  readonly via: 'smtp';
  /** How to get the token to sign in with, instead of `credentials`. */
  readonly oauth2?: { readonly username: string; readonly grant: OAuth2Grant } | undefined;
}

export interface SmtpTarget extends AnyTarget, Pick<SmtpClientMessage, 'host' | 'port' | 'tls' | 'from'> {
  readonly via: 'smtp';
  readonly to: readonly Template[];
  readonly cc: readonly Template[] | undefined;
  readonly bcc: readonly Template[] | undefined;
  readonly username: Template | undefined;
  readonly password: Template | undefined;
  readonly auth: 'plain' | 'login' | 'oauth2';
  readonly oauth2: OAuth2 | undefined;
  readonly dkim: DkimTarget | undefined;
  /** `relay@<host>`, because no `from` is given. */
  readonly isDefaultSender: boolean;
}

/** With what it signs its mails. */
export interface DkimTarget extends Omit<Dkim, 'key'> {
  readonly key: Template;
  /** Throws a `ClientError` for what is no key. */
  signingOf(scope: Scope): Dkim;
}

export const smtpTarget = (target: Omit<SmtpTarget, 'via' | 'name'>): SmtpTarget => ({
  ...target,
  via: 'smtp',
  name: `${target.host}:${target.port}`,
});
