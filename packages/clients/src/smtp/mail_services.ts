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
  /** The servers that take mail for the provider's own customers without a login. */
  readonly inbound?: Pattern;
  /** Domains of public mailboxes, which only the provider's servers may send from. */
  readonly mailboxes?: Pattern;
  /** The provider uses its own envelope sender, so its customers' SPF records do not matter. */
  readonly hasOwnEnvelope?: true;
  /** The `include` of SPF records that allow its servers. */
  readonly spf?: string;
  /** The servers that `spf` allows. Default: all. */
  readonly spfHosts?: Pattern;
  /** Accounts to send from, by their names for `relay init --mail`. */
  readonly accounts?: Readonly<Record<string, MailAccount>>;
}

export interface MailAccount {
  readonly title: string;
  /** Alias names. */
  readonly alsoCalled?: readonly string[];
  /** Names in capitals are placeholders. */
  readonly host: string;
  /** Hosts of other regions and plans. */
  readonly otherHosts?: readonly (readonly [whose: string, host: string])[];
  /** 465 speaks TLS from the first byte, 587 after STARTTLS. */
  readonly port: 465 | 587;
  readonly username: Username;
  readonly secret: Secret;
  /** Whether it accepts OAuth too. */
  readonly takesOAuth?: true;
  /** Whether it requires OAuth. */
  readonly wantsOAuth?: true;
  /** Whether it hangs up on a client that calls itself `localhost`. */
  readonly wantsEhloName?: true;
  /** Whether it may identify customers only by their IP addresses. */
  readonly takesNoLogin?: true;
  /** An example of a sender. Default: `website@example.com`. */
  readonly sender?: string;
  /** The addresses that it accepts in `from`, for the manual. Default: that of the mailbox, or an alias. */
  readonly from?: string;
  readonly limit?: string;
  /** Sentences for the manual, in Markdown. */
  readonly notes?: readonly string[];
}

interface Username {
  /** The username in words. */
  readonly is: string;
  /** The username in a config. Default: the sender. */
  readonly written?: string;
}

/** The password, or what replaces it. */
interface Secret {
  readonly is: string;
  /** The place to find it. */
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

/** Whether a server takes mail for its own customers without a login. */
export const isInbound = (host: string): boolean =>
  serviceOfHost(host)?.inbound?.test(host.toLowerCase()) === true;

/** The `include` of SPF records that allow a server. */
export function spfOfHost(host: string): string | undefined {
  const { spf, spfHosts } = serviceOfHost(host) ?? {};
  return spfHosts?.test(host.toLowerCase()) === false ? undefined : spf;
}

/** The service whose mailboxes are at a domain. */
export const serviceOfMailbox = (domain: string): MailService | undefined =>
  services.find(({ mailboxes }) => mailboxes?.test(domain));

/** Every account, by its name. */
export const mailAccounts: Readonly<Record<string, MailAccount>> = Object.assign(
  {},
  ...services.map(({ accounts }) => accounts),
);

/** The account of a known service at a server. */
export function accountAt(server: string): MailAccount | undefined {
  if (isInbound(server)) return undefined;
  const host = server.toLowerCase();
  const { accounts = {} } = serviceOfHost(host) ?? {};
  const all = Object.values(accounts);
  return all.find((account) => account.host === host) ?? all[0];
}

/** The password, or what replaces it, in words. */
export const secretOf = ({ secret, takesOAuth }: MailAccount): string =>
  takesOAuth ? `${secret.is}, or OAuth` : secret.is;
