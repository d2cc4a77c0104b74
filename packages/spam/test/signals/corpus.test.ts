/** The promises of docs/doubt.md about the default signals, checked on realistic messages from people and spammers. */
import { isMarked, marked, ofText, type Sample, samples, unseen, weighAll, weighEach } from './samples.ts';

const spam = samples.filter(({ label }) => label === 'spam');
const people = samples.filter(({ label }) => label === 'human');
const byDefault = await weighAll();
const idsOf = (all: readonly Sample[]) => all.map(({ id }) => id);

test('the corpus is large enough to be significant', () => {
  expect(people.length).toBeGreaterThanOrEqual(200);
  expect(spam.length).toBeGreaterThanOrEqual(200);
  expect(new Set(people.map(({ language }) => language)).size).toBeGreaterThanOrEqual(6);
  expect(new Set(idsOf(samples)).size).toBe(samples.length);
});

test('no genuine message is tagged', () =>
  expect(people.filter(isMarked(byDefault)).map((sample) => [sample.id, byDefault.get(sample)])).toEqual([]));

test('owners who want no offers do not tag genuine messages either', async () => {
  const strict = await weighAll(({ name, weight }) => (name === 'offers' ? 4 : weight));
  expect(idsOf(people.filter(isMarked(strict)))).toEqual([]);
});

test('three of four advertisements are tagged, including held-out ones', () => {
  const share = (all: readonly Sample[]) => all.filter(isMarked(byDefault)).length / all.length;
  expect(share(spam)).toBeGreaterThanOrEqual(0.75);
  expect(share(spam.filter(({ isHeldOut }) => isHeldOut))).toBeGreaterThanOrEqual(0.75);
});

test('messages by an author who had seen neither rules nor corpus are judged as well', async () => {
  const all = [...(await weighEach(unseen))];
  const wrong = all.filter(([{ label, below = marked }, { score }]) =>
    label === 'spam' ? score < marked : score >= below,
  );
  expect(wrong.map(([{ language, kind, fields }, { signals }]) => [language, kind, fields, signals])).toEqual(
    [],
  );
});

describe('each signal is worth having: without it, more spam gets through', () => {
  test.each([...ofText])('%s', async (name) => {
    const without = await weighAll((signal) => (signal.name === name ? 0 : signal.weight));
    const missed = spam.filter((sample) => isMarked(byDefault)(sample) && !isMarked(without)(sample));
    expect(missed.length).toBeGreaterThanOrEqual(5);
  });
});

test('a polite offer by itself is never enough', () => {
  const onlyOffers = samples.filter((sample) =>
    byDefault.get(sample)?.signals.every(({ signal }) => signal === 'offers'),
  );
  expect(onlyOffers.length).toBeGreaterThan(20);
  expect(idsOf(onlyOffers.filter(isMarked(byDefault)))).toEqual([]);
});

test('the reasons do not quote the message', () => {
  const found = [...byDefault].flatMap(([{ id, fields }, { signals }]) =>
    signals
      .filter(({ why }) =>
        Object.values(fields)
          .flatMap((value) => value.split(/\s+/))
          .some((word) => word.length > 8 && why.includes(word)),
      )
      .map(({ why }) => [id, why]),
  );
  expect(found).toEqual([]);
});

test('long texts are newsletters, not advertisements', async () => {
  const advertisement = 'Visit our store! Luxury watches at half price, free shipping, order now. ';
  const news = 'On Monday we opened a new branch in the old town hall beside the river. '.repeat(10);
  const messages = [advertisement, advertisement + news].map((message) => ({
    language: 'en',
    fields: { message },
  }));
  const [short, long] = [...(await weighEach(messages)).values()].map(({ score }) => score);
  expect(short).toBeGreaterThanOrEqual(marked);
  expect(long).toBeLessThan(marked);
});
