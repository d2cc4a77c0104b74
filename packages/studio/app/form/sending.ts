/** Sends the form that is shown, and waits for the story of it. */
import type { StoryState } from '../../src/state.ts';
import { onStory } from '../shell/events.ts';
import { until } from './actor.ts';
import { hand, open } from './hand.ts';

/** A submission, as both sides saw it. */
export interface Sent {
  /** `undefined` where a step of the form is not good: nothing was submitted yet. */
  readonly story?: StoryState;
  /** The words that come first when the ending is told. */
  readonly says?: string;
  readonly read: string;
  readonly sentOnTo?: string | undefined;
}

/** Stories that came since `arrived` was last emptied. */
let arrived: StoryState[] = [];
let wentOn: StoryState[] = [];
onStory.add((story, isSequel) => (isSequel ? wentOn : arrived).push(story));
/** Something of it is kept, and is tried by itself. */
export const isWaiting = ({ story }: StoryState) =>
  story.outputs.some(({ kept }) => kept?.state === 'waiting');
/** How the retry of what was kept ended. */
export const storyOfRetry = () => until(() => wentOn.find((one) => !isWaiting(one)), 10_000);
/** The delivery is tried right now. */
const isDue = ({ story }: StoryState) =>
  story.outputs.some(({ kept }) => kept?.tries.length === 0 && kept.nextMs !== undefined);

export const nextStory = (ms: number) => until(() => arrived.shift(), ms);

/** The text that the visitor reads, once the page shows the answer. */
export const settled = async (before: string) => {
  const change = async () => {
    const read = await hand.read();
    return (await hand.sentOnTo()) || (read !== before && read);
  };
  const changed = await until(change, 1_500);
  const sentOnTo = await hand.sentOnTo();
  // The same words may come again.
  return { read: changed && !sentOnTo ? changed : await hand.read(), sentOnTo };
};

/** Sends the form, through all steps that are left. */
export const send = async (isOver: () => boolean): Promise<Sent | undefined> => {
  for (;;) {
    const step = await hand.stepInView();
    const before = await hand.read();
    const isNextStep = async () => {
      const now = await hand.stepInView();
      return now !== undefined && now !== step;
    };
    arrived = [];
    wentOn = [];
    await hand.press();
    const found = await until(async () => isOver() || (arrived.shift() ?? (await isNextStep())), 30_000);
    if (isOver()) return undefined;
    if (found === true) continue;
    // A form that keeps every submission delivers after the answer.
    const story = found && isDue(found) ? await until(() => wentOn.find((one) => !isDue(one)), 1_500) : found;
    return found && { story: story ?? found, ...(await settled(before)) };
  }
};

/** Opens the link of a mail, and reads what follows. */
export const followLink = async (link: string): Promise<Sent | undefined> => {
  arrived = [];
  await open(link);
  const story = await nextStory(10_000);
  return story && { story, ...(await settled('')) };
};
