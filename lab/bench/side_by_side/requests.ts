/** Requests of all kinds. */
import { type Dice, diceOf } from './dice.ts';
import { plainForms } from './form_kinds.ts';
import { ask, boundary, plain, post, strict, urlencoded, utf8, withFile, written } from './written.ts';

/** Values that only a form's own relay can give. */
export interface Tokens {
  /** A min-fill token, old enough. */
  readonly old: string;
}

export interface Sending {
  /** With a moment between them. One piece may hold several requests. */
  readonly pieces: readonly string[];
  /** How many, interim ones not counted. */
  readonly answers: number;
  /** HEAD: its answer has no body. */
  readonly isHead?: boolean;
}

export interface Request extends Sending {
  readonly kind: string;
}

const anyForm = (dice: Dice) => dice.pick(plainForms);
const submission = (dice: Dice) => post(dice, { form: anyForm(dice), body: written(dice, plain(dice)) });
/** A body that is written out, to any form. */
const raw = (dice: Dice, body: string) => post(dice, { form: anyForm(dice), body });

function lacking(dice: Dice): string {
  const body = plain(dice);
  body.delete(dice.pick(['name', 'email', 'message']));
  return body.toString();
}

function inTwo(dice: Dice, request: string): readonly string[] {
  const at = 1 + dice.below(request.length - 2);
  return [request.slice(0, at), request.slice(at)];
}

function chunked(dice: Dice): readonly string[] {
  const body = plain(dice).toString();
  const head = `POST /api/v1/submit/${anyForm(dice)} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${urlencoded}\r\n`;
  const ending = dice.pick(['0\r\n\r\n', '0\r\nx-trailer: a\r\n\r\n']);
  return [
    `${head}Transfer-Encoding: chunked\r\n\r\n`,
    `${body.length.toString(16)}${dice.pick(['', ';a=b'])}\r\n${body}\r\n${ending}`,
  ];
}

const withToken = (dice: Dice, token: string) =>
  post(dice, { form: 'timed', body: plain(dice, { _ts: token }).toString() });

const percents = ['%', '%4', '%zz', '%ff', '%C3%28', '%00', '\xff', '%F0%9F%99%82', '%ED%A0%80'];
const oddBodies = '|=|&|name|name=&name=&name|=a&b|a=b=c|name=a;email=b|__proto__=a'.split('|');
const wrongAddresses = ['a', '@', 'a@', 'a@@b', 'a b@c', ''];
const lengths = [10_000, 10_001, 65_000, 65_536, 66_000];
const types = [
  ...['text/plain', 'application/json', 'multipart/form-data', 'APPLICATION/X-WWW-FORM-URLENCODED', ''],
  ...[`${urlencoded}; charset=utf-8`, `${urlencoded};charset=latin1`, `${urlencoded}, text/plain`],
];
const jsonBodies = [
  ...['{"name":"Ada","topics":["sales","press"],"number":3,"terms":true}', '{', '[]', '"a"', '{"name":null}'],
  ...['{"name":{"a":1}}', '{"name":1e400}', '{"name":"a","name":"b"}', '{"name":"\\ud800"}'],
  '{"__proto__":{"a":1}}',
];
const unknownForms = ['nowhere', '', '%20', 'contact/', 'CONTACT', '__proto__', 'constructor', '%zz'];
const paths = [
  ...'/ /healthz /readyz /favicon.ico //a /api/v1/submit /api/v1/submit/contact /api/v1/form/'.split(' '),
  ...['/api/v1/form/contact', '/api/v1/form/contact?as=page', '/api/v1/form/strict?name=Ada&kind=business'],
  ...['/api/v1/form/timed', '/api/v1/token/timed', '/api/v1/token/contact', '/api/v1/form/files'],
  ...['/api/v1/form/nowhere', '/api/v1/form/%E0', '/api/v1/form/contact?name=%zz', '/api/v1/receipts.json'],
  ...['/api/v1/form.css', '/api/v1/form.js'],
];
const toContact = 'POST /api/v1/submit/contact HTTP/1.1\r\nHost: a\r\n';
const malformed = [
  ...['GET / HTTP/1.1', 'GET /healthz HTTP/1.0', 'NONSENSE', 'GET / HTTP/3.0\r\nHost: a'].map(
    (head) => `${head}\r\n\r\n`,
  ),
  ...['Host: b', 'A b: c'].map((line) => `GET /healthz HTTP/1.1\r\nHost: a\r\n${line}\r\n\r\n`),
  `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
  `${toContact}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  `${toContact}Content-Length: x\r\n\r\n`,
  `${toContact}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
];
const otherMethods = ['HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH'];

type Make = (dice: Dice, tokens: Tokens) => string | readonly string[] | Sending;

/** How many of a hundred, about, and how they are made. */
const kinds: Readonly<Record<string, readonly [weight: number, make: Make]>> = {
  submission: [38, submission],
  'submission in two pieces': [4, (dice) => inTwo(dice, submission(dice))],
  'three submissions at once': [
    3,
    (dice) => ({ pieces: [submission(dice) + submission(dice) + submission(dice)], answers: 3 }),
  ],
  'filled honeypot': [3, (dice) => raw(dice, plain(dice, { website: 'https://spam.example' }).toString())],
  'missing field': [4, (dice) => raw(dice, lacking(dice))],
  'invalid email': [2, (dice) => raw(dice, plain(dice, { email: dice.pick(wrongAddresses) }).toString())],
  'long value': [
    1,
    (dice) => raw(dice, `name=${'a'.repeat(dice.pick(lengths))}&email=a@b.example&message=x`),
  ],
  'percent sign': [3, (dice) => raw(dice, `name=${dice.pick(percents)}&email=a@b.example&message=x`)],
  'odd body': [2, (dice) => raw(dice, dice.pick(oddBodies))],
  'other media type': [
    3,
    (dice) => post(dice, { form: anyForm(dice), body: plain(dice).toString(), type: dice.pick(types) }),
  ],
  JSON: [
    4,
    (dice) => {
      const body = utf8(dice.pick([JSON.stringify(Object.fromEntries(plain(dice))), ...jsonBodies]));
      return post(dice, { form: dice.pick(['strict', 'paged']), body, type: 'application/json' });
    },
  ],
  'strict fields': [6, (dice) => post(dice, { form: 'strict', body: strict(dice).toString() })],
  chunked: [3, chunked],
  'Expect: 100-continue': [
    1,
    (dice) =>
      post(dice, { form: anyForm(dice), body: plain(dice).toString(), more: 'Expect: 100-continue\r\n' }),
  ],
  'token that is old enough': [3, (dice, { old }) => withToken(dice, old)],
  'forged token': [2, (dice, { old }) => withToken(dice, dice.pick(['', 'x', `${old}x`, old.slice(1)]))],
  file: [
    2,
    (dice) =>
      post(dice, { form: 'files', body: withFile(dice), type: `multipart/form-data; boundary=${boundary}` }),
  ],
  page: [7, (dice) => ask(dice, 'GET', dice.pick(paths))],
  'other method': [
    3,
    (dice) => {
      const method = dice.pick(otherMethods);
      return { pieces: [ask(dice, method, dice.pick(paths))], answers: 1, isHead: method === 'HEAD' };
    },
  ],
  'unknown form': [1, (dice) => post(dice, { form: dice.pick(unknownForms), body: plain(dice).toString() })],
  'Connection: close': [
    2,
    (dice) =>
      post(dice, { form: anyForm(dice), body: plain(dice).toString(), more: 'Connection: close\r\n' }),
  ],
  'malformed request': [2, (dice) => dice.pick(malformed)],
};

const total = Object.values(kinds).reduce((sum, [weight]) => sum + weight, 0);

export function requestOf(id: number, tokens: Tokens): Request {
  const dice = diceOf(id);
  let left = dice.below(total);
  for (const [kind, [weight, make]] of Object.entries(kinds)) {
    left -= weight;
    if (left >= 0) continue;
    const made = make(dice, tokens);
    if (typeof made === 'string') return { kind, pieces: [made], answers: 1 };
    return 'pieces' in made ? { kind, ...made } : { kind, pieces: made, answers: 1 };
  }
  throw new Error('the weights do not add up');
}
