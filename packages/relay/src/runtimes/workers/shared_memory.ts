import type { Outcome } from '../../base/outcome.ts';
import type { Soon } from '../../base/soon.ts';
import type { MailLimits, OwnMailLimits, Reached } from '../../features/visitor_mails/mail_limits.ts';
import type { Confirmed } from '../../memory/confirmed.ts';
import { createMemory, type Memory } from '../../memory/memory.ts';
import type { Rates } from '../../memory/rates.ts';
import type { OwnTexts, Texts } from '../../memory/texts.ts';
import type { UsedOnce } from '../../memory/used_once.ts';
import type { Channel, Counted, ToPrimary } from './channel.ts';

/** How often, and how long, to ask whether another worker has delivered the submission of a link. */
const confirmedEveryMs = 100;
const confirmedWithinMs = 24_000;

/** How often workers tell each other their counts for `proof_of_work: auto`. */
const pressedEveryMs = 100;
/** Beyond this many counts, the client is left out. */
const mostPressed = 1_000;

/**
 * The memory that workers share by asking the primary, for forms that use it. If the primary doesn't answer, a worker counts
 * for itself, as copies of the relay do: a flood may get through once per worker, but no visitor is lost.
 */
export function createSharedMemory(
  channel: Channel<ToPrimary>,
  { now, uuid, secret }: { now(): number; uuid(): string; readonly secret: string },
): {
  readonly memory: Memory;
  /** Adds the counts of other workers. */
  readonly press: (counts: readonly Counted[]) => void;
} {
  const own = createMemory({ now, uuid }, { formTokenSecret: secret });
  const { pressure, press } = sharePressure(own.pressure, channel, now);

  const rates: Rates = {
    take: async (key, limit) => {
      const taken = await asked(channel.ask('take', [key, limit]), () => own.rates.take(key, limit));
      if ('waitMs' in taken || 'undo' in taken) return taken;
      return { undo: () => channel.tell('giveBack', key, (taken as { at: number }).at) };
    },
  };
  const proofs: UsedOnce = {
    use: (key) => asked(channel.ask('useProof', [key]), () => own.proofs.use(key)),
    giveBack: (key) => {
      own.proofs.giveBack(key);
      channel.tell('giveProofBack', key);
    },
  };
  /** Shared versions of late parts, by their names. */
  const late: Readonly<Record<string, (own: never, tell: never) => unknown>> = {
    repeated: (texts: OwnTexts): Texts => ({
      note: async (text) => {
        const noted = await asked(channel.ask('noteText', [text]), () => texts.note(text));
        if ('undo' in noted) return noted;
        return { ...noted, undo: () => channel.tell('forgetText', noted.number) };
      },
    }),
    mails: (mails: OwnMailLimits, tell: (reached: Reached) => void): MailLimits => ({
      take: async (mail) => {
        const { limit, reached } = await asked(channel.ask('takeMail', [mail]), () => ({
          limit: mails.take(mail),
          reached: undefined,
        }));
        if (reached) tell(reached);
        return limit;
      },
      giveBack: (mail) => {
        mails.giveBack(mail);
        channel.tell('giveMailBack', mail);
      },
    }),
    confirmed: (confirmed: Confirmed): Confirmed => shareConfirmed(confirmed, channel),
  };
  return {
    press,
    memory: {
      nameOf: own.nameOf,
      rates,
      proofs,
      pressure,
      late: (name, make, tell) => {
        const share = late[name];
        if (!share) return own.late(name, make);
        return own.late(`${name} of all`, () => share(own.late(name, make) as never, tell as never)) as never;
      },
    },
  };
}

/** Falls back to `instead` if the primary doesn't answer. */
async function asked<T, U>(answer: Promise<T>, instead: () => Soon<U>): Promise<T | U> {
  try {
    return await answer;
  } catch {
    return instead();
  }
}

/** A link that is opened twice delivers once, whichever workers have the two. */
function shareConfirmed(own: Confirmed, channel: Channel<ToPrimary>): Confirmed {
  return {
    // In this process the second waits for the first.
    once: (key, deliver) => {
      let isAgain = false;
      const delivering = async (): Promise<Outcome> => {
        const until = performance.now() + confirmedWithinMs;
        for (;;) {
          const { isFirst, outcome } = await asked(channel.ask('beginConfirmed', [key]), () => ({
            isFirst: true as const,
            outcome: undefined,
          }));
          if (outcome) {
            isAgain = true;
            return outcome;
          }
          if (isFirst) break;
          // The visitor sees the page again, and may click again.
          if (performance.now() > until) return { kind: 'undelivered' };
          await new Promise((resolve) => setTimeout(resolve, confirmedEveryMs));
        }
        let outcome: Outcome | undefined;
        try {
          outcome = await deliver();
          return outcome;
        } finally {
          channel.tell('endConfirmed', key, outcome);
        }
      };
      return own.once(key, delivering).then((ended) => ({ ...ended, isAgain: ended.isAgain || isAgain }));
    },
  };
}

/**
 * Each worker counts all submissions, since pages can't wait for the primary: it hears of the others' a moment later. In a
 * flood of very many clients, those beyond a limit count for their form alone.
 */
function sharePressure(own: Memory['pressure'], channel: Channel<ToPrimary>, now: () => number) {
  let counts: Counted[] = [];
  const post = (count: Counted) => {
    if (counts.length === 0) {
      setTimeout(() => {
        channel.tell('counted', counts);
        counts = [];
      }, pressedEveryMs).unref();
    }
    const [form, , at] = count;
    counts.push(counts.length < mostPressed ? count : count[3] ? [form, null, at, true] : [form, null, at]);
  };
  const press = (heard: readonly Counted[]) => {
    for (const [form, client, at, isBack] of heard) {
      if (isBack) own.uncount(form, client ?? undefined, at);
      else own.count(form, client ?? undefined);
    }
  };
  const pressure: Memory['pressure'] = {
    ...own,
    count: (form, client) => {
      const at = now();
      const undo = own.count(form, client);
      post([form, client ?? null, at]);
      return () => {
        undo();
        post([form, client ?? null, at, true]);
      };
    },
  };
  return { pressure, press };
}
