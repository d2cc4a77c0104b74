/** Sends submissions of made-up visitors from the last weeks through a relay, as browsers do. */

import { deflateSync } from 'node:zlib';
import type { Config } from '@form-relay/core/config';
import { type Listed, storeOpener } from '@form-relay/queue/index';
import type { Relay } from '@form-relay/runtimes/running_relay';
import type { Mood, Sinks } from './config.ts';

const dayMs = 86_400_000;
const all = 200;
const days = 42;

/** Names and messages by language. All are made up, at domains that nobody can register. */
const people: readonly (readonly [name: string, words: readonly string[]])[] = [
  [
    'Ada Example',
    ['The kitchen faces north, so we would like light wood.', 'Could you come and measure on a Friday?'],
  ],
  [
    'Ben Sample',
    ['A wardrobe below a sloping roof, three metres wide.', 'Do you also take the old one away?'],
  ],
  [
    'Carla Muster',
    ['Wir wünschen uns eine Küche aus Eiche mit viel Stauraum.', 'Können Sie im Mai liefern?'],
  ],
  ['Dario Esempio', ['Vorremmo una scala aperta in frassino.', 'Quanto tempo serve per un preventivo?']],
  [
    'Élodie Exemple',
    ['Nous cherchons une armoire sur mesure pour l’entrée.', 'Est-ce possible avant l’été ?'],
  ],
  ['فريدة مثال', ['نريد مطبخًا صغيرًا من خشب الجوز مع طاولة للأطفال.', 'هل يمكنكم زيارتنا يوم الأحد؟']],
  ['גיל דוגמה', ['אנחנו מחפשים ארון ספרים לקיר שלם.', 'האם אפשר לקבל הצעת מחיר עד סוף החודש?']],
  ['見本 花子', ['玄関に合う靴箱をお願いしたいです。', '納期はどのくらいですか。']],
  ['Iwo Przykład', ['Potrzebujemy schodów z jesionu na poddasze.', 'Czy montaż jest w cenie?']],
  [
    'Jolanda Voorbeeld',
    ['We willen graag een keuken met een werkblad van noten.', 'Kunt u ook de apparatuur plaatsen?'],
  ],
];

/** Their mail addresses, in ASCII. */
const addresses = 'ada ben carla dario elodie farida gil hanako iwo jolanda'.split(' ');

const spam =
  'Dear sir, we offer SEO backlinks and guaranteed first page ranking for your website at a cheap price! Visit http://best-seo.example http://cheap-links.example http://rank-fast.example now and buy 100% guaranteed traffic, casino, crypto investment, limited offer!!!';

/** Repeatable random numbers, so that screenshots and tests agree. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

/** @returns how many submissions were sent. `setTime` sets the relay's clock. */
export async function sendAll(
  handle: Relay['handle'],
  sinks: Sinks,
  until: number,
  setTime: (at: number) => void,
): Promise<number> {
  const roll = dice(7);
  const times = Array.from({ length: all }, (_, index) => {
    const age = ((all - index) / all) ** 1.4 * days * dayMs;
    return until - age - roll(3_600_000);
  }).toSorted((one, other) => one - other);
  for (const [index, at] of times.entries()) {
    setTime(at);
    // The mail server was down for an hour and the CRM for an evening, and each refused two deliveries.
    const isRecent = index >= all - 60;
    sinks.mail = pick(index % 29 === 3 && isRecent, [all - 7, all - 20].includes(index) && 'refuses');
    sinks.crm = pick(index > all - 14 && index < all - 8, [all - 31, all - 46].includes(index) && 'refuses');
    await handle(await requestOf(index, roll));
  }
  sinks.mail = 'fine';
  sinks.crm = 'fine';
  return all;
}

/** Turns refused deliveries into dead letters, as a second attempt would. */
export async function giveUpOnRefused({ services, settings }: Relay, config: Config): Promise<void> {
  const keep = config.shared.get('keep');
  const store = keep && (await storeOpener(services, settings)(keep));
  const isRefused = ({ kept }: Listed) => /\b(?:400|550)\b/.test(kept.why?.words ?? '');
  for await (const lease of store?.leases.leaseMatching(isRefused) ?? [])
    await lease.deadLetter('refused', { ...lease.kept, tries: lease.kept.tries + 1 });
  await store?.close();
}

const pick = (isDown: boolean, other: false | Mood): Mood => (isDown ? 'down' : other || 'fine');

async function requestOf(index: number, roll: (sides: number) => number) {
  const [name = '', words = []] = people[index % people.length] ?? [];
  const one = <T>(values: readonly T[]): T => values[roll(values.length)] as T;
  const isQuote = index % 4 !== 3;
  const values = new FormData();
  const isSpam = index % 23 === 11;
  values.set('name', isSpam ? 'Rank Fast' : name);
  values.set('rating', String(2 + Math.min(3, roll(5))));
  values.set('message', isSpam ? spam : words.slice(0, 1 + roll(2)).join('\n'));
  if (index % 31 === 17) values.set('website', 'http://bot.example');
  if (isQuote) {
    values.set('email', `${isSpam ? 'sales' : addresses[index % people.length]}@visitor.example`);
    const work = one(['Kitchen', 'Kitchen', 'Wardrobe', 'Staircase', 'Something else']);
    values.set('work', work);
    if (work === 'Something else')
      values.set('what', one(['A bench for the garden', 'A bookshelf', 'A treehouse']));
    for (const wood of ['Oak', 'Ash', 'Walnut', 'I need advice'])
      if (roll(3) === 0) values.append('wood', wood);
    values.set('budget', one(['Up to 2000', '2000 to 5000', '5000 to 10000', 'More']));
    if (index % 6 === 1)
      values.append('plan', new File([sketch(index)], 'sketch.png', { type: 'image/png' }));
    if (index % 18 === 4)
      values.append(
        'plan',
        new File([`${name}\nHeight 2.40 m\nWidth 3.10 m\n`], 'measures.txt', { type: 'text/plain' }),
      );
  } else values.set('again', one(['Yes', 'Yes', 'Perhaps', 'No']));
  const encoded = new Response(isQuote ? values : new URLSearchParams([...values] as [string, string][]));
  return {
    method: 'POST',
    path: `/api/v1/submit/${isQuote ? 'quote' : 'feedback'}`,
    query: '',
    headers: { 'content-type': encoded.headers.get('content-type') ?? undefined },
    body: new Uint8Array(await encoded.arrayBuffer()),
    peerAddress: `192.0.2.${1 + (index % 200)}`,
    // Makes the answer wait for all deliveries, so that the clock does not move meanwhile.
    livesOn: false,
  };
}

// A pencil sketch of a room's floor plan, as a PNG.

const width = 320;
const height = 220;

const table = Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

function chunk(type: string, content: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  let crc = -1;
  for (const byte of body) crc = (table[(crc ^ byte) & 255] as number) ^ (crc >>> 8);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(content.length, 0);
  ends.writeUInt32BE((crc ^ -1) >>> 0, 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}

/** @param nth Gives each number a different room. */
function sketch(nth: number): Buffer {
  // Grey, one byte per pixel, and a filter byte before each line.
  const rows = Buffer.alloc((width + 1) * height, 250);
  for (let y = 0; y < height; y += 1) rows[y * (width + 1)] = 0;
  const box = (left: number, top: number, right: number, bottom: number, line: number) => {
    for (let y = top; y <= bottom; y += 1)
      for (let x = left; x <= right; x += 1) {
        const isEdge = x < left + line || x > right - line || y < top + line || y > bottom - line;
        if (isEdge) rows[y * (width + 1) + 1 + x] = 70 + ((x * 7 + y * 13) % 40);
      }
  };
  const wide = 190 + (nth % 5) * 20;
  box(16, 16, 16 + wide, 200, 5);
  box(21, 21, 21 + wide - 60, 62, 2);
  for (let nth = 0; nth < 3; nth += 1) box(30 + nth * 42, 28, 62 + nth * 42, 56, 1);
  box(40 + (nth % 7) * 8, 104, 130 + (nth % 7) * 8, 160, 2);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([
    ...[signature, chunk('IHDR', head), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))],
  ]);
}
