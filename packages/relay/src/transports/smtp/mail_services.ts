import { hostingServices } from './hosting_services.ts';
import type { MailAccount, MailService } from './mail_service.ts';
import { mailboxServices } from './mailbox_services.ts';
import { sendingServices } from './sending_services.ts';

/**
 * Whose domains and servers are whose, and what one logs in with: for the manual's table, for `relay init --mail` and for
 * `relay doctor`. The list is not complete.
 */

const services: readonly MailService[] = [...mailboxServices, ...hostingServices, ...sendingServices];

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

/** What stands in the place of the password, in words. */
export const secretOf = ({ secret, takesOAuth }: MailAccount): string =>
  takesOAuth ? `${secret.is}, or OAuth` : secret.is;
