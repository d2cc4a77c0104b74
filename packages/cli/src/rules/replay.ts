import { createMemory, doubtNames, type Effects, type Form } from '@form-relay/relay/base';
import {
  type Doubt,
  doubt,
  languagesOf,
  origins,
  type Seen,
  type SignalWorld,
  signalsOf,
  type Weighed,
  weigh,
} from '@form-relay/relay/features';
import { noLists, type Settings } from '@form-relay/relay/schema';
import type { ArchiveDocument } from '@form-relay/relay/transports';
import type { Choice, Tell } from '@form-relay/stored/archive/archive';
import { readAll } from '@form-relay/stored/archive/export';
import type { Reading } from '@form-relay/stored/archive/read_entry';

/** A submission of an archive, and what the signals of its form say of it. */
export interface Replayed {
  readonly form: Form;
  readonly doubt: Doubt;
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly weighed: Weighed;
}

export interface Replaying {
  readonly formOf: (name: string) => Form | undefined;
  readonly settings: Settings;
  readonly effects: Effects;
  /** Whether signals may ask services. What was submitted leaves this machine then. */
  readonly asksServices: boolean;
  /** Is called with the form of a submission that the config does not have. */
  readonly onUnknown: (form: string) => void;
}

/**
 * Has the signals look at each submission of an archive, in the order in which they came, as if it came now. An archive
 * has neither the address nor the headers of who sent it, nor what the form's script counted, so signals about these say
 * nothing.
 */
export async function* replay(
  reading: Reading,
  choice: Choice,
  { formOf, settings, effects, asksServices, onUnknown }: Replaying,
  tell: Tell,
): AsyncGenerator<Replayed> {
  /** Services live in the present, whatever the submission's time. */
  const present: SignalWorld = { settings, effects, memory: createMemory(effects, settings) };
  const usual = usualDoubt();
  let replayed: string | undefined;
  let past = pastWorld(present);
  let day: string | undefined;
  const ofDay = new Set<string>();
  for await (const { entry, document } of readAll(reading, choice, tell)) {
    if (replayed !== entry.form) {
      // Form comes after form, each from its first submission on.
      replayed = entry.form;
      past = pastWorld(present);
    }
    // If several outputs archive a form, each wrote the submission into a folder of the same day.
    if (day !== entry.folder) ofDay.clear();
    day = entry.folder;
    if (ofDay.has(entry.id)) continue;
    ofDay.add(entry.id);
    const form = formOf(entry.form);
    if (!form) {
      onUnknown(entry.form);
      continue;
    }
    past.goTo(entry.receivedAt);
    const asked = doubt.of(form) ?? usual;
    const seen = seenOf(form, document, entry.receivedAt);
    const own = asked.signals.filter(({ service }) => !service);
    const others = asksServices ? asked.signals.filter(({ service }) => service) : [];
    const weighed = [
      await weigh({ ...asked, signals: own }, seen, past.world),
      await weigh({ ...asked, signals: others }, { ...seen, deadline: effects.now() + patienceMs }, present),
    ];
    yield { form, doubt: asked, id: entry.id, receivedAt: entry.receivedAt, weighed: together(weighed) };
  }
}

/** For a service, as long as for a submission. */
const patienceMs = 24_000;

/** The signals that a form without any could use at once. */
const usualDoubt = (): Doubt => ({
  signals: signalsOf({}, noLists),
  thresholds: [{ action: 'tag', from: 4 }],
});

/** A world whose clock stands at each submission's time, and whose memory knows what came before. */
function pastWorld({ settings, effects }: SignalWorld) {
  let at = 0;
  const inThePast = { ...effects, now: () => at };
  const world: SignalWorld = { settings, effects: inThePast, memory: createMemory(inThePast, settings) };
  return {
    world,
    goTo: (receivedAt: number) => {
      at = receivedAt;
    },
  };
}

function seenOf(form: Form, { id, fields, page }: ArchiveDocument, receivedAt: number): Seen {
  const values = fields.filter(({ name }) => name !== doubtNames.tag && name !== doubtNames.aside);
  return {
    id,
    formId: form.id,
    fields: form.fields,
    languages: languagesOf(form),
    values: new Map(values.map(({ name, values }) => [name, values])),
    headers: undefined,
    page: page?.url ?? onlyOriginOf(form),
    address: undefined,
    receivedAt,
    deadline: receivedAt + patienceMs,
  };
}

/** Most sites have one origin: a submission whose page nobody noted came from there. */
function onlyOriginOf(form: Form): string | undefined {
  const [only, ...others] = origins.of(form)?.patterns ?? [];
  return only?.isOpen || others.length > 0 ? undefined : only?.source;
}

const together = (all: readonly Weighed[]): Weighed => ({
  similar: all.find(({ similar }) => similar)?.similar,
  score: Math.round(all.reduce((sum, { score }) => sum + score, 0) * 10) / 10,
  signals: all.flatMap(({ signals }) => signals).toSorted((one, other) => other.points - one.points),
  silent: all.flatMap(({ silent }) => silent),
});
