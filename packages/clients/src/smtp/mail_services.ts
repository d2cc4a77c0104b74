/**
 * Mail providers with their domains, servers and logins, for docs/mail.md, `relay init --mail` and `relay doctor`.
 * The list is not complete.
 */
import written from './mail_services.json' with { type: 'json' };

export type MailService = Service<RegExp>;

interface Service<Pattern> {
  readonly name: string;
  /** The provider's SMTP servers. */
  readonly hosts: Pattern;
  /** The servers that accept mail for the provider's own customers without a login. */
  readonly inbound?: Pattern;
  /** Domains of public mailboxes, for which only the provider's servers may send. */
  readonly mailboxes?: Pattern;
  /** Whether the provider uses its own envelope sender, so that its customers' SPF records do not matter. */
  readonly hasOwnEnvelope?: true;
  /** The `include` for SPF records that authorizes its servers. */
  readonly spf?: string;
  /** The servers that `spf` authorizes. Default: all. */
  readonly spfHosts?: Pattern;
  /** Accounts to send from, by the names that `relay init --mail` uses for them. */
  readonly accounts?: Readonly<Record<string, MailAccount>>;
}

export interface MailAccount {
  readonly title: string;
  /** Alias names. */
  readonly alsoCalled?: readonly string[];
  /** The host. Names in capitals are placeholders. */
  readonly host: string;
  /** Hosts of other regions and plans. */
  readonly otherHosts?: readonly (readonly [whose: string, host: string])[];
  /** Port 465 uses TLS from the start, 587 after STARTTLS. */
  readonly port: 465 | 587;
  readonly username: Username;
  readonly secret: Secret;
  /** Whether it also accepts OAuth. */
  readonly takesOAuth?: true;
  /** Whether it requires OAuth. */
  readonly wantsOAuth?: true;
  /** Whether it disconnects a client that introduces itself as `localhost`. */
  readonly wantsEhloName?: true;
  /** Whether it can identify customers by IP address alone. */
  readonly takesNoLogin?: true;
  /** An example of a sender. Default: `website@example.com`. */
  readonly sender?: string;
  /** The addresses that it accepts in `from`, for the manual. Default: the address of the mailbox, or an alias. */
  readonly from?: string;
  readonly limit?: string;
  /** Sentences for the manual, in Markdown. */
  readonly notes?: readonly string[];
}

interface Username {
  /** A description of the username. */
  readonly is: string;
  /** The username as written in a config. Default: the sender. */
  readonly written?: string;
}

/** The password, or what is used instead. */
interface Secret {
  readonly is: string;
  /** Where to find it. */
  readonly from: string;
}

const pattern = (source: string | undefined) => (source === undefined ? undefined : new RegExp(source));

const services: readonly MailService[] = (written as readonly Service<string>[]).map((service) => ({
  ...service,
  hosts: new RegExp(service.hosts),
  inbound: pattern(service.inbound),
  mailboxes: pattern(service.mailboxes),
  spfHosts: pattern(service.spfHosts),
}));

/** The service that runs an SMTP server. */
export const serviceOfHost = (host: string): MailService | undefined =>
  services.find(({ hosts }) => hosts.test(host.toLowerCase()));

/** Whether a server accepts mail for its own customers without a login. */
export const isInbound = (host: string): boolean =>
  serviceOfHost(host)?.inbound?.test(host.toLowerCase()) === true;

/** The `include` for SPF records that authorizes a server. */
export function spfOfHost(host: string): string | undefined {
  const { spf, spfHosts } = serviceOfHost(host) ?? {};
  return spfHosts?.test(host.toLowerCase()) === false ? undefined : spf;
}

/** The service that hosts the mailboxes of a domain. */
export const serviceOfMailbox = (domain: string): MailService | undefined =>
  services.find(({ mailboxes }) => mailboxes?.test(domain));

/** All accounts by name. */
export const mailAccounts: Readonly<Record<string, MailAccount>> = Object.assign(
  {},
  ...services.map(({ accounts }) => accounts),
);

/** The account at a known service's server. */
export function accountAt(server: string): MailAccount | undefined {
  if (isInbound(server)) return undefined;
  const host = server.toLowerCase();
  const { accounts = {} } = serviceOfHost(host) ?? {};
  const all = Object.values(accounts);
  return all.find((account) => account.host === host) ?? all[0];
}

/** A description of the password, or of what is used instead. */
export const secretOf = ({ secret, takesOAuth }: MailAccount): string =>
  takesOAuth ? `${secret.is}, or OAuth` : secret.is;
