import type { Bounces, OwnerBounce } from '../base/bounces.ts';
import { ClientError, stackOf } from '../base/client_error.ts';
import type { CountPlace } from '../base/counts.ts';
import type { Effects } from '../base/effects.ts';
import type { Config } from '../config/parse.ts';
import { readDsn } from '../features/bounces/dsn.ts';
import { Seen, takeEvents } from '../features/bounces/take_events.ts';
import type { Settings } from '../schema/settings/settings.ts';

const everyMs = 60_000;

/** How long others leave the mailbox to the process that has begun to read it. */
const leaseMs = 5 * 60_000;

/** How many times a mailbox is read in a row, some mails each time, before others get their turn. */
const mostInARow = 50;

const timeoutMs = 5_000;

/** Where reading goes on; beside the parts of the block list, whose names have two characters. */
const key = 'bounces/mailbox';

interface World {
  readonly settings: Settings;
  readonly effects: Effects;
  alert(bounced: OwnerBounce): Promise<void>;
}

export interface BounceMailbox {
  /** Goes on with this config. */
  start(config: Config): void;
  close(): Promise<void>;
}

interface Asked {
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
  /** The latest failure, which is told once. */
  let told: string | undefined;

  const askedNow = (): Asked | undefined => {
    const { bounces } = config ?? {};
    const { smtp, where } = bounces ?? {};
    return bounces && where && smtp?.mailbox !== undefined
      ? { bounces, where, path: smtp.mailbox, address: smtp.address }
      : undefined;
  };

  /** Whether there may be more. */
  const readSome = async ({ bounces, where, path, address }: Asked): Promise<boolean> => {
    const texts = await effects.openTexts(where);
    const before = await texts.read(key, timeoutMs);
    const state = stateIn(before.text, path);
    const now = effects.now();
    if (state.by !== own && state.until > now && state.until - now <= leaseMs) return false;
    const write = async (after: string | undefined, until: number) => {
      const text = JSON.stringify({ path, after, by: own, until });
      // The first write of an empty store only makes room.
      for (let tries = 0; tries < 3; tries += 1)
        if (await texts.write(key, text, await texts.read(key, timeoutMs), timeoutMs)) return;
    };
    if (state.by !== own || state.until - now < leaseMs / 2) await write(state.after, now + leaseMs);
    const { mails, after, finish } = await effects.readMailbox({ path, after: state.after });
    if (mails.length === 0 && after === state.after) return false;
    const { formTokenSecret: secret } = settings;
    const events = mails.flatMap((mail) => readDsn(mail, { address, secret, now: effects.now() }));
    const whole = config ?? { forms: new Map(), alerts: undefined };
    await takeEvents('smtp', events, { bounces, whole, settings, effects, seen, alert });
    await finish();
    await write(after, effects.now() + leaseMs);
    return mails.length > 0;
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
      config = undefined;
      await reading;
    },
  };
}

interface State {
  readonly after: string | undefined;
  readonly by: string;
  readonly until: number;
}

function stateIn(text: string | undefined, path: string): State {
  const nothing = { after: undefined, by: '', until: 0 };
  try {
    const read = JSON.parse(text ?? '') as State & { readonly path: string };
    return read.path === path ? read : nothing;
  } catch {
    return nothing;
  }
}
