import { stackOf } from '@form-relay/base/client_error';
import { LatestMap } from '@form-relay/clients/latest_map';
import type { Outcome } from '@form-relay/core/index';
import { createPace } from './decoys.ts';
import type { Mailer, Occasion } from './mailer.ts';

/** The relay's only mailer, loaded with the first mail. */
export function createMailing() {
  let loading: Promise<Mailer> | undefined;
  const mailer = () => {
    loading ??= import('./mailer.ts').then(({ createMailer }) => createMailer());
    return loading;
  };
  return {
    once: createConfirmed(),
    pace: createPace(),
    /** Mails what the visitor waits for. Resolves with the answer if it was not sent. */
    awaited: async (occasion: Omit<Occasion, 'until'>): Promise<Outcome | undefined> => {
      const [{ outcomeWithout }, { prepare }] = await Promise.all([import('./mailer.ts'), mailer()]);
      const prepared = prepare({ ...occasion, until: occasion.submission.deadline });
      const ending = typeof prepared === 'string' ? prepared : await prepared.send();
      return ending === 'sent' ? undefined : outcomeWithout(ending, occasion.mail.to);
    },
    /** Mails after the answer, which neither waits for the mail nor changes with it. Never rejects. */
    afterwards: async (occasion: Omit<Occasion, 'until'>): Promise<void> => {
      const { submission } = occasion;
      try {
        const { prepare } = await mailer();
        const until = submission.request.livesOn ? Infinity : submission.deadline;
        const prepared = prepare({ ...occasion, until });
        if (typeof prepared === 'object') await submission.defer(async () => void (await prepared.send()));
      } catch (error) {
        // The submission stays as it is, whatever bug follows.
        submission.log('error', 'internal_error', { stack: stackOf(error) });
      }
    },
  };
}

export type Mailing = ReturnType<typeof createMailing>;

interface Delivered {
  readonly outcome: Outcome;
  /** Every output failed without failing the submission. */
  readonly noOutputSucceeded: boolean;
}

/** A link that is opened again after this many others delivers again. */
const mostConfirmed = 10_000;

/** Whether it must not be delivered again. */
const isTaken = ({ outcome, noOutputSucceeded }: Delivered): boolean =>
  outcome.kind === 'delivered' && !noOutputSucceeded;

/** Delivers unless that is done or under way; a delivery that no output took may be repeated. */
function createConfirmed() {
  const known = new LatestMap<Promise<Delivered>>(mostConfirmed);
  return async (key: string, deliver: () => Promise<Delivered>) => {
    const before = known.get(key);
    if (before !== undefined) return { ...(await before), isAgain: true };
    const delivery = deliver();
    known.set(key, delivery);
    let ended: Delivered | undefined;
    try {
      ended = await delivery;
      return { ...ended, isAgain: false };
    } finally {
      if (!ended || !isTaken(ended)) known.delete(key);
    }
  };
}
