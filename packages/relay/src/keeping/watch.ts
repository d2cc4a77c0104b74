import { stackOf } from '../base/error_stack.ts';
import type { Observer, StreetEvent } from '../base/event.ts';
import { inTime } from '../base/in_time.ts';
import type { Keep, KeptReason, Store } from '../base/kept.ts';
import type { Variables } from '../config/needed_variables.ts';
import type { Config } from '../config/parse.ts';
import { keep } from '../features/keep/keep.ts';
import type { Form } from '../form.ts';
import { failureWords } from '../telling/submission_log.ts';
import { createAlertSender } from './alerts.ts';
import { Episodes, type Notice } from './episodes.ts';
import { createHeartbeat } from './heartbeat.ts';
import { reasonOf } from './reason.ts';
import { createLook, reasonIn, type Seen, waitingInWords } from './waiting.ts';
import type { World } from './world.ts';

/** What it goes by, as plain data: it may have happened in another process. */
export type Heard =
  | { readonly kind: 'kept' | 'deleted' }
  | { readonly kind: 'keep_failed'; readonly words: string }
  | { readonly kind: 'failed'; readonly why: KeptReason; readonly isAside: boolean };

/** What there is to hear in what happens to a submission. */
export function heardIn(event: StreetEvent): readonly Heard[] {
  switch (event.kind) {
    case 'delivery_kept':
      return event.why === undefined
        ? [{ kind: 'kept' }]
        : [{ kind: 'kept' }, { kind: 'failed', why: reasonOf(event.why), isAside: false }];
    case 'keep_failed':
      return [{ kind: 'keep_failed', words: failureWords(event.error) }];
    case 'kept_tried': {
      const { ending } = event;
      if (ending.kind === 'deleted') return [{ kind: 'deleted' }];
      return 'why' in ending && ending.why
        ? [{ kind: 'failed', why: ending.why, isAside: ending.kind === 'aside' }]
        : [];
    }
    default:
      return [];
  }
}

/** Watches over what is kept: tells its owner and the log what waits, and a service outside that all is well. */
export interface Watch {
  /** Hears what happens to each submission. */
  readonly observe: Observer;
  /** Hears what happened to a submission in another process. */
  hear(form: string, heard: Heard): void;
  /** What waits, for `/readyz`; `undefined`: nothing, or nothing is kept. */
  readonly words: string | undefined;
  /** What was last seen of what is kept. */
  readonly seen: KeptSeen | undefined;
  start(config: Config): void;
  /** Lets alerts end that are under way, and tells nothing more. */
  close(): Promise<void>;
}

export interface KeptSeen {
  readonly keep: Keep;
  readonly seen: Seen;
}

interface Watched extends World {
  readonly variables: Variables;
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** What is to be told at once is told after so long, so that forms that fail together are told together. */
const gatherMs = 2 * second;

/** The same while others have begun to fail shortly before. */
const gatherMoreMs = minute;
const shortlyMs = 10 * minute;

/** How long a process that stops waits for what is under way. */
const closingMs = 10 * second;

/** How long something waits before somebody should look, where `alerts` says nothing. */
const defaultOldestMs = 6 * hour;

/** For how long a store is mistrusted that could not keep something, unless it can keep again. */
const mistrustMs = hour;

/** @param storeOf The store that a config names, opened when it is first asked for. */
export function createWatch(world: Watched, storeOf: (keep: Keep) => Promise<Store>): Watch {
  const { effects } = world;
  const look = createLook(world, storeOf);
  const alerts = createAlertSender(world);
  const heartbeat = createHeartbeat(world, whyUnwell);
  let episodes = new Episodes();
  let config: Config | undefined;
  let stop: (() => void) | undefined;
  let looking: Promise<void> | undefined;
  let nextLookAt = 0;
  /** Since when something is to be told. */
  let urgentAt: number | undefined;
  /** When something was last told. */
  let toldAt: number | undefined;
  let keepFailedAt: number | undefined;

  return {
    observe:
      ({ formId = '' }) =>
      (event) => {
        for (const heard of heardIn(event)) hear(formId, heard);
      },
    hear,
    get words() {
      return config?.keep && look.seen && waitingInWords(look.seen, config.keep);
    },
    get seen() {
      return config?.keep && look.seen && { keep: config.keep, seen: look.seen };
    },
    start(next) {
      if (next.keep?.in.name !== config?.keep?.in.name) episodes = new Episodes();
      config = next;
      if (next.keep && next.keep.sealTo.length > 0)
        effects.log('info', 'keep_sealed', { keep: next.keep.in.name, reason: sealedWords });
      nextLookAt = 0;
      heartbeat.start(next.heartbeat);
      stop ??= effects.repeat(second, tick);
    },
    close: async () => {
      stop?.();
      config = undefined;
      const ending = Promise.all([looking, heartbeat.close(), alerts.close()]);
      await inTime<unknown>(closingMs, ending, () => undefined);
    },
  };

  function hear(form: string, heard: Heard): void {
    switch (heard.kind) {
      case 'kept':
        keepFailedAt = undefined;
        break;
      case 'failed':
        fail(form, heard.why, heard.isAside);
        break;
      case 'keep_failed':
        keepFailedAt = effects.now();
        if (config?.alerts && config.keep) alerts.keepFailed(form, heard.words, config.alerts, config.keep);
        break;
      case 'deleted':
        episodes.deleted(form);
        break;
    }
  }

  function fail(form: string, why: KeptReason, isAside = false): void {
    const now = effects.now();
    if (episodes.failed(form, why, now, isAside)) urgentAt ??= now;
  }

  function tick(): void {
    heartbeat.beat();
    alerts.retry();
    const now = effects.now();
    const isTime = now >= nextLookAt || nextLookAt - now > hour;
    const gather = toldAt !== undefined && now - toldAt < shortlyMs ? gatherMoreMs : gatherMs;
    const isReady = urgentAt === undefined ? isTime : now - urgentAt >= gather || urgentAt > now;
    if (looking === undefined && config?.keep && isReady) looking = lookNow(config, config.keep);
  }

  async function lookNow({ forms, alerts: to }: Config, keep: Keep): Promise<void> {
    const startedAt = effects.now();
    const { known } = episodes;
    urgentAt = undefined;
    try {
      const first = await look.again(keep);
      // What is on its way from one place to another while it is counted may be missed: once, but not twice.
      const { seen, store } = episodes.mayEnd(first.seen.waiting) ? await look.again(keep) : first;
      if (store) {
        const limits = {
          oldestMs: to?.oldestMs ?? defaultOldestMs,
          keepsAll: (form: string) => keepsAll(form === '' ? [...forms.values()] : [forms.get(form)]),
        };
        const notices = episodes.look(seen.waiting, effects.now(), limits, known);
        const whole = await Promise.all(notices.map((one) => withReason(one, store)));
        for (const one of whole) logNotice(one);
        if (whole.length > 0) toldAt = effects.now();
        if (to && whole.length > 0) await alerts.notices(whole, to, keep, store);
      }
    } catch (error) {
      effects.log('error', 'internal_error', { stack: stackOf(error) });
    }
    // To count a million takes its time.
    const tookMs = Math.max(0, effects.now() - startedAt);
    nextLookAt = effects.now() + Math.max(minute, 30 * tookMs);
    looking = undefined;
  }

  function logNotice({ kind, forms, waiting, aside, oldestKeptAt, whys }: Notice): void {
    const isOver = kind === 'delivered';
    effects.log(isOver ? 'info' : 'warn', 'kept_waiting', {
      told: kind,
      forms: forms.slice(0, mostNamed),
      waiting,
      ...(aside > 0 && { aside }),
      ...(oldestKeptAt !== undefined && !isOver && { oldest: new Date(oldestKeptAt).toISOString() }),
      ...(whys.length > 0 && { reason: whys.map(({ words }) => words).join('; ') }),
    });
  }

  async function whyUnwell(): Promise<string | undefined> {
    const current = await world.config.get();
    if (!current || world.config.state !== 'fresh') return 'the latest config could not be loaded';
    const { missing } = world.variables;
    if (missing.length > 0) return `variables are not set: ${missing.join(', ')}`;
    if (!current.keep) return undefined;
    const now = effects.now();
    if (keepFailedAt !== undefined && now - keepFailedAt < mistrustMs && now >= keepFailedAt)
      return 'what could not be delivered could not be kept';
    const { seen } = await look.again(current.keep);
    if (seen.problem !== undefined) return `where deliveries are kept does not answer: ${seen.problem}`;
    const mostMs = current.alerts?.oldestMs ?? defaultOldestMs;
    const isOld = [...seen.waiting.forms.values()].some(
      ({ due, oldestKeptAt }) => due > 0 && oldestKeptAt !== undefined && now - oldestKeptAt >= mostMs,
    );
    return isOld ? 'something waits for too long; relay kept list shows what' : undefined;
  }
}

const keepsAll = (forms: readonly (Form | undefined)[]) =>
  forms.some((form) => (form && keep.of(form))?.what === 'always');

/** Said whenever such a config is loaded: nobody must wait for what never comes by itself. */
const sealedWords =
  'what is kept is sealed, so this relay cannot try it again; `relay kept deliver --identity key.txt` delivers it';

/** Who wants to know the others asks `relay kept list`. */
const mostNamed = 20;

/** Others may know why it waits; those that keep messages hidden are not asked. */
async function withReason(notice: Notice, store: Store): Promise<Notice> {
  if (notice.whys.length > 0 || notice.kind === 'delivered' || store.notes) return notice;
  try {
    const why = await reasonIn(store, notice.key, notice.kind === 'aside');
    return { ...notice, whys: why ? [why] : [] };
  } catch {
    return notice;
  }
}
