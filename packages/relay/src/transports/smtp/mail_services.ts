/**
 * Mail providers: which domains and servers are theirs, and how to log in. Read by the manual's table, `relay init --mail` and
 * `relay doctor`. The list is not complete.
 */
import written from './mail_services.json' with { type: 'json' };

export type MailService = Service<RegExp>;

interface Service<Pattern> {
  readonly name: string;
  /** Its SMTP servers. */
  readonly hosts: Pattern;
  /** Those of them that take mail for its own customers from everybody, without a login. */
  readonly inbound?: Pattern;
  /** Where everybody can have a mailbox, and only its own servers may send from. */
  readonly mailboxes?: Pattern;
  /** Replaces the envelope sender by one of its own, so that its customers' SPF records do not matter. */
  readonly hasOwnEnvelope?: true;
  /** What an SPF record includes to allow its servers. */
  readonly spf?: string;
  /** Which of its servers that allows, where it is not all. */
  readonly spfHosts?: Pattern;
  /** How to send from an account there, by the name that `relay init --mail` knows it under. */
  readonly accounts?: Readonly<Record<string, MailAccount>>;
}

export interface MailAccount {
  readonly title: string;
  /** What people may call it instead. */
  readonly alsoCalled?: readonly string[];
  /** A name in capitals is to be replaced. */
  readonly host: string;
  /** In other regions, and for other plans. */
  readonly otherHosts?: readonly (readonly [whose: string, host: string])[];
  /** 465 speaks TLS from the first byte, 587 after STARTTLS. */
  readonly port: 465 | 587;
  readonly username: Username;
  readonly secret: Secret;
  /** Whether OAuth does as well as that. */
  readonly takesOAuth?: true;
  /** Whether it takes no password at all, and so wants OAuth. */
  readonly wantsOAuth?: true;
  /** Whether it hangs up on a client that calls itself `localhost`. */
  readonly wantsEhloName?: true;
  /** Whether it may know its customers by their addresses alone. */
  readonly takesNoLogin?: true;
  /** Wrong logins that can be told by their looks. */
  readonly mistakes?: readonly Mistake[];
  /** An example of who mails may be from. Default: `website@example.com`. */
  readonly sender?: string;
}

/** The first one that applies is reported. Patterns are regular expressions. */
interface Mistake {
  readonly in: 'username' | 'password';
  readonly pattern?: string;
  readonly notPattern?: string;
  /** Does not quote the login. */
  readonly says: string;
}

interface Username {
  /** What it is, in words. */
  readonly is: string;
  /** As a config has it. Default: the sender. */
  readonly written?: string;
}

/** What stands in the place of the password. */
interface Secret {
  readonly is: string;
  /** Where it is to be found. */
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

/** Whether it takes mail for its own customers, from everybody. */
export const isInbound = (host: string): boolean =>
  serviceOfHost(host)?.inbound?.test(host.toLowerCase()) === true;

/** What an SPF record includes to allow a service's server. */
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

/** What one signs in with at a server, where it is that of a known service. */
export function accountAt(server: string): MailAccount | undefined {
  if (isInbound(server)) return undefined;
  const host = server.toLowerCase();
  const { accounts = {} } = serviceOfHost(host) ?? {};
  const all = Object.values(accounts);
  return all.find((account) => account.host === host) ?? all[0];
}

/** What looks wrong with a login for this account. */
export const mistakeIn = (
  { mistakes = [] }: MailAccount,
  login: Readonly<Record<'username' | 'password', string>>,
): string | undefined =>
  mistakes.find(
    ({ in: part, pattern, notPattern }) =>
      (pattern !== undefined && new RegExp(pattern).test(login[part])) ||
      (notPattern !== undefined && !new RegExp(notPattern).test(login[part])),
  )?.says;

/** What stands in the place of the password, in words. */
export const secretOf = ({ secret, takesOAuth }: MailAccount): string =>
  takesOAuth ? `${secret.is}, or OAuth` : secret.is;
