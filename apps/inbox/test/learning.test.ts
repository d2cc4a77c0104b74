/** The inbox trains the model that a config names. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messages } from '../../../packages/learning/test/messages.ts';
import type { Window } from '../src/api.ts';
import type { Person } from '../src/gate.ts';
import { id, learningFolder, openInboxOf, relayIn, slow, startInboxIn } from './learning_stage.ts';

const [
  {
    texts: [spam = ''],
  } = { texts: [] },
] = messages(2, 0, 9);
const poll = { timeout: slow, interval: 100 };

describe('relay inbox', () => {
  test('20 new marks train the model, a running relay uses it, and no word of a visitor reaches the log', async () => {
    const { cwd, made, model } = await learningFolder(200, 160);
    const [relay, inbox] = [await relayIn(cwd), await openInboxOf(cwd)];
    const points = async () => {
      await relay.submit('contact', [['message', spam]]);
      const line = relay.logged.findLast(({ event }) => event === 'submission');
      return (line?.signals as Record<string, number> | undefined)?.learned;
    };
    expect(await points()).toBeUndefined();
    await inbox.has(201);
    for (let nth = 160; nth < 180; nth += 1) {
      expect((await model())?.spam).toBe(30);
      const mark = made[nth]?.isSpam ? 'spam' : 'ham';
      expect(await inbox.ask(`/api/entries/${id(nth)}/mark`, { mark })).toMatchObject({
        body: { isDone: true },
      });
    }
    // If fewer marks had triggered training, it would not count all of them.
    await expect.poll(async () => (await model())?.spam, poll).toBe(90);
    const { marks, made: now } = (await inbox.model()) ?? {};
    expect(marks).toEqual({ spam: 90, ham: 90, newer: 0 });
    expect(now).toMatchObject({ spam: 90, ham: 90, tried: 54, people: 54 });
    expect(now?.caught).toBeGreaterThan(20);

    relay.advance(31_000);
    await expect
      .poll(async () => {
        relay.advance(31_000);
        return points();
      }, poll)
      .toBeGreaterThan(1);

    const said = JSON.stringify(relay.logged);
    expect(said).toContain('learned');
    for (const word of spam.split(' ').filter(({ length }) => length > 5)) expect(said).not.toContain(word);
  });

  test('two inboxes, one of which is killed meanwhile, leave an intact model', async () => {
    const { cwd, mark, model } = await learningFolder(600, 440);
    const [one, other] = [await startInboxIn(cwd), await startInboxIn(cwd)];
    await Promise.all([one.has(600), other.has(600)]);
    await mark(440, 600);
    await expect
      .poll(async () => {
        expect(await model()).toBeDefined();
        return (await one.model())?.isLearning === true || (await model())?.spam !== 30;
      }, poll)
      .toBe(true);
    await one.kill();
    await expect
      .poll(async () => {
        expect(await model()).toBeDefined();
        return (await model())?.spam;
      }, poll)
      .toBeGreaterThan(280);
  });
});

describe('the inbox', () => {
  test('a restored submission counts as not spam, and trains the model at once', async () => {
    const { cwd, model } = await learningFolder(120, 120);
    const relay = await relayIn(cwd);
    await relay.submit('contact', [
      ['message', 'A question about the oven and the bike'],
      ['website', 'https://example.org'],
    ]);
    const inbox = await openInboxOf(cwd);
    await inbox.has(121);
    const [dropped] = (await inbox.ask<Window>('/api/entries?state=dropped')).body.entries;
    expect((await inbox.ask(`/api/entries/${dropped?.id}/restore`, {})).body).toEqual({
      isDone: true,
      words: expect.stringMatching(/^Restored: delivered: folder to .*\. Marked as not spam\.$/),
    });
    await expect.poll(async () => (await model())?.ham, poll).toBe(61);
    const verdicts = await readFile(join(cwd, 'archive.verdicts.jsonl'), 'utf8');
    expect(JSON.parse(verdicts.trim().split('\n').at(-1) ?? '')).toMatchObject({
      id: dropped?.id,
      verdict: 'ham',
    });
  });

  test('too few marks, and a model that knows more, are reported until the model is replaced; nothing is written', async () => {
    const { cwd, model, mark } = await learningFolder(100, 20);
    const inbox = await openInboxOf(cwd);
    await inbox.has(100);
    const few = 'needs 30 different messages of each kind, and there are 10 and 10';
    await expect.poll(async () => (await inbox.model())?.why, poll).toBe(few);
    expect((await inbox.ask('/api/learn', { model: 'spam.model' })).body).toEqual({
      isDone: false,
      words: `N${few.slice(1)}.`,
    });
    const text = await readFile(join(cwd, 'spam.model'), 'utf8');
    await writeFile(join(cwd, 'spam.model'), text.replace('marks 30 30', 'marks 300 300'));
    await mark(20, 100);
    await expect
      .poll(async () => (await inbox.model())?.why, poll)
      .toBe(
        'the current model learned from 600 messages, and only 100 are marked here; run relay rules learn to learn from all of them',
      );
    expect((await model())?.spam).toBe(300);
    const now = (await model())?.madeAt ?? 0;
    await writeFile(join(cwd, 'spam.model'), text.replace(`made ${now}`, `made ${Date.now()}`));
    expect(await inbox.model()).not.toHaveProperty('why');
  });

  test.each([
    [{}, 'SPAM_MODEL_KEY is not set where this inbox runs'],
    [{ SPAM_MODEL_KEY: 'another secret of a test' }, 'the model was made with a different SPAM_MODEL_KEY'],
  ])('with the wrong key, it says why it cannot train: %j', async (env, why) => {
    const { cwd } = await learningFolder(80, 80);
    const inbox = await openInboxOf(cwd, { env });
    await inbox.has(80);
    expect((await inbox.model())?.why).toBe(why);
  });

  test('a person must have rights in all forms of a model to train it, or to see it', async () => {
    const { cwd, model } = await learningFolder(120, 120);
    const reader: Person = {
      name: 'a reader',
      forms: new Set(['contact']),
      may: (right, form) => right === 'read' && form === 'contact',
    };
    const inbox = await openInboxOf(cwd, { person: reader });
    await inbox.has(120);
    expect(await inbox.model()).toMatchObject({ forms: ['contact'], mayLearn: false });
    expect(await inbox.ask('/api/learn', { model: 'spam.model' })).toMatchObject({ status: 403 });
    expect((await model())?.spam).toBe(30);
    const stranger = await openInboxOf(cwd, {
      person: { ...reader, name: 'a stranger', forms: new Set(['other']) },
    });
    expect(await stranger.model()).toBeUndefined();
    expect(await stranger.ask('/api/learn', { model: 'spam.model' })).toMatchObject({ status: 404 });
  });

  test('“Learn now” trains with few new marks', async () => {
    const { cwd, model } = await learningFolder(120, 120);
    const inbox = await openInboxOf(cwd);
    await inbox.has(120);
    expect((await inbox.ask('/api/learn', { model: 'spam.model' })).body).toEqual({
      isDone: true,
      words: 'Learning from 120 marked submissions.',
    });
    await expect.poll(async () => (await model())?.spam, poll).toBe(60);
    const now = await inbox.model();
    expect(now).toMatchObject({ marks: { newer: 0 } });
    expect(now).not.toHaveProperty('why');
  });
});
