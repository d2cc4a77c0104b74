import type { CounterStore } from '@form-relay/capacity/counters/store';
import type { Form, Services, Settings } from '@form-relay/core/index';
import { ClientError, isAddress, sameAddress } from '@form-relay/core/kit';
import type { Alerts } from '@form-relay/queue/alerts';
import { BlockList, hashOf } from './block_list.ts';
import { type Owners, ownersOf } from './owners.ts';
import type { MailEvent } from './providers/provider.ts';

interface BounceWorld {
  readonly forms: ReadonlyMap<string, Form>;
  readonly alerts: Alerts | undefined;
  readonly settings: Pick<Settings, 'formTokenSecret' | 'mailFromAddress'>;
  readonly services: Services;
  readonly store: CounterStore;
  /** The events that were taken. */
  readonly seen: Map<string, true>;
  /** Does what the answer need not wait for. */
  readonly defer: (work: () => Promise<void>) => Promise<void>;
}

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
    hash === undefined ? [] : [[hash, { at, why: kind, code }] as const],
  );
  const added = new Set(await list.block(new Map(wanted)));
  for (const report of reports) {
    const { id, hash } = report;
    seen.set(id, true);
    // An address is new once, however often this request names it.
    const isNew = hash !== undefined && added.delete(hash);
    if (report.owned.length > 0) await tellOwner(provider, report, list, world);
    else tellVisitors(provider, report, isNew, services);
  }
}

interface Report {
  readonly id: string;
  readonly event: MailEvent;
  /** The hash of the address; `undefined` if nothing says which one it is. */
  readonly hash: string | undefined;
  /** The addresses of the owner's that it may be, and the forms that mail there; none for a visitor's. */
  readonly owned: readonly string[];
  readonly forms: readonly string[];
  /** Whether it is certainly one of the owner's. */
  readonly isOwners: boolean;
}

/** Events that were not taken before, with whom they concern. */
function reportsOf(
  provider: string,
  events: readonly MailEvent[],
  owners: Owners,
  { settings, seen }: BounceWorld,
): readonly Report[] {
  return events.flatMap((event): Report | [] => {
    const { recipient } = event;
    const id = `${provider} ${event.id}`;
    const named = 'oneOf' in recipient ? recipient.oneOf : [recipient.address];
    const addresses = [...new Set(named.filter(isAddress).map(sameAddress))];
    const [address, ...others] = addresses;
    if (seen.has(id) || address === undefined) return [];
    const owned = addresses.filter((one) => owners.has(one));
    const forms = new Set(owned.flatMap((one) => [...(owners.get(one) ?? [])]));
    forms.delete('');
    return {
      id,
      event,
      hash: others.length > 0 ? undefined : hashOf(settings.formTokenSecret, address),
      owned,
      forms: [...forms],
      isOwners: owned.length === addresses.length,
    };
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
    ...(hash !== undefined && { address: shownHash(hash), blocked: isNew ? 'now' : 'before' }),
  });
}

async function tellOwner(
  provider: string,
  report: Report,
  list: BlockList,
  { services, alerts, settings, defer }: BounceWorld,
): Promise<void> {
  const { event, owned, forms, hash, isOwners } = report;
  const [address, ...others] = owned;
  services.log(isOwners ? 'error' : 'warn', 'owner_mail_bounced', {
    ...aboutReport(provider, report),
    ...(others.length > 0 ? { addresses: owned.slice(0, mostNamed) } : { address }),
    forms: forms.slice(0, mostNamed),
  });
  if (!isOwners || !alerts) return;
  const several = () => hashOf(settings.formTokenSecret, `one of ${['', ...owned.toSorted()].join(' ')}`);
  const claimed = hash ?? several();
  // Any process alerts once since the address came onto the list. Twice is better than never.
  await defer(async () => {
    if (!(await orIfFailing(true, () => list.claim(claimed, hash === undefined)))) return;
    let isTold = false;
    const told = async () => {
      isTold = true;
      await orIfFailing(undefined, () => list.conclude(claimed, true));
    };
    await alerts.send({
      kind: 'bounced',
      addresses: owned,
      forms,
      reasons: [reasonOf(provider, event)],
      told,
    });
    if (!isTold) await orIfFailing(undefined, () => list.conclude(claimed, false));
  });
}

const mostNamed = 20;

async function orIfFailing<T>(otherwise: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return otherwise;
  }
}

/** Without anything that others wrote. */
const reasonOf = (provider: string, { kind, code }: MailEvent): string =>
  kind === 'complaint'
    ? `its reader marked a mail as spam (${provider})`
    : `the address takes no mail (${[provider, code].filter(Boolean).join(', ')})`;
