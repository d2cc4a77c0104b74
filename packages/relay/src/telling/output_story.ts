import type { ClientError } from '../base/client_error.ts';
import type { StreetEvent } from '../base/event.ts';
import { fileInWords } from '../base/files.ts';
import { type Payload, pdfName } from '../base/job.ts';
import type { Values } from '../base/values.ts';
import type { Form, FormOutput } from '../form.ts';
import { notForIt, whyNot } from '../outputs/payload.ts';
import type { Message } from '../transports/index.ts';
import type { Mask, Shown } from '../transports/transport.ts';
import { failureWords, warningWords } from './submission_log.ts';

export interface OutputStory {
  readonly index: number;
  readonly type: string;
  readonly target: string;
  readonly onError: 'fail' | 'continue';
  /** With the PDF, as with other files, by name and size. */
  readonly payload: Payload;
  /** The same, for every output that has one. */
  readonly pdf?: string | undefined;
  readonly warnings: readonly string[];
  /** The messages in order, sent or pretended. */
  readonly sent: readonly Sent[];
  /** `kept`: the output does not have it yet. */
  readonly result: 'delivered' | 'failed' | 'kept' | 'skipped';
  readonly reason?: string;
  /** It was kept, before its delivery or since it failed. */
  readonly isKept?: true;
}

export type Sent = Shown & { readonly answer: string };

export interface Showing {
  readonly mask: Mask;
  readonly show: (message: Message) => Promise<Shown>;
  readonly answerInWords: (message: Message, answer: unknown) => string;
}

export type OfKind<K extends StreetEvent['kind']> = Extract<StreetEvent, { kind: K }>;

export const ofKind = <K extends StreetEvent['kind']>(events: readonly StreetEvent[], kind: K) =>
  events.filter((event): event is OfKind<K> => event.kind === kind);

export async function outputStories(
  form: Form,
  values: Values,
  events: readonly StreetEvent[],
  showing: Showing,
): Promise<readonly OutputStory[]> {
  const told = form.outputs.map((output, index) => outputStory(output, index, values, events, showing));
  return (await Promise.all(told)).filter((story) => story !== undefined);
}

async function outputStory(
  { type, target, on_error: onError }: FormOutput,
  index: number,
  values: Values,
  events: readonly StreetEvent[],
  showing: Showing,
): Promise<OutputStory | undefined> {
  const isOurs = (event: StreetEvent) => 'output' in event && event.output === index;
  const ours = events.filter(isOurs);
  const nothing = { payload: [], warnings: [], sent: [] };
  const about = { index, type, target: target?.name ?? '', onError };
  const [skipped] = ofKind(ours, 'delivery_skipped');
  if (skipped)
    return {
      ...about,
      ...nothing,
      result: 'skipped',
      reason: skipped.when ? whyNot(skipped.when, values) : notForIt,
    };
  const delivery = await deliveryIn(ours, showing);
  const [kept] = ofKind(ours, 'delivery_kept');
  if (!kept || !delivery) return delivery && { ...about, ...delivery };
  const isDelivered = delivery.result === 'delivered';
  return { ...about, ...delivery, result: isDelivered ? 'delivered' : 'kept', isKept: true };
}

const endingIn = (events: readonly StreetEvent[]) =>
  [...ofKind(events, 'delivered'), ...ofKind(events, 'delivery_failed')][0];

type Delivery = Pick<OutputStory, 'payload' | 'pdf' | 'warnings' | 'sent' | 'result' | 'reason'> &
  Partial<Pick<OutputStory, 'onError'>>;

/** A delivery with all its tries; `undefined` if there was none. */
async function deliveryIn(events: readonly StreetEvent[], showing: Showing): Promise<Delivery | undefined> {
  const ending = endingIn(events);
  if (!ending) return undefined;
  const isDelivered = ending.kind === 'delivered';
  const retries = ofKind(events, 'delivery_retried');
  const [paper] = ofKind(events, 'pdf_made');
  const pdf = paper && fileInWords(paper.file);
  // Not beside a body of the owner's own, which has no names.
  const payload: Payload =
    pdf !== undefined && ending.payload.length > 0 ? [...ending.payload, [pdfName, [pdf]]] : ending.payload;
  const answer = isDelivered ? ending.answer : failureWords(ending.error);
  return {
    ...(pdf !== undefined && { pdf }),
    payload: payload.map(([key, values]) => [key, values.map((value) => showing.mask.value(key, value))]),
    warnings: ofKind(events, 'delivery_warned').map(({ warning }) => warningWords[warning]),
    sent: await sentIn(ofKind(events, 'delivery_tried'), retries, answer, showing),
    ...(isDelivered
      ? { result: 'delivered' }
      : { onError: ending.onError, result: 'failed', reason: failureWords(ending.error) }),
  };
}

/** Each try with what was answered to it: errors, and last `answer`. */
export const sentIn = (
  tries: readonly (OfKind<'delivery_tried'> | OfKind<'mail_tried'>)[],
  retries: readonly { readonly error: ClientError }[],
  answer: unknown,
  { show, answerInWords }: Showing,
): Promise<readonly Sent[]> =>
  Promise.all(
    tries.map(async ({ message, attempt }) => {
      const answered = attempt > retries.length ? answer : retries[attempt - 1]?.error.message;
      const words = answerInWords(message as Message, answered);
      return { ...(await show(message as Message)), answer: words };
    }),
  );
