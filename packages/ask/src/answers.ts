/** Answers in the state that relays share: one that is being delivered, and one that waits for its asker. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { seal, unseal } from '@form-relay/base/seal';
import { persist, uncounted, whyUncounted } from '@form-relay/capacity/counters/registration';
import type { Handler, Outcome, Submission } from '@form-relay/core/index';
import type { Services } from '@form-relay/core/services';
import { spent } from '@form-relay/senders/links/single_use';
import type { SharedState } from '@form-relay/stores/store';
import { answerId, askField, readId } from './ask.ts';

/** An answer, as its asker gets it. */
export interface Answer {
  readonly id: string;
  readonly form: string;
  readonly reference?: string | undefined;
  readonly answered_at: string;
  /** By the names of fields, with types. Absent once the asker has read them. */
  readonly values?: object;
}

/** The answers that wait in the state that relays share. */
interface Waiting {
  readonly form: string;
  readonly id: string;
  readonly state: SharedState;
  readonly services: Services;
}

const dayMs = 86_400_000;
/** How long an asker has to read an answer, and to read it again if it got lost on its way. */
const unreadMs = 7 * dayMs;
const readMs = 10 * 60_000;
/** How long an asker learns that there was an answer. */
export const rememberedMs = 30 * dayMs;
/** Limit of an unsealed answer; its body had at most 64 KB. */
const mostCharacters = 200_000;

const markOf = (id: string) => `ask ${id}`;
const valuesOf = (id: string) => `ask values ${id}`;
const begunOf = (id: string) => `ask begun ${id}`;
/** In the place of the values of an answer, once it was delivered. */
const answered = 'answered';

/** A reader of the store knows neither the id nor the secret. */
const secretOf = ({ services, id }: Waiting) => `${services.env('FORM_TOKEN_SECRET') ?? ''} ${id}`;

const sealed = (content: unknown, waiting: Waiting): string => {
  const packed = deflateRawSync(JSON.stringify(content));
  return seal(secretOf(waiting), 'ask', waiting.form, packed, waiting.services.uuid());
};

function opened(text: string, waiting: Waiting) {
  const packed = unseal(secretOf(waiting), 'ask', waiting.form, text, mostCharacters);
  return packed && JSON.parse(inflateRawSync(packed).toString());
}

export async function keepAnswer(waiting: Waiting, { values, ...mark }: Answer): Promise<void> {
  const { id, state, services } = waiting;
  const text = sealed(values, waiting);
  const until = services.now() + unreadMs;
  await state.change(waiting, valuesOf(id), () => ({ text, until }));
  await state.change(waiting, markOf(id), () => ({
    text: JSON.stringify(mark),
    until: until + rememberedMs,
  }));
}

/** The answer, without its values once the asker has had time to read them. */
export async function readAnswer(waiting: Waiting): Promise<Answer | undefined> {
  const { id, state, services } = waiting;
  const mark = await state.read(waiting, markOf(id));
  if (!mark) return undefined;
  const kept = await state.change(waiting, valuesOf(id), (entry) =>
    entry?.text.startsWith('read ') === false
      ? { text: `read ${entry.text}`, until: services.now() + readMs }
      : entry,
  );
  const values = opened(kept?.text.replace('read ', '') ?? '', waiting);
  return { ...JSON.parse(mark.text), ...(values && { values }) };
}

/** How long an answer that may have been delivered is the only one, if the relay died meanwhile. */
const begunMs = 3_600_000;

/**
 * Delivers an answer with its link. After a crash, and after an output failed, the answer that was being delivered comes first: other
 * outputs may have it, so another one does not count. Outputs recognise it by its id.
 *
 * @param data Of the link's purpose.
 */
export async function deliverFirst(
  data: readonly string[],
  submission: Submission,
  next: Handler,
): Promise<Outcome> {
  const { form, services, values: own, files } = submission;
  const [id = ''] = data;
  const state = form.provided.get('shared_state');
  let first = own;
  // The store has no room for files.
  if (state && files.size === 0)
    try {
      const waiting = { form: form.id, id, state, services };
      const text = sealed([...own], waiting);
      const until = services.now() + begunMs;
      const begun = await state.change(submission, begunOf(id), (before) => before ?? { text, until });
      if (begun?.text === answered) return spent('used', true);
      if (begun?.text !== text) first = new Map(opened(begun?.text ?? '', waiting));
    } catch (error) {
      return { ...uncounted, message: { code: 'link_uncounted' }, why: whyUncounted(error, submission) };
    }
  submission.requestId = answerId(id, first, files);
  submission.addLogFields({ submission: submission.requestId });
  submission.values = new Map([...first, [askField, data.slice(0, 3)]]);
  const outcome = await next(submission);
  const isOver = outcome.message !== undefined || outcome.kind === 'held';
  const { until = services.now() } = readId(submission.settings.formTokenSecret, form.id, id) ?? {};
  const mark = { text: answered, until: until + rememberedMs };
  // Before its person is thanked: a crash must not let another one in. Some outputs may have what could not be delivered to all.
  if (outcome.kind !== 'undelivered')
    await persist(
      async () => state?.change(submission, begunOf(id), () => (isOver ? undefined : mark)),
      [200, 1_000],
      services,
    );
  const isOther = JSON.stringify([...first]) !== JSON.stringify([...own]);
  return isOther && !isOver ? { ...outcome, says: { code: 'link_used' } } : outcome;
}

/** Whether an answer was delivered. */
export const isAnswered = async ({ id, state, services }: Omit<Waiting, 'form'>): Promise<boolean> =>
  (await state.read({ services }, begunOf(id)))?.text === answered;
