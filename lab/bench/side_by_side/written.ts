/** Requests as clients write them: bodies, headers, and what stands around them. One character is one byte. */
import type { Dice } from './dice.ts';

const words = [
  ...'Ada|engine|100 %|a=b&c|Żółw|日本|🙂|x;y|"quoted"|.|..|<b>|+|ﬀ|=?utf-8?Q?a?=|{{ .form.id }}|a long word'.split(
    '|',
  ),
  ...["it's", 'line\nline', '\r\n.\r\n', '\0', '\u2028', 'a'.repeat(200), ' ', '\t'],
];

const text = (dice: Dice, most: number) =>
  Array.from({ length: 1 + dice.below(most) }, () => dice.pick(words)).join(' ');

const addresses =
  'ada@example.org ada@example.org ada@bücher.example ada+tag@example.org "a"@example.org'.split(' ');

/** The fields of a plain form, some of them left out, some more than once. */
export function plain(dice: Dice, more: Readonly<Record<string, string>> = {}): URLSearchParams {
  const body = new URLSearchParams({
    name: text(dice, 3),
    email: dice.pick(addresses),
    message: text(dice, 40),
    ...more,
  });
  if (dice.chance(0.5)) body.append('company', text(dice, 2));
  for (const topic of ['sales', 'support', 'press']) if (dice.chance(0.3)) body.append('topics', topic);
  if (!body.has('website') && dice.chance(0.5)) body.append('website', '');
  if (dice.chance(0.1)) body.append('undeclared', 'x');
  return body;
}

/** As browsers do, as some libraries do, and with separators too many. */
export function written(dice: Dice, body: URLSearchParams): string {
  const all = body.toString();
  const inLowerCase = all.replaceAll(/%../g, (hex) => hex.toLowerCase());
  return dice.pick([all, all, all.replaceAll('+', '%20'), inLowerCase, `&${all}&&`]);
}

export const boundary = '----side-by-side';
const fileNames = ['cv.txt', 'cv.pdf', 'Lebenslauf ä.txt', 'a"b.txt', '../cv.txt', 'cv.exe', ''];
const contents = ['', 'Ada', '%PDF-1.7\n', 'MZ', 'line\r\n'.repeat(5_000), 'x'.repeat(120_000)];

export function withFile(dice: Dice): string {
  const part = (about: string, content: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${about}\r\n\r\n${content}\r\n`;
  const file = part(`name="cv"; filename="${dice.pick(fileNames)}"`, dice.pick(contents));
  return utf8(part('name="name"', text(dice, 2)) + file + (dice.chance(0.9) ? `--${boundary}--\r\n` : ''));
}

const strictValues = {
  name: ['Ada', 'A', 'Ada1', 'a'.repeat(21)],
  email: ['ada@example.org', 'ada'],
  url: ['https://a.example', 'javascript:x'],
  tel: ['+49 30 1'],
  number: ['1.5', '1.3', '1e1', 'NaN', '11'],
  date: ['2024-02-29', '2023-02-29', '2019-12-31'],
  kind: ['business', 'private', 'other'],
  plan: ['small', ''],
  topics: ['sales', 'support', 'press'],
  terms: ['on', 'off'],
  company: ['Engines'],
  source: ['ad'],
};

/** Values that its fields take or refuse. */
export function strict(dice: Dice): URLSearchParams {
  const body = new URLSearchParams();
  for (const [name, values] of Object.entries(strictValues)) {
    if (dice.chance(0.6)) body.append(name, dice.pick(values));
    if (dice.chance(0.1)) body.append(name, dice.pick(values));
  }
  return body;
}

/** Any of them may come with any request. */
const moreHeaders = [
  'HX-Request: true',
  'HX-Current-URL: https://www.example.com/contact',
  'Origin: https://www.example.com',
  'Origin: null',
  'Referer: https://www.example.com/contact?a=b',
  'Accept: application/json',
  'Accept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.8',
  'Accept: application/problem+json',
  'Accept-Language: de-DE,de;q=0.9',
  'Accept-Encoding: gzip, br',
  'X-Forwarded-For: 203.0.113.7',
  'User-Agent: Mozilla/5.0 (X11; Linux x86_64)',
  'Sec-Fetch-Mode: navigate',
  'Sec-Fetch-Site: same-origin',
  'traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  'traceparent: 00-00000000000000000000000000000000-00f067aa0ba902b7-01',
  'traceparent: nonsense',
  'X-Request-Id: 1',
  'Cookie: a=b',
];

const headers = (dice: Dice) =>
  moreHeaders.map((header) => (dice.chance(0.12) ? `${header}\r\n` : '')).join('');

export const urlencoded = 'application/x-www-form-urlencoded';

export interface Post {
  readonly form: string;
  readonly body: string;
  /** Default: urlencoded. */
  readonly type?: string;
  /** Lines, each with its end. */
  readonly more?: string;
}

export const post = (dice: Dice, { form, body, type = urlencoded, more = '' }: Post): string =>
  `POST /api/v1/submit/${form} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\n${headers(dice)}${more}` +
  `Content-Length: ${body.length}\r\n\r\n${body}`;

/** A request without a body. */
export const ask = (dice: Dice, method: string, path: string): string =>
  `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${headers(dice)}` +
  `${method === 'OPTIONS' ? 'Access-Control-Request-Method: POST\r\n' : ''}\r\n`;

/** Text as the bytes of UTF-8, one character each. */
export const utf8 = (text: string): string => Buffer.from(text).toString('latin1');
