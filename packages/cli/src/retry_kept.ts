import {
  assignment,
  isSealed,
  keptOutput,
  type Listed,
  type Queued,
  type Store,
} from '@form-relay/queue/index';
import { chooser } from '@form-relay/stored/kept/list';
import { keysOf, owedOutput, readKept } from '@form-relay/stored/kept/open';
import { putBack, settleAll } from '@form-relay/stored/kept/settle';
import { CommandFailed } from './command_failed.ts';
import {
  type ChoiceOptions,
  choiceOf,
  deliveries,
  type OpenStore,
  type StoreOptions,
  Troubles,
  withStore,
} from './open_kept.ts';

export interface RetryOptions extends StoreOptions, ChoiceOptions {
  /** Also those that are tried again by themselves, later. */
  readonly all?: boolean;
  /** For deliveries whose output is gone: the index, in their form's `outputs`, of the output that gets them. */
  readonly output?: number;
  readonly json?: boolean;
}

/** Has the relay try again now what waits for its owner. */
export const retryKept = (ids: readonly string[], options: RetryOptions): Promise<void> =>
  withStore(options, async (open) => {
    const troubles = new Troubles();
    const choice = choiceOf(options, ids);
    // The relay puts off what has no output any more, so that this is not set aside.
    const isForGone = options.output !== undefined;
    const isNamed = ids.length > 0 || choice.state !== undefined || options.all || isForGone;
    const { isChosen, unmet } = chooser(isNamed ? choice : { ...choice, state: 'aside' });
    const assigned = assigning(open, options.output, troubles, ids.length > 0);
    let leavesSealed = false;
    const isReadable = ({ kept }: Listed) => {
      const isShut = isSealed(kept.content);
      leavesSealed ||= isShut;
      return !isShut;
    };
    const isWanted = (one: Listed) => isChosen(one) && isReadable(one) && assigned(one.kept) !== undefined;
    const dueAt = open.relay.services.now();
    const claims = open.store.take(isWanted);
    const number = await settleAll(isForGone ? unaltered(claims, open, troubles) : claims, (claim) =>
      claim.reschedule(dueAt, assigned(claim.kept) ?? claim.kept),
    );
    process.stdout.write(
      options.json ? `${JSON.stringify({ due: number })}\n` : `${deliveries(number)} due now\n`,
    );
    if (leavesSealed) {
      process.stderr.write(`${sealedWords}\n`);
      process.exitCode = 1;
    }
    troubles.unmet(unmet);
    troubles.end('that stay as they are');
  });

/** The claims whose content is as it was kept. Altered content must not go to another output. */
async function* unaltered(
  claims: ReturnType<Store['take']>,
  { relay }: OpenStore,
  { tell }: Troubles,
): ReturnType<Store['take']> {
  for await (const claim of claims) {
    const read = await readKept(claim.kept, keysOf(relay.services, relay.settings));
    if (read.ok) yield claim;
    else {
      tell(claim.kept.id, read.error);
      await putBack(claim, relay.services);
    }
  }
}

const sealedWords =
  'what is sealed stays as it is: no relay can read it, and relay kept deliver --identity key.txt delivers it';

/**
 * The delivery with the output that is to get it: `undefined` where it has its own, or its form has no such output, which
 * is told once.
 */
function assigning(
  { config, relay }: OpenStore,
  place: number | undefined,
  { tell }: Troubles,
  areNamed: boolean,
): (kept: Queued) => Queued | undefined {
  if (place === undefined) return (kept) => kept;
  if (!config) throw new CommandFailed('--output names an output of a config, which --config names');
  const told = new Set<string>();
  const tellOnce = (id: string, words: string) => {
    if (!told.has(id)) tell(id, words);
    told.add(id);
  };
  return (kept) => {
    const own = owedOutput(kept, config);
    const owed = own.ok ? own : owedOutput(kept, config, place);
    if (owed.ok && !own.ok) {
      const given = { ...kept, output: keptOutput(owed.value.form, place) };
      return { ...given, assigned: assignment(given, relay.services.env('KEEP_SECRET') ?? '') };
    }
    if (!owed.ok) tellOnce(kept.id, owed.error);
    else if (areNamed)
      tellOnce(kept.id, `is for outputs[${owed.value.place}], which is there; try it without --output`);
    return undefined;
  };
}
