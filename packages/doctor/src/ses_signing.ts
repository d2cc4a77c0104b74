import { domainOf } from '@form-relay/base/address';
import { ClientError } from '@form-relay/base/client_error';
import {
  consequenceOf,
  type Diagnosis,
  type Dmarc,
  failure,
  ok,
  publicDns,
  type Resolver,
  readDmarc,
  warning,
} from '@form-relay/mail-dns';
import type { DoctorContext } from './context.ts';
import { type Examine, timeoutMs } from './examination.ts';
import { sendersOf } from './mail_dns.ts';
import { findIdentities, type Identity } from './probes/ses.ts';

/** Whether Amazon SES signs for each sender, so that DMARC can pass. */
export const examineSesSigning: Examine = async (setup, context) => {
  const senders = sendersOf(setup).filter(({ host }) => host === undefined);
  const addresses = [...new Set(senders.map(({ address }) => address))];
  return (await Promise.all(addresses.map((address) => signingFor(address, context)))).flat();
};

async function signingFor(sender: string, context: DoctorContext): Promise<readonly Diagnosis[]> {
  try {
    const { known } = await findIdentities(sender, context.askSes, timeoutMs);
    const isVerified = known.some(({ VerifiedForSendingStatus }) => VerifiedForSendingStatus);
    // Nothing is sent, as the probe says.
    return isVerified ? [await alignment(sender, known, context.resolver)] : [];
  } catch (error) {
    // SES does not answer, as the probe says.
    if (error instanceof ClientError) return [];
    throw error;
  }
}

/** Checks whether mail through SES aligns with From (RFC 9989, 4.4): by DKIM, or by SPF of the owner's MAIL FROM domain. */
async function alignment(
  sender: string,
  identities: readonly Identity[],
  resolver: Resolver,
): Promise<Diagnosis> {
  const domain = domainOf(sender);
  const subject = `DKIM of ${domain}`;
  const { policy, missing } = await inDns(domain, identities, resolver);
  const remedy =
    missing.length > 0
      ? `Publish the CNAME records that the SES console shows: ${missing.join(', ')}.`
      : `Verify the domain ${domain} in the SES console, with Easy DKIM, and switch signing on.`;
  const signing = identities.find(
    ({ DkimAttributes: dkim }) => dkim?.SigningEnabled && dkim.Status === 'SUCCESS',
  );
  const signer = signing && domainOf(signing.name);
  if (signer && (signer === domain || !policy?.strictDkim)) {
    return missing.some((name) => name.endsWith(`._domainkey.${signer}`))
      ? warning(subject, `SES signs as ${signer}, and the DNS no longer has all of the keys`, remedy)
      : ok(subject, `SES signs as ${signer}, so DMARC can pass`);
  }
  const mailFrom = identities
    .map(({ MailFromAttributes }) => MailFromAttributes)
    .find((attributes) => attributes?.MailFromDomainStatus === 'SUCCESS')?.MailFromDomain;
  if (mailFrom !== undefined && !policy?.strictSpf) {
    const says = `SES does not sign as ${domain}; SPF aligns through ${mailFrom}, but is lost when a mail is forwarded`;
    return warning(subject, says, remedy);
  }
  const envelope = mailFrom ?? 'amazonses.com';
  const says = `SES does not sign as ${domain}, and SPF does not align, since the envelope sender is at ${envelope}`;
  const consequence = policy && consequenceOf(policy);
  return policy && consequence !== undefined
    ? failure(subject, `${says}: under p=${policy.policy} receivers ${consequence}`, remedy)
    : warning(subject, says, remedy);
}

interface InDns {
  readonly policy: Dmarc | undefined;
  /** Names of Easy DKIM records that are not there. */
  readonly missing: readonly string[];
}

/** Counts an unanswered question as fine: examineMailDns reports that the DNS did not answer. */
async function inDns(domain: string, identities: readonly Identity[], resolver: Resolver): Promise<InDns> {
  const names = identities.flatMap(({ name, DkimAttributes: dkim }) =>
    // With a key of the owner's own, a token is a selector, whose record is no CNAME.
    dkim?.SigningAttributesOrigin === 'EXTERNAL'
      ? []
      : (dkim?.Tokens ?? []).map((token) => `${token}._domainkey.${domainOf(name)}`),
  );
  try {
    const dns = await publicDns(resolver);
    const aliases = await Promise.all(names.map(dns.aliases));
    const missing = names.filter((_, index) => aliases[index]?.length === 0);
    return { policy: await readDmarc(domain, dns), missing };
  } catch (error) {
    if (error instanceof ClientError) return { policy: undefined, missing: [] };
    throw error;
  }
}
