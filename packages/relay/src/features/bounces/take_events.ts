import { bareAddress, parseAddress } from '../../base/address.ts';
import type { Bounces, MailEvent, OwnerBounce } from '../../base/bounces.ts';
import type { Effects } from '../../base/effects.ts';
import type { Whole } from '../../form.ts';
import type { Settings } from '../../schema/settings/settings.ts';
import { hashOf } from './addresses.ts';
import { BlockList } from './block_list.ts';
import { type Owners, ownersOf } from './owners.ts';
import { formMark } from './verp.ts';

export interface BounceWorld {
  readonly bounces: Bounces;
  readonly whole: Pick<Whole, 'forms' | 'alerts'>;
  readonly settings: Pick<Settings, 'formTokenSecret' | 'mailFromAddress'>;
  readonly effects: Effects;
  /** Ids of events that this process has taken. */
  readonly seen: Seen;
  alert(bounced: OwnerBounce): Promise<void>;
}

/** Texts that were seen before, a bounded number of them. */
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

/**
 * Tells of events, blocks visitors' addresses, and alerts the owner. Taking one twice does no more than taking it once. Rejects
 * with a `ClientError` if the list cannot be written: then the provider has to send it again.
 */
export async function takeEvents(
  provider: string,
  events: readonly MailEvent[],
  world: BounceWorld,
): Promise<void> {
  const { bounces, whole, settings, effects, seen } = world;
  const { formTokenSecret: secret, mailFromAddress } = settings;
  if (events.length === 0 || !bounces.where || secret === '') return;
  const list = new BlockList(await effects.openTexts(bounces.where), effects.now);
  const owners = ownersOf(whole, mailFromAddress, effects);
  const reports = reportsOf(provider, events, owners, world);
  const wanted = reports.flatMap(({ event: { at, kind, code }, hash, blocks }) =>
    blocks && hash !== undefined && kind !== 'soft' ? [[hash, { at, why: kind, code }] as const] : [],
  );
  const added = new Set(await list.block(new Map(wanted)));
  for (const report of reports) {
    const { id, hash } = report;
    seen.add(id);
    // An address is new once, however often this request names it.
    const isNew = hash !== undefined && added.delete(hash);
    if (report.forms) await tellOwner(provider, report, report.forms, isNew, world);
    else tellVisitors(provider, report, isNew, effects);
  }
}

interface Report extends Found {
  readonly id: string;
  readonly event: MailEvent;
  /** Whether its address gets no more mails. */
  readonly blocks: boolean;
}

/** Events that were not taken before, with whom they concern. */
function reportsOf(
  provider: string,
  events: readonly MailEvent[],
  owners: Owners,
  { whole, settings, seen }: BounceWorld,
): readonly Report[] {
  return events.flatMap((event) => {
    const id = `${provider} ${event.id}`;
    const found = seen.has(id) ? undefined : whoIs(event, owners, whole, settings.formTokenSecret);
    return found ? [{ ...found, id, event, blocks: event.kind !== 'soft' && !event.isUnsure }] : [];
  });
}

const aboutReport = (provider: string, { event: { kind, code, requestId }, form }: Report) => ({
  provider,
  kind,
  ...(code !== undefined && { code }),
  ...(form !== undefined && { form }),
  ...(requestId !== undefined && { request_id: requestId }),
});

function tellVisitors(provider: string, report: Report, isNew: boolean, { log }: Pick<Effects, 'log'>): void {
  const isComplaint = report.event.kind === 'complaint';
  log(isComplaint ? 'warn' : 'info', isComplaint ? 'mail_complained' : 'mail_bounced', {
    ...aboutReport(provider, report),
    ...(report.hash !== undefined && { address: shownHash(report.hash) }),
    ...(report.blocks && { blocked: isNew ? 'now' : 'before' }),
  });
}

async function tellOwner(
  provider: string,
  report: Report,
  forms: ReadonlySet<string>,
  isNew: boolean,
  { effects, alert }: BounceWorld,
): Promise<void> {
  const { event, owner, hash, blocks } = report;
  const named = [...forms].filter((form) => form !== '');
  effects.log(blocks ? 'error' : 'warn', 'owner_mail_bounced', {
    ...aboutReport(provider, report),
    ...(owner !== undefined && { address: owner }),
    forms: named.slice(0, mostNamed),
  });
  // An address of one's own is on the list, too, so that its owner is told once.
  if (blocks && (isNew || hash === undefined))
    await alert({ address: owner, kind: event.kind, forms: named, reason: reasonOf(provider, event) });
}

const mostNamed = 20;

interface Found {
  readonly hash: string | undefined;
  readonly form: string | undefined;
  /** An address of the owner's. */
  readonly owner: string | undefined;
  /** The forms that mail to the owner there; `undefined`: it is a visitor's. */
  readonly forms: ReadonlySet<string> | undefined;
}

/** `undefined`: the report names nobody. */
function whoIs(
  { recipient }: MailEvent,
  owners: Owners,
  { forms, alerts }: Pick<Whole, 'forms' | 'alerts'>,
  secret: string,
): Found | undefined {
  if ('address' in recipient) {
    // Some providers name recipients as the mail does: `Ada <ada@example.com>`.
    const address = parseAddress(bareAddress(recipient.address.trim()))?.toLowerCase();
    if (address === undefined) return undefined;
    const ofOwner = owners.formsOf.get(address);
    return { hash: hashOf(secret, address), form: undefined, owner: ofOwner && address, forms: ofOwner };
  }
  const ids = [...forms.keys(), ...(alerts ? [alerts.form.id] : [])];
  const form = ids.find((id) => formMark(id) === recipient.formMark);
  if ('hash' in recipient) return { hash: recipient.hash, form, owner: undefined, forms: undefined };
  if (form === undefined) return undefined;
  const all = owners.recipientsOf(form, recipient.output);
  // A forwarded mail comes back from an address that nobody here knows.
  const owner = all.find((one) => one === recipient.reported) ?? (all.length === 1 ? all[0] : undefined);
  return {
    hash: owner === undefined ? undefined : hashOf(secret, owner),
    form,
    owner,
    forms: new Set([form]),
  };
}

const reasonOf = (provider: string, { kind, code }: MailEvent): string =>
  kind === 'complaint'
    ? `its reader marked a mail as spam (${provider})`
    : `the address takes no mail (${[provider, code].filter(Boolean).join(', ')})`;
