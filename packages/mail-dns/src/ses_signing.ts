import { domainOf } from '@form-relay/base/address';
import { ClientError } from '@form-relay/base/client_error';
import { type Finding, failure, ok, warning } from '@form-relay/base/finding';
import { type AskSes, sesReader } from '@form-relay/clients/aws/ses_client';
import { findIdentities, type Identity } from '@form-relay/clients/probes/ses';
import type { CheckContext, Resolver } from '@form-relay/core/command';
import { consequenceOf, type Dmarc, readDmarc } from './dmarc.ts';
import { publicDns } from './dns.ts';
import { sendersOf } from './senders.ts';

/** The time limit of a request, in milliseconds. */
const timeoutMs = 8_000;

/** Checks whether Amazon SES signs for each sender, so that DMARC can pass. */
export async function probe(context: CheckContext): Promise<readonly Finding[]> {
  const senders = sendersOf(context).filter(({ host }) => host === undefined);
  const addresses = [...new Set(senders.map(({ address }) => address))];
  if (addresses.length === 0) return [];
  const askSes = sesReader(await context.services.aws());
  const looks = addresses.map((address) => signingFor(address, askSes, context.resolver));
  return (await Promise.all(looks)).flat();
}

async function signingFor(sender: string, askSes: AskSes, resolver: Resolver): Promise<readonly Finding[]> {
  try {
    const { known } = await findIdentities(sender, askSes, timeoutMs);
    const isVerified = known.some(({ VerifiedForSendingStatus }) => VerifiedForSendingStatus);
    // Otherwise nothing is sent, which the probe reports.
    return isVerified ? [await alignment(sender, known, resolver)] : [];
  } catch (error) {
    // SES does not respond, which the probe reports.
    if (error instanceof ClientError) return [];
    throw error;
  }
}

/** Checks whether mail through SES aligns with From (RFC 9989, 4.4): by DKIM, or by SPF of the owner's MAIL FROM domain. */
async function alignment(
  sender: string,
  identities: readonly Identity[],
  resolver: Resolver,
): Promise<Finding> {
  const domain = domainOf(sender);
  const subject = `DKIM of ${domain}`;
  const { policy, missing } = await inDns(domain, identities, resolver);
  const remedy =
    missing.length > 0
      ? `Publish the CNAME records that the SES console shows: ${missing.join(', ')}.`
      : `Verify the domain ${domain} in the SES console, with Easy DKIM, and turn on signing.`;
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
  /** Names of missing Easy DKIM records. */
  readonly missing: readonly string[];
}

/** Assumes that all is well if a lookup fails, since another check reports that the DNS did not respond. */
async function inDns(domain: string, identities: readonly Identity[], resolver: Resolver): Promise<InDns> {
  const names = identities.flatMap(({ name, DkimAttributes: dkim }) =>
    // With the owner's own key, a token is a selector, whose record is not a CNAME.
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
