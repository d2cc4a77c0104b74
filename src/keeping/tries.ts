import { stackOf } from '../error_stack.ts';
import type { DeliveryError, KeptEnding, Listener } from '../event.ts';
import type { Form } from '../form.ts';
import type { Aside, Claim, ContentProblem, Keep, Kept, KeptReason, Store } from '../kept.ts';
import { err, ok, type Result } from '../result.ts';
import { openContent } from '../stores/content.ts';
import { type Deliverable, deliverTo } from '../street/deliver.ts';
import { listen, submissionBudgetMs } from '../street/post_submission.ts';
import { scopeOf } from '../template/scope.ts';
import { owingPlace } from './owing_output.ts';
import { mayPass, reasonOf } from './reason.ts';
import { nextTry } from './schedule.ts';
import type { World } from './world.ts';

/** Has each kept delivery its turn when it is due. */
export interface Tries {
  /** Begins with this store, or goes on with another; `undefined`: with none. */
  start(keep: Keep | undefined): void;
  /** Tries one that is claimed, and settles it. `known`: what it holds, where that is in memory. Never rejects. */
  turn(claim: Claim, known?: Known): Promise<void>;
  close(): Promise<void>;
}

export interface Known {
  readonly form: Form;
  readonly submission: Omit<Deliverable, 'deadline'>;
}

/** How many are claimed at once. */
const mostAtOnce = 32;

/** How long the loop waits where nothing is due, and after a store has failed. */
const restMs = 1_000;

export function createTries(world: World, storeOf: (keep: Keep) => Promise<Store>): Tries {
  const { settings, config, effects, transports, observers } = world;
  let keep: Keep | undefined;
  let running: Promise<void> | undefined;
  let isClosing = false;

  return {
    start(next) {
      keep = next;
      if (keep && !isClosing) running ??= run();
    },
    turn,
    close: async () => {
      isClosing = true;
      await running;
    },
  };

  async function run(): Promise<void> {
    while (!isClosing && keep) {
      try {
        const store = await storeOf(keep);
        const claims = await store.claim(mostAtOnce, restMs);
        await Promise.all(claims.map((claim) => turn(claim)));
      } catch (error) {
        effects.log('error', 'keep_unavailable', {
          keep: keep.in.name,
          reason: error instanceof Error ? error.message : '',
        });
        await effects.sleep(restMs);
      }
    }
    running = undefined;
  }

  async function turn(claim: Claim, known?: Known): Promise<void> {
    const { kept } = claim;
    const requestId = kept.id.replace(/-\d+$/, '');
    const { receivedAt } = kept;
    const tell = listen(observers, { requestId, formId: kept.form, asked: kept.form, receivedAt });
    const end = (ending: KeptEnding) =>
      tell({ kind: 'kept_tried', output: kept.output.place, type: kept.output.type, ending });
    try {
      await settle(claim, await tryOnce(claim, tell, known), end);
    } catch (error) {
      // It stays claimed, and is due again when the store gives back what nobody has settled.
      effects.log('error', 'keep_unavailable', { request_id: requestId, stack: stackOf(error) });
    }
  }

  async function tryOnce(claim: Claim, tell: Listener, known: Known | undefined): Promise<Tried> {
    const { kept } = claim;
    if (claim.isDamaged) return { aside: 'unreadable', why: contentReasons.damaged };
    const form = known?.form ?? (await config.get())?.forms.get(kept.form);
    if (!form) return { why: gone.form };
    const place = owingPlace(form, kept.output);
    const output = place === undefined ? undefined : form.outputs[place];
    if (place === undefined || !output) return { why: gone.output };
    const opened = known ? ok(known.submission) : await read(kept);
    if (!opened.ok) return opened.error;
    const submission = { ...opened.value, deadline: effects.now() + submissionBudgetMs };
    const scope = scopeOf(form.id, submission, effects, form.fields);
    const context = { form, effects, transports, tell };
    const ending = await deliverTo(output, place, submission, scope, context, kept.id);
    return ending === 'taken' ? 'taken' : failureOf(ending);
  }

  async function read(kept: Kept): Promise<Result<Omit<Deliverable, 'deadline'>, Failed>> {
    const opened = await openContent(kept, settings);
    if (opened.ok) return opened;
    const why = contentReasons[opened.error];
    return err(opened.error === 'sealed' ? { why } : { aside: 'unreadable', why });
  }

  async function settle(claim: Claim, tried: Tried, end: (ending: KeptEnding) => void): Promise<void> {
    const now = effects.now();
    const { keptAt } = claim.kept;
    const ageMs = Math.max(0, now - keptAt);
    if (tried === 'taken') {
      await claim.done();
      end({ kind: 'delivered', tries: claim.kept.tries + 1, ageMs });
      return;
    }
    const { why } = tried;
    const tries = claim.kept.tries + 1;
    const kept: Kept = { ...claim.kept, tries, why };
    // Who has one turn asked for has not begun the loop.
    const rule = config.current?.keep ?? keep;
    const isOver = rule !== undefined && ageMs >= rule.forMs;
    const aside = tried.aside ?? (isOver ? 'expired' : undefined);
    if (aside === undefined) {
      const dueAt = nextTry(keptAt, now, effects.random);
      await claim.putOff(dueAt, kept);
      end({ kind: 'put_off', dueAt, tries, ageMs, why });
    } else if (aside === 'expired' && rule?.then === 'delete') {
      await claim.done();
      end({ kind: 'deleted', aside, tries, ageMs, why });
    } else {
      await claim.setAside(aside, kept);
      end({ kind: 'aside', aside, tries, ageMs, why });
    }
  }
}

interface Failed {
  readonly why: KeptReason;
  /** Nothing but its owner changes that. */
  readonly aside?: Aside;
}

type Tried = 'taken' | Failed;

function failureOf(error: DeliveryError): Failed {
  const why = reasonOf(error) ?? { code: 'internal_error', words: 'internal error' };
  return mayPass(error) ? { why } : { why, aside: 'refused' };
}

const gone = {
  form: { code: 'form_gone', words: 'the config has no form of this name any more' },
  output: { code: 'output_gone', words: 'the form has no output any more that this was for' },
} as const;

const contentReasons: Readonly<Record<ContentProblem, KeptReason>> = {
  damaged: { code: 'damaged', words: 'it is damaged: it is not as it was kept' },
  other_secret: { code: 'other_secret', words: 'it is encrypted with another KEEP_SECRET, or damaged' },
  no_secret: { code: 'no_secret', words: 'it is encrypted, and KEEP_SECRET is not set' },
  sealed: { code: 'sealed', words: 'it is sealed; its owner delivers it with `relay kept deliver`' },
};
