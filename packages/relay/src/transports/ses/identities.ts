import { domainOf } from '../../base/address.ts';
import type { AskSes, SesAnswer } from './ses_client.ts';

/** What SES v2 GetEmailIdentity says, as far as it matters here. */
export interface Identity {
  /** The address or domain. */
  readonly name: string;
  readonly VerifiedForSendingStatus?: boolean;
  readonly VerificationStatus?: string;
  readonly DkimAttributes?: {
    readonly SigningEnabled?: boolean;
    readonly Status?: string;
    readonly Tokens?: readonly string[];
    readonly SigningAttributesOrigin?: string;
  };
  readonly MailFromAttributes?: { readonly MailFromDomain?: string; readonly MailFromDomainStatus?: string };
}

export interface Identities {
  readonly known: readonly Identity[];
  /** An answer that does not tell whether there are more. */
  readonly refusal: SesAnswer | undefined;
}

/** What vouches for a sender: the address is an identity itself, or its domain is, or one above that. */
export async function findIdentities(sender: string, askSes: AskSes, timeoutMs: number): Promise<Identities> {
  const labels = domainOf(sender).split('.');
  const names = [sender, ...labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'))];
  const answers = await Promise.all(
    names.map(async (name) => ({
      name,
      answer: await askSes(`/identities/${encodeURIComponent(name)}`, timeoutMs),
    })),
  );
  return {
    known: answers.flatMap(({ name, answer }) => (answer.status === 200 ? [{ ...answer.body, name }] : [])),
    refusal: answers.find(({ answer }) => answer.status !== 200 && answer.error !== 'NotFoundException')
      ?.answer,
  };
}
