/** Texts that each text signal scores, and texts that it does not. Points are for the default weight. */
import { contact } from '../../../../test/support/index.ts';
import { comparedWords, sketchOf } from '../../src/lists/sketch.ts';
import { Texts } from '../../src/score/texts.ts';
import { gibberish } from '../../src/signals/gibberish.ts';
import type { SignalContext, SignalInput } from '../../src/signals/signal.ts';
import { contactForm, samples, seenOf } from './samples.ts';

const form = await contactForm();

function points(name: string, fields: Record<string, string>, seen: Partial<SignalInput> = {}): number {
  const signal = form.provided.get('doubt')?.signals.find((one) => one.name === name);
  const found = signal?.score({ ...seenOf(form, { language: 'en', fields }), ...seen }, {} as SignalContext);
  if (!signal || found instanceof Promise) throw new Error(`${name} waits`);
  if (!found) return 0;
  if (!('score' in found)) throw new Error(`${name} is silent`);
  return Math.round(found.score * signal.weight * 10) / 10;
}

test.each([
  ['no link at all', 'See you on Monday.', 0],
  ['one link', 'We like this: https://shop.example/lamp?id=1', 1],
  ['two hosts', 'https://a.example/1 or www.b.example in green, what would that cost?', 1.5],
  ['a shortener', 'Have a look: https://bit.ly/3abc', 3],
  ['a host that hardly anyone but spammers uses', 'Have a look: telegra.ph/For-you-09', 4],
  ['a link in a Japanese sentence', '作品集はこちらです。https://tanaka.example', 2.5],
  ['a shortener in a complaint', 'Is this from you? Have a look: https://bit.ly/3abc', 1.5],
  ['forum markup', 'nice [url=https://a.example]site[/url]', 5],
  ['a question about markup of forums', 'Why does [url=https://a.example]site[/url] not work?', 2.5],
  ['two links in markup', '<a href="https://a.example">a</a> <a href="https://b.example">b</a>', 4],
  ['a customer’s blog', 'My blog is https://anna-cooks.blogspot.com', 1],
  ['a site by its name', 'Get yours at great-offer.shop now', 1],
  ['a few words that only lead elsewhere', 'Everyone can have it today. https://a.example/x', 2.5],
  ['a name that hides the host', 'Look: https://bank.example@1310252231/x', 4],
  ['a mail address', 'Write to jo@great-offer.shop or j.o@mail.example.com', 0],
  ['what is no address', 'http:// https:/// www.', 0],
])('links: %s', (_, message, expected) => expect(points('links', { message })).toBe(expected));

test('links: to the page with the form, and to the sender’s own site, do not count', () => {
  const message = 'We see that https://www.example.com/a is broken. Regards, https://smith.example';
  const headers = { origin: 'https://example.com' };
  expect(points('links', { email: 'jo@smith.example', message }, { headers })).toBe(0);
  expect(points('links', { email: 'jo@mail.example', message }, { headers })).toBe(1);
});

test.each([
  ['a name', { name: 'María del Carmen Fernández-Villaverde y García de la Torre, Dr. med.' }, 0],
  ['a link in a name', { name: 'Claim it https://a.example/1' }, 5],
  ['money in a name', { name: 'You get $1500 today' }, 5],
  ['a link in a telephone number', { phone: 'https://a.example' }, 5],
  ['the name of a site as a subject', { subject: 'Great-Offer.shop' }, 2.5],
  ['the name of a site as a name', { name: 'Great-Offer.shop' }, 3],
  ['one text three times', { name: 'great offer', subject: 'great offer', message: 'great offer' }, 3],
  ['a link in a subject', { subject: 'https://a.example/x does not load' }, 2.5],
  ['the site of a company', { company: 'www.smith.example' }, 1.5],
  ['a link where it belongs', { message: 'https://a.example' }, 0],
])('misplaced: %s', (_, fields, expected) => expect(points('misplaced', fields)).toBe(expected));

const russian = 'Здравствуйте, хочу заказать столик на двоих.';
test.each([
  ['another script than the form’s', russian, ['en'], 2],
  ['the form’s own', russian, ['ru'], 0],
  ['that of one of its languages', russian, ['de', 'uk'], 0],
  ['a form that does not say', russian, [], 0],
  ['words with letters of two alphabets', 'Yоur аccоunt was clоsed', ['en'], 4],
  ['English in a German form', 'Do you have a room for the two of us?', ['de'], 1.2],
  ['letters in disguise', '𝗛𝗲𝗹𝗹𝗼 𝗱𝗲𝗮𝗿 friend', ['en'], 4],
  ['wide letters, as in Japan', 'ＦＡＸ０３ＡＢＣＤＥＦＧＨお願いします', ['ja'], 0],
  ['brands in a Chinese form', '请问 iPhone 15 Pro 和 MacBook Air 有货吗？', ['zh'], 0],
])('writing: %s', (_, message, languages, expected) =>
  expect(points('writing', { message }, { languages })).toBe(expected),
);

test('writing: a name may be in any script', () => {
  expect(
    points('writing', { name: 'Александр Константинович', company: '株式会社 東京電力 大阪支店 営業部' }),
  ).toBe(0);
});

test.each([
  ['words', 'Do you repair washing machines?', 0],
  ['Polish', 'Chrząszcz brzmi w trzcinie w Szczebrzeszynie', 0],
  ['an error message', 'ENOTFOUND getaddrinfo, then TypeError: cannot read properties of undefined', 0],
  ['one odd word of many', 'My order is hkjdfgkjhq, where is it?', 0],
  ['one odd word', 'hkjdfgkjhq', 3],
  ['one odd word with capitals here and there', 'XkvEqphFsQzAJwP', 4],
  ['a short word with capitals at random', 'gMyNGisbq', 4],
  ['a name in camel case', 'JavaScriptFramework', 0],
  ['random letters', 'rLxTqGvNwPzJk fBYKHhwOnzUZmWp', 5],
  ['hands on a keyboard', 'jfiedwoefj wkodfjiewgh rhuegwijfd iwoedkfhge wjfuihewrg shop.example', 5],
  ['Hindi in Latin letters', 'Bhaiya, dukaan kab khulti hai? Mujhe phool chahiye', 0],
  ['a script that it cannot read', 'ыъщжфц щжъыфцщ', 0],
])('gibberish: %s', (_, message, expected) => expect(points('gibberish', { message })).toBe(expected));

describe('offers, scams, link trade, mass mail', () => {
  test.each([
    ['offers', 'What does SEO cost at yours?', 0],
    ['offers', 'I came across your website. Can you do web design for us?', 1.2],
    ['offers', 'We are a leading SEO agency. Get a free audit! Are you interested?', 3.5],
    ['offers', 'NOUS SOMMES UNE AGENCE de referencement. Devis gratuit. Etes-vous interesse ?', 3.5],
    ['offers', 'Our team helps you to rank higher, guaranteed', 3],
    ['scams', 'Is the interest rate of your loan fixed?', 0],
    ['scams', 'An online casino sent me to you.', 0],
    ['scams', 'Make money while you sleep, see https://robot.example/start', 6],
    ['scams', 'Nude photos of me, only for you @lonely_anna', 4],
    ['scams', 'Online casino with free spins and a welcome bonus', 4],
    ['scams', 'Your parcel is pending, confirm now: https://parcel.example/', 5],
    ['scams', 'My parcel is pending, please confirm your delivery: https://parcel.example/', 0],
    ['scams', 'Your domain needs to be indexed. Submit your domain to the Google Search Index', 6],
    ['scams', 'Anybody can grow rich today, see https://robot.example/start', 4],
    ['scams', 'Sell your guitar for $50? See my note about money at https://robot.example/start', 0],
    ['scams', 'We have 300 million records for $149. Ask for the list: leads.example.com', 6],
    ['mass_mail', 'To unsubscribe click here', 2.8],
    ['mass_mail', 'Hello {{name}}, to unsubscribe click here', 4],
    ['mass_mail', 'How do I unsubscribe?', 0],
    ['link_trade', 'Your link is broken.', 0],
    ['link_trade', 'Do you take guest posts?', 1.5],
    ['link_trade', 'Do you take guest posts with a dofollow link?', 5],
  ])('%s: %s', (name, message, expected) => expect(points(name, { message })).toBe(expected));
});

/** Detects whether a text repeats another, without storing the text. */

/** Pseudo-random numbers, the same each time (Lehmer, 1951). */
function lehmer(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

const random = lehmer(16);
const vocabulary = Array.from({ length: 3_000 }, () => Math.floor(random() * 1e9).toString(36));
const word = () => vocabulary[Math.floor(random() * vocabulary.length)] ?? '';
const words = (count: number) => Array.from({ length: count }, word);

const note = (texts: Texts, text: readonly string[], client: string, form = 'contact') => {
  const sketch = sketchOf(comparedWords(text.join(' ')));
  return sketch && texts.note({ at: 0, form, client, sketch });
};

test('a text is recognised among a thousand later ones, but only in its own form', () => {
  const texts = new Texts();
  const first = words(40);
  note(texts, first, 'one');
  for (let index = 0; index < 1_000; index += 1) note(texts, words(40), 'others', `form ${index % 7}`);
  expect(note(texts, first, 'two')?.against).toBe(1);
});

test('the oldest text is forgotten after 8,192 others, and memory does not grow', () => {
  const texts = new Texts();
  const [first, second] = [words(40), words(40)];
  note(texts, first, 'one');
  note(texts, second, 'one');
  const before = process.memoryUsage().arrayBuffers;
  for (let index = 0; index < 8_191; index += 1) note(texts, words(40), 'flood');
  expect(note(texts, first, 'two')?.against).toBe(0);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2e6);
});

/** A bug in a signal must not cost a submission. */

test('a signal that throws is silent, and the others count', async () => {
  const make = vi.spyOn(gibberish, 'make').mockImplementation((weight) => ({
    name: 'gibberish',
    weight,
    score: () => {
      throw new Error('[url=https://a.example]');
    },
  }));
  onTestFinished(() => make.mockRestore());
  const relay = await contact({
    fields: '[{name: message, type: textarea}]',
    outputs:
      '[{type: http_post, url: $sink, mapping: "*"}], spam: {doubt: {drop: 0.1}, signals: {program: 0}}',
  });
  expect((await relay.send(['message', 'Hello [url=https://a.example]there[/url]'])).status).toBe(200);
  expect(relay.logged.find(({ event }) => event === 'submission')).toMatchObject({
    reason: '5 points: drop; links 5 (links in forum markup); gibberish did not respond (internal error)',
  });
  const errors = relay.logged.filter(({ event }) => event === 'internal_error');
  expect(errors).toEqual([
    expect.objectContaining({ level: 'error', signal: 'gibberish', stack: expect.any(Array) }),
  ]);
  expect(JSON.stringify(errors)).not.toContain('a.example');
});

/** Sends a sixth of the corpus to a running relay. */

const sent = samples.filter((_, nth) => nth % 6 === 0);

test('everything is delivered, and only spam is tagged', async () => {
  const form = await contact({
    fields:
      '[{name: name}, {name: email, type: email}, {name: phone, type: tel}, {name: company}, {name: subject}, ' +
      '{name: message, type: textarea}, {name: sample}], ' +
      // The test is not a browser, and sends similar texts on purpose.
      'spam: {doubt: tag, signals: {program: 0, repeated: 0}}',
    env: { THROTTLE_RATE_LIMIT: '10000', THROTTLE_BURST_LIMIT: '10000' },
  });
  for (const { id, fields } of sent)
    expect((await form.send(...Object.entries(fields), ['sample', id])).json, id).toEqual({ message: 'ok' });
  const delivered = form.delivered.map((values) => new Map(values));
  expect(delivered.map((values) => values.get('sample'))).toEqual(sent.map(({ id }) => id));
  const marked = delivered
    .filter((values) => values.has('_doubt'))
    .map((values) => values.get('sample') ?? '');
  expect(marked.filter((id) => id.includes('human'))).toEqual([]);
  expect(marked.length).toBeGreaterThan(15);
  // The log shows the points, but none of the message.
  const logged = JSON.stringify(form.logged);
  expect(logged).toContain('"doubt":"tag"');
  expect(logged).not.toContain('mail.example');
});
