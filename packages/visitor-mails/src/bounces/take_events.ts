import type { CounterStore } from '@form-relay/capacity/counters/place';
import type { Form, Services, Settings } from '@form-relay/core/index';
import { ClientError, isAddress, sameAddress } from '@form-relay/core/kit';
import type { Alerts } from '@form-relay/queue/alerts';
import { BlockList, hashOf } from './block_list.ts';
import { type Owners, ownersOf } from './owners.ts';
import type { MailEvent } from './types.ts';

interface BounceWorld {
  readonly forms: ReadonlyMap<string, Form>;
  readonly alerts: Alerts | undefined;
  readonly settings: Pick<Settings, 'formTokenSecret' | 'mailFromAddress'>;
  readonly services: Services;
  readonly store: CounterStore;
  readonly seen: Seen;
  /** Does what the answer need not wait for. */
  readonly defer: (work: () => Promise<void>) => Promise<void>;
}

export class Seen {
  readonly #texts = new Set<string>();

  has(text: string): boolean {
    return this.#texts.has(text);
  }

  add(text: string): void {
    const [oldest] = this.#texts;
    if (this.#texts.size >= mostSeen && oldest !== undefined) this.#texts.delete(oldest);
    this.#texts.add(text);
  }
}

const mostSeen = 10_000;

/** The characters of a hash by which the log and `relay mails blocked` name an address. */
export const shownHash = (hash: string): string => hash.slice(0, 12);

/** Logs events, blocks visitors' addresses, and alerts the owner; twice is as once. Rejects with a `ClientError` to be sent again. */
export async function takeEvents(
  provider: string,
  events: readonly MailEvent[],
  world: BounceWorld,
): Promise<void> {
  const { forms, alerts, settings, services, seen, store } = world;
  const { formTokenSecret: secret, mailFromAddress } = settings;
  if (events.length === 0 || secret === '') return;
  const list = new BlockList(store, services.now);
  const owners = ownersOf(forms, alerts?.form, mailFromAddress, services);
  const reports = reportsOf(provider, events, owners, world);
  const wanted = reports.flatMap(({ event: { at, kind, code }, hash }) =>
    hash !== undefined && kind !== 'soft' ? [[hash, { at, why: kind, code }] as const] : [],
  );
  const added = new Set(await list.block(new Map(wanted)));
  for (const report of reports) {
    const { id, hash } = report;
    seen.add(id);
    // An address is new once, however often this request names it.
    const isNew = hash !== undefined && added.delete(hash);
    if (report.forms) await tellOwner(provider, report, report.forms, list, world);
    else tellVisitors(provider, report, isNew, services);
  }
}

interface Report extends Found {
  readonly id: string;
  readonly event: MailEvent;
}

/** Events that were not taken before, with whom they concern. */
function reportsOf(
  provider: string,
  events: readonly MailEvent[],
  owners: Owners,
  { settings, seen }: BounceWorld,
): readonly Report[] {
  return events.flatMap((event) => {
    const id = `${provider} ${event.id}`;
    const found = seen.has(id) ? undefined : whoIs(event, owners, settings.formTokenSecret);
    return found ? [{ ...found, id, event }] : [];
  });
}

const aboutReport = (provider: string, { event: { kind, code, requestId } }: Report) => ({
  provider,
  kind,
  ...(code !== undefined && { code }),
  ...(requestId !== undefined && { request_id: requestId }),
});

function tellVisitors(
  provider: string,
  report: Report,
  isNew: boolean,
  { log }: Pick<Services, 'log'>,
): void {
  const { event, hash } = report;
  const isComplaint = event.kind === 'complaint';
  log(isComplaint ? 'warn' : 'info', isComplaint ? 'mail_complained' : 'mail_bounced', {
    ...aboutReport(provider, report),
    ...(hash !== undefined && { address: shownHash(hash) }),
    ...(hash !== undefined && event.kind !== 'soft' && { blocked: isNew ? 'now' : 'before' }),
  });
}

async function tellOwner(
  provider: string,
  report: Report,
  forms: ReadonlySet<string>,
  list: BlockList,
  { services, alerts, settings, defer }: BounceWorld,
): Promise<void> {
  const { event, owned, hash, isOwners } = report;
  const [address, ...others] = owned;
  const named = [...forms].filter((one) => one !== '');
  const isAlert = isOwners && event.kind !== 'soft';
  services.log(isAlert ? 'error' : 'warn', 'owner_mail_bounced', {
    ...aboutReport(provider, report),
    ...(others.length > 0 ? { addresses: owned.slice(0, mostNamed) } : address !== undefined && { address }),
    forms: named.slice(0, mostNamed),
  });
  if (!isAlert || !alerts) return;
  const bounced = { addresses: owned, forms: named, reason: reasonOf(provider, event) };
  const several = () => hashOf(settings.formTokenSecret, `one of ${['', ...owned.toSorted()].join(' ')}`);
  const about = { hash: hash ?? several(), isUnsure: hash === undefined };
  await defer(() => alertOnce(bounced, about, list, alerts.send));
}

const mostNamed = 20;

interface Bounced {
  /** Several: one of them. */
  readonly addresses: readonly string[];
  readonly forms: readonly string[];
  /** In words, without anything that others wrote. */
  readonly reason: string;
}

/** Alerts the owner, unless any process has done so since the address came onto the list. */
async function alertOnce(
  { addresses, forms, reason }: Bounced,
  { hash, isUnsure }: { readonly hash: string; readonly isUnsure: boolean },
  list: BlockList,
  send: Alerts['send'],
): Promise<void> {
  // Twice is better than never.
  if (!(await orIfFailing(true, () => list.claim(hash, isUnsure)))) return;
  let isTold = false;
  const told = async () => {
    isTold = true;
    await orIfFailing(undefined, () => list.conclude(hash, true));
  };
  await send({ kind: 'bounced', addresses, forms, reasons: [reason], told });
  if (!isTold) await orIfFailing(undefined, () => list.conclude(hash, false));
}

async function orIfFailing<T>(otherwise: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return otherwise;
  }
}

interface Found {
  /** The hash of the address; `undefined` if nothing says which one it is. */
  readonly hash: string | undefined;
  /** The addresses of the owner's that it may be. */
  readonly owned: readonly string[];
  /** The forms that mail to the owner there; `undefined`: it is a visitor's. */
  readonly forms: ReadonlySet<string> | undefined;
  /** Whether it is certainly one of the owner's. */
  readonly isOwners: boolean;
}

/** `undefined`: the report names nobody. */
function whoIs({ recipient }: MailEvent, owners: Owners, secret: string): Found | undefined {
  const named = 'oneOf' in recipient ? recipient.oneOf : [recipient.address];
  const addresses = [...new Set(named.flatMap(addressIn))];
  if (addresses.length === 0) return undefined;
  const owned = addresses.filter((one) => owners.has(one));
  const hash = hashOfOnly(addresses, secret);
  if (owned.length === 0) return { hash, owned, forms: undefined, isOwners: false };
  const forms = new Set(owned.flatMap((one) => [...(owners.get(one) ?? [])]));
  return { hash, owned, forms, isOwners: owned.length === addresses.length };
}

const addressIn = (named: string): string | readonly string[] => (isAddress(named) ? sameAddress(named) : []);

const hashOfOnly = (addresses: readonly string[], secret: string): string | undefined => {
  const [address, ...others] = addresses;
  return address === undefined || others.length > 0 ? undefined : hashOf(secret, address);
};

const reasonOf = (provider: string, { kind, code }: MailEvent): string =>
  kind === 'complaint'
    ? `its reader marked a mail as spam (${provider})`
    : `the address takes no mail (${[provider, code].filter(Boolean).join(', ')})`;
