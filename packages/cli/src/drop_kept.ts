import type { Listed } from '@form-relay/queue/index';
import { chooser, factsOf, Totals } from '@form-relay/stored/kept/list';
import { settleAll } from '@form-relay/stored/kept/settle';
import { CommandFailed } from './command_failed.ts';
import {
  type ChoiceOptions,
  choiceOf,
  deliveries,
  type StoreOptions,
  Troubles,
  withStore,
} from './open_kept.ts';

export interface DropOptions extends StoreOptions, ChoiceOptions {
  /** Whether to drop them; else the command only lists them. */
  readonly yes?: boolean;
}

/** Forgets deliveries for good, those that are named or with `--yes`, and says which they were. */
export const dropKept = (
  ids: readonly string[],
  { yes = ids.length > 0, ...options }: DropOptions,
): Promise<void> =>
  withStore(options, async ({ store, config, relay }) => {
    const { isChosen, unmet } = chooser(choiceOf(options, ids));
    const totals = new Totals();
    const add = (one: Listed) => totals.add(factsOf(one, config));
    if (yes) {
      await settleAll(store.take(isChosen), async (claim) => {
        await claim.done();
        add(claim.listed);
      });
    } else {
      for await (const one of store.list()) if (isChosen(one)) add(one);
    }
    process.stdout.write(
      `${yes ? 'dropped' : 'would drop'} ${deliveries(totals.number)}\n${totals.lines(relay.services.now()).join('')}`,
    );
    if (!yes) throw new CommandFailed('nothing was dropped; --yes drops them, for good');
    const troubles = new Troubles();
    troubles.unmet(unmet);
    troubles.end('that could not be dropped');
  });
