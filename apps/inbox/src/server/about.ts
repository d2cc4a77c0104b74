import { basename } from 'node:path';
import type {} from '@form-relay/canary/index';
import { readProof } from '@form-relay/canary/proof';
import type { Form } from '@form-relay/core/form';
import { outputInWords } from '@form-relay/stored/kept/open';
import { type About, type LearnedModel, noCounts, type Progress } from '../api.ts';
import { createGate, createOnset, type Gate, maySee, type Person } from '../gate.ts';
import { aboutWork } from '../work/shown.ts';
import type { InboxOptions } from './options.ts';

/** The data that the page loads first, limited to what the person may know. */
export async function aboutOf(
  options: InboxOptions,
  person: Person,
  progress: Progress | undefined,
): Promise<About> {
  const { index, sources, config, configName, actions } = options;
  const [counts, troubles, models] = await Promise.all([
    index.forms(),
    index.troubles(),
    modelsFor(options, person),
  ]);
  const known = config()?.forms;
  const byId = new Map(counts.map((one) => [one.id, one]));
  const ids = [...new Set([...(known?.keys() ?? []), ...byId.keys()])].filter((id) => maySee(person, id));
  const seesAll = person.forms === undefined;
  const tests = new Map(
    await Promise.all(ids.map(async (id) => [id, await testedOf(known?.get(id))] as const)),
  );
  return {
    // The path reveals details of the server.
    config: seesAll && person.canSignOut !== true ? configName : basename(configName),
    forms: ids.map((id) => ({
      id,
      title: titleOf(known?.get(id)) ?? id,
      isKnown: known?.has(id) ?? false,
      total: byId.get(id)?.total ?? 0,
      unread: byId.get(id)?.unread ?? 0,
      tested: tests.get(id),
      attention: byId.get(id)?.attention ?? noCounts,
      outputs: known?.get(id)?.outputs.map((output) => outputInWords({ output })) ?? [],
      rights: {
        act: actions !== undefined && person.may('act', id),
        erase: actions !== undefined && person.may('erase', id),
      },
    })),
    places: seesAll
      ? [...sources.archives.filter(({ isDropped }) => !isDropped), ...sources.stores].map(({ name }) => name)
      : [],
    troubles: seesAll ? troubles : { count: 0, latest: [] },
    progress: seesAll ? progress : undefined,
    models,
    person: {
      name: person.name,
      canSignOut: person.canSignOut === true,
      mayManage: person.mayManage === true,
    },
    ...aboutWork(options, person),
  };
}

/** The last result of the form's canary. A store that does not answer must not block the inbox. */
async function testedOf(form: Form | undefined): Promise<About['forms'][number]['tested']> {
  const proof = form?.provided.get('canary') && (await readProof(form, form.services).catch(() => undefined));
  return proof && { passedAt: proof.passedAt, failingSince: proof.failing?.since };
}

/** The title in the form's first language. */
export function titleOf(form: Form | undefined): string | undefined {
  return form?.title === undefined ? undefined : form.locale(undefined).text(form.title);
}

/** A model's counts reveal something about all its forms. */
export async function modelsFor(
  { learner, actions }: InboxOptions,
  person: Person,
): Promise<readonly LearnedModel[]> {
  const models = (await learner?.models()) ?? [];
  return models
    .filter(({ forms }) => forms.every((form) => maySee(person, form)))
    .map((model) => ({
      ...model,
      mayLearn: actions !== undefined && model.forms.every((form) => person.may('act', form)),
    }));
}

/**
 * Limits of shared resources: `each` person may use so many at once, with `waiting` more requests queued;
 * `most` is the limit for all people together.
 */
const kinds = {
  /** Streams of events: each page has one, and a person opens several. */
  streams: { each: 8, waiting: 0, most: 256 },
  /** Exports: each reads all the documents that it sends. */
  exports: { each: 1, waiting: 0, most: 4 },
  /** Summaries: each reads all documents. A page with a new filter abandons the previous one. */
  summaries: { each: 1, waiting: 2, most: 4 },
  /** Files, and actions that read them: each is held in memory. A browser requests six at once. */
  files: { each: 2, waiting: 16, most: 4 },
  /** All other requests, with bodies of up to 1 MB. */
  requests: { each: 4, waiting: 28, most: 256 },
} as const;

export type Kind = keyof typeof kinds;

/** Requests per minute of a person or key: each may add a line to the audit log, which is never truncated. */
const pace = { most: 6_000, mostOfKey: 600, withinMs: 60_000 };

/** Why a request is refused. `all`: other people use the whole shared capacity. */
export type Beyond = Kind | 'pace' | 'all';

interface Share {
  readonly gates: Map<Kind, Gate>;
  since: number;
  requests: number;
}

/** @param now In milliseconds. @param begins Called when a limit begins to refuse a person's requests. */
export function createShares(now: () => number, begins: (person: Person, limit: Beyond) => void) {
  const all = new Map<Kind, Gate>();
  const shares = new Map<string, Share>();
  const isOnset = createOnset(now);
  const gateIn = (gates: Map<Kind, Gate>, kind: Kind, most: number, waiting: number) => {
    const gate = gates.get(kind) ?? createGate(most, waiting);
    gates.set(kind, gate);
    return gate;
  };
  const shareOf = ({ subject = '' }: Person): Share => {
    const share = shares.get(subject) ?? { gates: new Map(), since: now(), requests: 0 };
    shares.set(subject, share);
    return share;
  };

  return {
    /** Waits for capacity. Returns a function that releases it, or the limit that refused. */
    async enter(person: Person, kind: Kind): Promise<(() => void) | Beyond> {
      const share = shareOf(person);
      const refuse = (limit: Beyond): Beyond => {
        if (isOnset(`${limit} ${person.subject}`)) begins(person, limit);
        return limit;
      };
      if (Math.abs(now() - share.since) >= pace.withinMs) [share.since, share.requests] = [now(), 0];
      share.requests += 1;
      if (share.requests > (person.isProgram ? pace.mostOfKey : pace.most)) return refuse('pace');
      const { each, waiting, most } = kinds[kind];
      const own = gateIn(share.gates, kind, each, waiting);
      if (!(await own.enter())) return refuse(kind);
      // People within their own limits wait here for shared capacity.
      const common = gateIn(all, kind, most, waiting && Infinity);
      if (!(await common.enter())) {
        own.leave();
        return refuse('all');
      }
      return () => {
        common.leave();
        own.leave();
      };
    },
  };
}
