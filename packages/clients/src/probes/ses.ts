import { addressOf, domainOf } from '@form-relay/base/address';
import { ClientError } from '@form-relay/base/client_error';
import { type Finding, failure, ok, warning } from '@form-relay/base/finding';
import type { AskSes, SesAnswer } from '../aws/ses_client.ts';
import type { Probe, SesTarget } from './connection.ts';

/** Checks that Amazon SES sends mails from each sender and to all recipients. */
export const sesProbe = ({ askSes }: { readonly askSes: AskSes }): Probe<SesTarget> => ({
  serverOf: senderOf,
  examine: async (target, timeoutMs) => {
    const sender = senderOf(target);
    try {
      return await Promise.all([
        account(askSes, timeoutMs),
        ...(sender === '' ? [] : [identity(sender, askSes, timeoutMs)]),
      ]);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      const remedy =
        'Set a region and credentials, and allow connections to Amazon SES; later checks were skipped.';
      return [failure('Amazon SES', error.message, remedy)];
    }
  },
});

const senderOf = ({ from, sender }: SesTarget): string => {
  const mailbox = from ?? sender;
  return mailbox === undefined ? '' : addressOf(mailbox);
};

async function account(askSes: AskSes, timeoutMs: number): Promise<Finding> {
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
    const says = `is in the sandbox: mail can be sent only to verified addresses (${quota})`;
    return warning(
      subject,
      says,
      'Request production access in the SES console, or verify every recipient there.',
    );
  }
  return most >= 0 && sent >= 0.9 * most
    ? warning(subject, `${quota}; the limit is close`, 'Request a higher sending quota in the AWS console.')
    : ok(subject, `has production access; ${quota}`);
}

interface Account {
  readonly SendingEnabled?: boolean;
  readonly ProductionAccessEnabled?: boolean;
  readonly SendQuota?: { readonly Max24HourSend?: number; readonly SentLast24Hours?: number };
}

async function identity(sender: string, askSes: AskSes, timeoutMs: number): Promise<Finding> {
  const subject = `SES identity of ${sender}`;
  const { known, refusal } = await findIdentities(sender, askSes, timeoutMs);
  const verified = known.find(({ VerifiedForSendingStatus }) => VerifiedForSendingStatus);
  if (verified) return ok(subject, `${verified.name} is verified for sending`);
  if (refusal) return refused(subject, refusal, 'ses:GetEmailIdentity');
  const [pending] = known;
  return pending ? unverified(subject, pending) : unknown(subject, domainOf(sender));
}

function unverified(subject: string, { name, VerificationStatus = 'PENDING' }: Identity): Finding {
  const remedy = name.includes('@')
    ? 'Click the link in the mail that SES sent there.'
    : `Publish the DNS records that the SES console shows for ${name}.`;
  return failure(subject, `${name} is not verified (${VerificationStatus}): every mail is rejected`, remedy);
}

function unknown(subject: string, domain: string): Finding {
  const says = `neither the address nor ${domain} is an identity in this account and region: every mail is rejected`;
  const remedy = `Create and verify ${domain} in the SES console, or correct the sender or AWS_REGION.`;
  return failure(subject, says, remedy);
}

const badCredentials =
  /^(UnrecognizedClient|InvalidClientTokenId|InvalidSignature|SignatureDoesNotMatch|ExpiredToken|IncompleteSignature)/;

/** The relay needs only `ses:SendEmail` and `ses:SendRawEmail`, so a denied read says nothing about sending. */
function refused(subject: string, { status, error }: SesAnswer, action: string): Finding {
  const says = `SES answered ${status}${error && ` (${error})`}`;
  if (badCredentials.test(error)) {
    const remedy =
      "Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or the role, and this machine's clock.";
    return failure(subject, `the AWS credentials are not accepted: ${says}`, remedy);
  }
  const remedy = error.startsWith('AccessDenied')
    ? `Allow ${action} for this role to include this check; the relay itself needs only ses:SendEmail and ses:SendRawEmail.`
    : 'Try again, and check the status of Amazon SES in this region.';
  return warning(subject, `cannot be checked: ${says}`, remedy);
}

/** The used members of SES v2 GetEmailIdentity. */
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

/**
 * Finds the identities that authorize a sender: its address, its domain and the parent domains.
 *
 * @returns `refusal`: a response because of which it is unknown whether there are more.
 */
export async function findIdentities(
  sender: string,
  askSes: AskSes,
  timeoutMs: number,
): Promise<{ readonly known: readonly Identity[]; readonly refusal: SesAnswer | undefined }> {
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
