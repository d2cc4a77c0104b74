import type { Listed, Store } from '../../kept.ts';
import { chooser } from '../kept/choice.ts';
import { factsOf } from '../kept/facts.ts';
import { Totals } from '../kept/totals.ts';
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
  /** Not only to say what would go. */
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
    let number = 0;
    const all = yes ? dropped(store, isChosen) : store.list();
    for await (const one of all) {
      if (!yes && !isChosen(one)) continue;
      totals.add(factsOf(one, config));
      number += 1;
    }
    process.stdout.write(
      `${yes ? 'dropped' : 'would drop'} ${deliveries(number)}\n${totals.lines(relay.effects.now()).join('')}`,
    );
    if (!yes) throw new CommandFailed('nothing was dropped; --yes drops them, for good');
    const troubles = new Troubles();
    troubles.unmet(unmet);
    troubles.end('that could not be dropped');
  });

async function* dropped(store: Store, isChosen: (one: Listed) => boolean): AsyncGenerator<Listed> {
  for await (const claim of store.take(isChosen)) {
    await claim.done();
    yield claim.listed;
  }
}
