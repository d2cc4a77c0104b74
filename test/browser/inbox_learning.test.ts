/** The inbox's page about training a model, in a real browser. */
import type { ActionDone } from '../../apps/inbox/src/api.ts';
import type { Learner, ModelState } from '../../apps/inbox/src/learning/learner.ts';
import { button, entries, idle, open, row } from './inbox_stage.ts';
import { describeInBrowser, isSound } from './stage.ts';

const actions = { ...idle, run: async (): Promise<ActionDone> => never(), remove: async () => never() };
const never = (): never => {
  throw new Error('nothing else is done');
};

const state: ModelState = {
  name: 'spam.model',
  forms: ['contact'],
  marks: { spam: 1_412, ham: 380, newer: 7 },
  made: {
    at: Date.UTC(2026, 10, 23),
    spam: 405,
    ham: 380,
    tried: 118,
    caught: 109,
    people: 112,
    reached: 1,
    mostOfOthers: 0.049,
  },
  isLearning: false,
};

/** A learner that trains for as long as a test lets it. */
function learnerOf(first: ModelState) {
  const listeners = new Set<() => void>();
  let now = first;
  const requested: string[] = [];
  const become = (next: Partial<ModelState>) => {
    now = { ...now, ...next };
    for (const then of listeners) then();
  };
  const learner: Learner = {
    models: async () => [now],
    learn: async (name) => {
      requested.push(name);
      become({ isLearning: true });
      return { isDone: true, words: 'Learning from 1792 marked submissions.' };
    },
    soon: never,
    onChange: (then) => {
      listeners.add(then);
      return () => listeners.delete(then);
    },
    close: async () => {},
  };
  return { learner, requested, become };
}

describeInBrowser('learning in the inbox', () => {
  test('shows how good the model is, trains on a click, and says why nothing was learned', async () => {
    const { learner, requested, become } = learnerOf(state);
    const { page } = await open(entries, { learner, actions });
    const part = page.getByRole('region', { name: 'Learning: spam.model' });
    await part.getByText('1,412 marked as spam, 380 as not spam; 7 of them new.').waitFor();
    expect(await part.innerText()).toContain(
      'The model would have given points to 109 of 118 newer spam messages and 1 of 112 newer messages from people; in general, to at most 4.9% of messages from people (95% confidence).',
    );
    await button(page, 'Learn now').click();
    await button(page, 'Learning…').waitFor();
    await page.getByRole('status').getByText('Learning from 1792 marked submissions.').waitFor();
    expect(requested).toEqual(['spam.model']);
    expect(await button(page, 'Learning…').isDisabled()).toBe(true);
    become({ isLearning: false, why: 'the model cannot distinguish newer spam from messages from people' });
    await part
      .getByText(
        'Nothing new was learned: the model cannot distinguish newer spam from messages from people.',
      )
      .waitFor();
    expect(await button(page, 'Learn now').isEnabled()).toBe(true);
  });

  test.each(['light', 'dark'] as const)('is accessible and fits: %s', async (colorScheme) => {
    const { learner } = learnerOf({ ...state, why: 'needs 30 different messages of each kind' });
    const doubted = entries.map((one) => ({ ...one, values: { ...one.values, _doubt: ['4.2 (learned)'] } }));
    const { page } = await open(doubted, { learner, actions }, { colorScheme });
    await row(page, /Bob Miller/).click();
    await page.getByText('ähnelt Nachrichten, die Sie als Spam markiert haben').waitFor();
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await isSound(page);
      if (width === 390) await page.getByRole('button', { name: 'Forms' }).click();
      expect(await page.locator('.learning').isVisible()).toBe(true);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await isSound(page, `inbox-learning-${width}-${colorScheme}`);
    }
  });
});
