import type { Bounces, TellOwner } from '../base/bounces.ts';
import { ClientError, stackOf } from '../base/client_error.ts';
import type { CountPlace } from '../base/counts.ts';
import type { Effects, UnreadMail } from '../base/effects.ts';
import type { Config } from '../config/parse.ts';
import { readDsn } from '../features/bounces/dsn.ts';
import { Seen, takeEvents } from '../features/bounces/take_events.ts';
import type { Settings } from '../schema/settings/settings.ts';

const everyMs = 60_000;

/** How long others leave the mailbox to the process that has begun to read it. */
const leaseMs = 5 * 60_000;

/** How many times a mailbox is read in a row, some mails each time, before others get their turn. */
const mostInARow = 50;

/** How many mails that cannot be read are named in a look. */
const mostTold = 20;

/** Where reading goes on; beside the parts of the block list, whose names have two characters. */
const key = 'bounces/mailbox';

interface World {
  readonly settings: Settings;
  readonly effects: Effects;
  readonly alert: TellOwner;
}

export interface BounceMailbox {
  /** Goes on with this config. */
  start(config: Config): void;
  close(): Promise<void>;
}

interface Asked {
  readonly whole: Config;
  readonly bounces: Bounces;
  readonly where: CountPlace;
  readonly path: string;
  readonly address: string;
}

/** Reads mails that came back from the mailbox of `bounces.smtp`, by one process at a time. */
export function createBounceMailbox({ settings, effects, alert }: World): BounceMailbox {
  const seen = new Seen();
  const own = effects.uuid();
  let config: Config | undefined;
  let stop: (() => void) | undefined;
  let reading: Promise<void> | undefined;
  let isHolding = false;
  /** The latest failure, which is told once. */
  let told: string | undefined;
  /** The mails that could not be read at the latest look. */
  let unreadBefore: readonly UnreadMail[] = [];

  const tellUnread = (unread: readonly UnreadMail[]) => {
    const isNew = ({ path }: UnreadMail) => !unreadBefore.some((one) => one.path === path);
    for (const { path, reason } of unread.filter(isNew).slice(0, mostTold))
      effects.log('error', 'mailbox_unread', { mailbox: path, reason });
    unreadBefore = unread;
  };

  const askedNow = (): Asked | undefined => {
    const { bounces } = config ?? {};
    const { smtp, where } = bounces ?? {};
    return config && bounces && where && smtp?.mailbox !== undefined
      ? { whole: config, bounces, where, path: smtp.mailbox, address: smtp.address }
      : undefined;
  };

  /** Takes or keeps the lease, with a place where reading goes on. `undefined`: another process has it. */
  const hold = async ({ where, path }: Asked, forMs: number, next?: string): Promise<Place | undefined> => {
    const counter = await effects.openCounter(where);
    let held: Place | undefined;
    await counter.change(key, (text) => {
      const before = placeIn(text, path);
      const restMs = before.until - effects.now();
      const isOurs = before.by === own;
      held = isOurs || restMs <= 0 || restMs > leaseMs ? before : undefined;
      // A mailbox without news is not a write each minute.
      if (!held || (isOurs && next === undefined && forMs > 0 && restMs > leaseMs / 2)) return text;
      const after = next ?? before.after;
      return JSON.stringify({ path, after, by: own, until: effects.now() + forMs });
    });
    return held;
  };

  /** Whether there may be more. */
  const readSome = async (asked: Asked): Promise<boolean> => {
    const { whole, bounces, path, address } = asked;
    const place = await hold(asked, leaseMs);
    if (!place) return false;
    isHolding = true;
    const { mails, after, unread = [], finish } = await effects.readMailbox({ path, after: place.after });
    tellUnread(unread);
    if (mails.length === 0 && after === place.after) return false;
    const { formTokenSecret: secret } = settings;
    const events = mails.flatMap((mail) => readDsn(mail, { address, secret, now: effects.now() }));
    const afterwards = (work: () => Promise<void>) => work();
    await takeEvents('smtp', events, { bounces, whole, settings, effects, seen, alert, afterwards });
    await finish();
    await hold(asked, leaseMs, after);
    return true;
  };

  const read = async () => {
    try {
      for (let times = 0; times < mostInARow; times += 1) {
        const asked = settings.formTokenSecret === '' ? undefined : askedNow();
        if (!asked || !(await readSome(asked))) break;
      }
      told = undefined;
    } catch (error) {
      if (!(error instanceof ClientError)) effects.log('error', 'internal_error', { stack: stackOf(error) });
      else if (told !== error.message) {
        told = error.message;
        effects.log('error', 'mailbox_unread', { mailbox: askedNow()?.path, reason: error.message });
      }
    }
  };
  const begin = () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
  };
  return {
    start(next) {
      config = next;
      stop ??= effects.repeat(everyMs, begin);
      begin();
    },
    async close() {
      stop?.();
      const asked = askedNow();
      config = undefined;
      await reading;
      // The next process need not wait until the lease is over. It will be, if this fails.
      if (asked && isHolding) await hold(asked, 0).catch(() => {});
    },
  };
}

/** Where reading goes on, and who reads until when. */
interface Place {
  readonly after: string | undefined;
  readonly by: string;
  readonly until: number;
}

function placeIn(text: string | undefined, path: string): Place {
  const nothing = { after: undefined, by: '', until: 0 };
  try {
    const read = JSON.parse(text ?? '') as Place & { readonly path: string };
    return read.path === path ? read : nothing;
  } catch {
    return nothing;
  }
}
