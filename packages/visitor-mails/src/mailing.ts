import type { Outcome } from '@form-relay/core/index';
import { stackOf } from '@form-relay/core/kit';
import { createConfirmed } from './confirmed.ts';
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
    /** Mails what the visitor waits for. Resolves with the answer if it was not sent. */
    awaited: async (occasion: Omit<Occasion, 'until'>): Promise<Outcome | undefined> => {
      const [{ outcomeWithout }, { prepare }] = await Promise.all([import('./mailer.ts'), mailer()]);
      const prepared = await prepare({ ...occasion, until: occasion.submission.deadline });
      const ending = typeof prepared === 'string' ? prepared : await prepared.send();
      return ending === 'sent' ? undefined : outcomeWithout(ending, occasion.mail.to);
    },
    /** Mails after the answer, which neither waits for the mail nor changes with it. Never rejects. */
    afterwards: async (occasion: Omit<Occasion, 'until'>): Promise<void> => {
      const { submission } = occasion;
      try {
        const { prepare } = await mailer();
        const until = submission.request.livesOn ? Infinity : submission.deadline;
        const prepared = await prepare({ ...occasion, until });
        if (typeof prepared === 'object') await submission.defer(async () => void (await prepared.send()));
      } catch (error) {
        // The submission stays as it is, whatever bug follows.
        submission.log('error', 'internal_error', { stack: stackOf(error) });
      }
    },
  };
}

export type Mailing = ReturnType<typeof createMailing>;
