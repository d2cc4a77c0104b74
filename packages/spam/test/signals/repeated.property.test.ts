/** Campaign texts, varied as campaigns vary them, and short requests from a shop's customers. */
import fc from 'fast-check';
import { holds } from '../../../../test/support/fuzz.ts';
import { parseConfig } from '../../../../test/support/parse_config.ts';
import type { Form } from '../../../core/src/form.ts';
import { comparedWords, type Sketch, sketchOf } from '../../src/lists/sketch.ts';
import { Texts } from '../../src/score/texts.ts';
import { weigh } from '../../src/score/weigh.ts';
import type { SignalContext } from '../../src/signals/signal.ts';

let form: Form;

beforeAll(async () => {
  const config = parseConfig(
    `
forms:
  contact:
    fields:
      - {name: name}
      - {name: subject}
      - {name: message, type: textarea}
      - {name: details, type: textarea}
    spam: {doubt: tag, signals: {repeated: 4}}
    outputs: [{type: http_post, url: "https://crm.example.com/", mapping: "*"}]
`,
    'webform.yaml',
  );
  const known = config.ok && config.value.forms.get('contact');
  if (!known) throw new Error('the form does not load');
  form = known;
});

type Values = Readonly<Record<string, string>>;

const world = { texts: new Texts() } as SignalContext;
let round = 0;

/** The points of `repeated` for each of these texts, sent one after the other by different people. */
function pointsOf(all: readonly Values[]): readonly number[] {
  round += 1;
  const formId = `contact ${round}`;
  const signals = form.provided.get('doubt')?.signals.filter(({ name }) => name === 'repeated') ?? [];
  return all.map((values, nth) => {
    const seen = {
      id: `${nth}`,
      formId,
      fields: form.fields,
      languages: ['en'],
      values: new Map(Object.entries(values).map(([name, value]) => [name, [value]])),
      headers: undefined,
      address: `192.0.2.${nth % 250}`,
      receivedAt: nth * 60_000,
    };
    return weigh({ signals, thresholds: [] }, seen, world).score;
  });
}

const isRecognised = (one: Values, other: Values) => (pointsOf([one, other])[1] ?? 0) > 0;

/** Words from letters that are a single character in upper and lower case, so that no two words are the same. */
const alphabets = ['abcdefghijklmnopqrstuvwxyz', 'àéîõüçñøåšžł', 'абвгдежзиклмнопрст', 'αβγδεζηθικλμνξοπ'];
const wordIn = (letters: string) =>
  fc.string({ unit: fc.constantFrom(...letters), minLength: 3, maxLength: 9 });
const wordsOf = (minLength: number, maxLength: number) =>
  fc.constantFrom(...alphabets).chain((letters) => fc.uniqueArray(wordIn(letters), { minLength, maxLength }));

const wide = (text: string) =>
  text.replaceAll(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0));

test('letter case, wide letters, accents and punctuation do not make a different text, from six words on', () =>
  holds(10, [wordsOf(6, 60), fc.constantFrom(' ', ', ', '\n', ' – ')], (words, between) => {
    const message = words.join(' ');
    const others = [
      message.toUpperCase(),
      wide(message),
      message.normalize('NFD').replaceAll(/\p{M}/gu, ''),
      message.normalize('NFD'),
      `«${words.join(between)}»`,
    ];
    for (const one of others) expect(isRecognised({ message }, { message: one }), one).toBe(true);
  }));

const number = fc
  .integer({ min: 0, max: 9_999_999 })
  .chain((one) => fc.constantFrom(String(one), one.toLocaleString('en'), `${one}.50`));
const host = fc
  .tuple(wordIn(alphabets[0] ?? ''), fc.constantFrom('com', 'de', 'example', 'co.uk'))
  .map((parts) => parts.join('.'));
const link = fc.oneof(
  host,
  host.map((one) => `https://${one}/`),
  host.map((one) => `www.${one}/offer?id=${one.length}`),
);
const mail = fc.tuple(wordIn(alphabets[0] ?? ''), host).map((parts) => parts.join('@'));

test('numbers, links, mail addresses and site names do not make a different text', async () => {
  const changing = fc.tuple(number, link, mail, host);
  await holds(20, [wordsOf(8, 60), changing, changing], (words, one, other) => {
    const copy = ([amount, to, from, site]: typeof one) => ({
      message: [`Hi ${site} team,`, ...words.slice(0, 4), amount, ...words.slice(4), to, from].join(' '),
    });
    expect(isRecognised(copy(one), copy(other))).toBe(true);
  });
});

test('a text may be split over fields, or put into another field, under any signature', () =>
  holds(
    10,
    [wordsOf(8, 60), fc.nat(), fc.constantFrom('Ada', 'Grace Hopper', 'Ludwig van der Berg')],
    (words, at, name) => {
      const message = words.join(' ');
      const cut = 1 + (at % (words.length - 1));
      const [start, end] = [words.slice(0, cut).join(' '), words.slice(cut).join(' ')];
      const others: readonly Values[] = [
        { details: message },
        { subject: message },
        { subject: start, message: end },
        { subject: start, details: end },
        { message: end, subject: start },
        { message: start, details: end },
        { subject: end, message: start },
      ];
      for (const other of others)
        expect(isRecognised({ name: 'Jo', message }, { name, ...other }), JSON.stringify(other)).toBe(true);
    },
  ));

test('a text is recognised if every eighth word differs', () => {
  const lengths = [8, 10, 15, 16, 24, 40, 80, 200];
  const samples = fc.sample(
    fc.tuple(
      fc.uniqueArray(wordIn(alphabets[0] ?? ''), { minLength: 250, maxLength: 250 }),
      fc.nat({ max: 7 }),
    ),
    { numRuns: 60, seed: 3 },
  );
  for (const length of lengths) {
    const found = samples.filter(([vocabulary, from]) => {
      const words = vocabulary.slice(0, length);
      const isOther = (nth: number) => nth % 8 === from && nth < length - (length % 8);
      const changed = words.map((word, nth) => (isOther(nth) ? (vocabulary[249 - (nth >> 3)] ?? '') : word));
      return isRecognised({ message: words.join(' ') }, { message: changed.join(' ') });
    });
    expect(found.length, `${length} words`).toBeGreaterThanOrEqual(58);
  }
});

test('none of 200 short requests from a shop’s customers is tagged', () => {
  const things =
    'sandals,hiking boots,rain jackets,windows,wool socks,oak doors,gloves,tents,sleeping bags,blinds,bike helmets,umbrellas'.split(
      ',',
    );
  const greetings = ['', 'Hello, ', 'Hi there, ', 'Good morning. ', 'Dear all, '];
  const closings = [
    ...['', ' Thanks!', ' Thank you, Anna', ' Best regards', ' Please call me back.'],
    ' It is for my daughter.',
  ];
  const askings: readonly ((thing: string, n: number) => string)[] = [
    (thing, n) => `Do you have ${thing} in size ${n}?`,
    (thing, n) => `do you still have the ${thing} in size ${n} in stock?`,
    (thing, n) => `Please send me an offer for ${n} ${thing}.`,
    (thing, n) => `could you make me an offer for ${n} ${thing} with delivery?`,
    (thing, n) => `When will the ${thing} be available again? I need size ${n}.`,
    (thing, n) => `What is the price of ${thing} for a group of ${n}?`,
    (thing, n) => `I ordered ${thing} ${n} days ago and they have not arrived yet.`,
    (thing, n) => `can I return the ${thing} that I bought, order ${n}?`,
  ];
  const pick = <T>(all: readonly T[], nth: number) => all[nth % all.length] as T;
  const requests = Array.from({ length: 200 }, (_, nth) => {
    const request = pick(askings, nth)(pick(things, nth * 5 + (nth >> 3)), (nth * 7) % 60);
    return { message: pick(greetings, nth * 3) + request + pick(closings, nth * 11 + (nth >> 4)) };
  });
  const points = pointsOf(requests);
  expect(Math.max(...points)).toBe(2);
});

/** Numbers spelled in letters, because all digits count as one word. */
const inLetters = (number: number) =>
  String(number).replaceAll(/\d/g, (digit) => 'abcdefghij'.charAt(+digit));

test.each<[string, (nth: number) => string]>([
  ['of one campaign', () => 'please tell me more about the price of your great offer'],
  [
    'with one sentence in common',
    (nth) => `please tell me more about the price of ${inLetters(nth)} or ${inLetters(nth * 7)} blue`,
  ],
  [
    'of different words',
    (nth) => Array.from({ length: 12 }, (_, word) => inLetters(nth * 12 + word)).join(' '),
  ],
])('a text is compared with at most 72 earlier ones, however many came %s', (_, textOf) => {
  const texts = new Texts();
  const counts = Array.from({ length: 10_000 }, (_, nth) => {
    const sketch = sketchOf(comparedWords(textOf(nth))) as Sketch;
    return texts.note({ at: nth, form: 'contact', client: '', sketch }).compared;
  });
  expect(Math.max(...counts)).toBeLessThanOrEqual(72);
  expect(Math.max(...counts)).toBeGreaterThan(0);
});
