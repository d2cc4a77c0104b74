/** Answers in the state that all relays share: those being delivered, and those waiting for their asker. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { seal, unseal } from '@form-relay/base/seal';
import { persist, uncounted, whyUncounted } from '@form-relay/capacity/counters/registration';
import type { Handler, Outcome, Submission } from '@form-relay/core/index';
import type { Services } from '@form-relay/core/services';
import { spent } from '@form-relay/senders/links/single_use';
import type { SharedState } from '@form-relay/stores/store';
import { answerId, askField, readId } from './ask.ts';

/** An answer in the form in which its asker gets it. */
export interface Answer {
  readonly id: string;
  readonly form: string;
  readonly reference?: string | undefined;
  readonly answered_at: string;
  /** Typed values by field name. Absent once the asker has read them. */
  readonly values?: object;
}

/** The waiting answers in the state that all relays share. */
interface Waiting {
  readonly form: string;
  readonly id: string;
  readonly state: SharedState;
  readonly services: Services;
}

const dayMs = 86_400_000;
/** How long an asker may read an answer, and read it again if the response was lost. */
const unreadMs = 7 * dayMs;
const readMs = 10 * 60_000;
/** How long an asker can learn that there was an answer. */
export const rememberedMs = 30 * dayMs;
/** The limit of a decrypted answer, whose request body had at most 64 KB. */
const mostCharacters = 200_000;

const markOf = (id: string) => `ask ${id}`;
const valuesOf = (id: string) => `ask values ${id}`;
const begunOf = (id: string) => `ask begun ${id}`;
/** Replaces the values of a delivered answer. */
const answered = 'answered';

/** Somebody who reads the store knows neither the id nor the secret. */
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

/** If the relay dies while it delivers an answer, other answers are blocked for this long. */
const begunMs = 3_600_000;

/**
 * Delivers an answer together with its link. After a crash or a failed output, the answer that was begun is delivered
 * first and another one does not count, since some outputs may already have the first. Outputs recognise it by its id.
 *
 * @param data The data of the link's purpose.
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
  // The store cannot hold files.
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
  // Runs before the person is thanked, so that a crash does not allow a second answer. If the delivery
  // failed, some outputs may still have the answer.
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
