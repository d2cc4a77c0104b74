import { ClientError } from '../../client_error.ts';
import type { SesAnswer } from '../../effects.ts';
import { type Diagnosis, type Examine, failure, ok, timeoutMs, warning } from './diagnosis.ts';
import { consequence, type Dmarc, readDmarc } from './dmarc.ts';
import { publicDns } from './dns.ts';
import { bareAddress, domainOf, sesOutputs } from './outputs.ts';
import type { Resolver, World } from './world.ts';

/** Whether Amazon SES sends for MAIL_FROM_ADDRESS, to everybody, and signs it. */
export const examineSes: Examine = async ({ forms, settings: { mailFromAddress } }, world) => {
  if (sesOutputs(forms).length === 0) return [];
  try {
    const sender = mailFromAddress && bareAddress(mailFromAddress);
    return (await Promise.all([account(world), sender ? identity(sender, world) : []])).flat();
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const remedy =
      'Give the relay a region, credentials and a way to Amazon SES; the examination stopped here.';
    return [failure('Amazon SES', error.message, remedy)];
  }
};

async function account({ askSes }: World): Promise<Diagnosis> {
  const subject = 'SES account';
  const answer = await askSes('/account', timeoutMs);
  if (answer.status !== 200) return refused(subject, answer, 'ses:GetAccount');
  const { SendingEnabled, ProductionAccessEnabled, SendQuota } = answer.body as Account;
  if (SendingEnabled === false) {
    return failure(
      subject,
      'sending is paused for the whole account',
      'Read the messages of Amazon SES in the AWS console.',
    );
  }
  const { Max24HourSend: most = -1, SentLast24Hours: sent = 0 } = SendQuota ?? {};
  const quota = most < 0 ? 'no daily quota' : `${sent} of ${most} mails of the last 24 hours used`;
  if (ProductionAccessEnabled === false) {
    const says = `is in the sandbox: mail goes to verified addresses only (${quota})`;
    return warning(
      subject,
      says,
      'Request production access in the SES console, or verify every recipient there.',
    );
  }
  return most >= 0 && sent >= 0.9 * most
    ? warning(
        subject,
        `${quota}: beyond it mails are refused`,
        'Request a higher sending quota in the AWS console.',
      )
    : ok(subject, `has production access; ${quota}`);
}

interface Account {
  readonly SendingEnabled?: boolean;
  readonly ProductionAccessEnabled?: boolean;
  readonly SendQuota?: { readonly Max24HourSend?: number; readonly SentLast24Hours?: number };
}

interface Identity {
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

interface NamedIdentity extends Identity {
  /** The address or domain. */
  readonly name: string;
}

/** The address is an identity itself, or its domain is, or one above that. */
async function identity(sender: string, { askSes, resolver }: World): Promise<readonly Diagnosis[]> {
  const domain = domainOf(sender);
  const labels = domain.split('.');
  const names = [sender, ...labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'))];
  const answers = await Promise.all(
    names.map(async (name) => ({
      name,
      ...(await askSes(`/identities/${encodeURIComponent(name)}`, timeoutMs)),
    })),
  );
  const known = answers
    .filter(({ status }) => status === 200)
    .map(({ name, body }) => ({ name, ...(body as Identity) }));
  const verified = known.find(({ VerifiedForSendingStatus }) => VerifiedForSendingStatus);
  const subject = `SES identity of ${sender}`;
  if (!verified) {
    const refusal = answers.find(({ status, error }) => status !== 200 && error !== 'NotFoundException');
    if (refusal) return [refused(subject, refusal, 'ses:GetEmailIdentity')];
    const [pending] = known;
    return [pending ? unverified(subject, pending) : unknown(subject, domain)];
  }
  return [ok(subject, `${verified.name} is verified for sending`), await alignment(sender, known, resolver)];
}

function unverified(subject: string, { name, VerificationStatus = 'PENDING' }: NamedIdentity): Diagnosis {
  const remedy = name.includes('@')
    ? 'Click the link in the mail that SES sent there.'
    : `Publish the DNS records that the SES console shows for ${name}.`;
  return failure(subject, `${name} is not verified (${VerificationStatus}): every mail is refused`, remedy);
}

function unknown(subject: string, domain: string): Diagnosis {
  const says = `neither the address nor ${domain} is an identity in this account and region: every mail is refused`;
  const remedy = `Create and verify ${domain} in the SES console, or correct MAIL_FROM_ADDRESS or AWS_REGION.`;
  return failure(subject, says, remedy);
}

/** Whether what SES sends is aligned with From (RFC 9989, 4.4): by DKIM, or by SPF of one's own MAIL FROM domain. */
async function alignment(
  sender: string,
  identities: readonly NamedIdentity[],
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
  return policy && policy.policy !== 'none'
    ? failure(subject, `${says}: under p=${policy.policy} receivers ${consequence[policy.policy]}`, remedy)
    : warning(subject, says, remedy);
}

interface InDns {
  readonly policy: Dmarc | undefined;
  /** Names of Easy DKIM records that are not there. */
  readonly missing: readonly string[];
}

/** What a DNS that cannot be asked leaves open is taken to be well: examineMailDns says that it cannot. */
async function inDns(
  domain: string,
  identities: readonly NamedIdentity[],
  resolver: Resolver,
): Promise<InDns> {
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

const badCredentials =
  /^(UnrecognizedClient|InvalidClientTokenId|InvalidSignature|SignatureDoesNotMatch|ExpiredToken|IncompleteSignature)/;

/** The relay itself needs `ses:SendEmail` alone, so a refusal to look says nothing about sending. */
function refused(subject: string, { status, error }: SesAnswer, action: string): Diagnosis {
  const says = `SES answered ${status}${error && ` (${error})`}`;
  if (badCredentials.test(error)) {
    const remedy =
      'Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or the role, and the clock.';
    return failure(subject, `the AWS credentials are not accepted: ${says}`, remedy);
  }
  const remedy = error.startsWith('AccessDenied')
    ? `Allow ${action} to this role to have it examined; the relay itself needs ses:SendEmail only.`
    : 'Try again, and look at the state of Amazon SES in this region.';
  return warning(subject, `cannot be looked at: ${says}`, remedy);
}
