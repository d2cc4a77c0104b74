/** The relay parses any output of a server, in any pieces, like Node's own client, except for the differences listed here. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { holds } from '../../../../test/support/fuzz.ts';
import { type NodeReading, readWithNode } from '../../../../test/support/node_parser.ts';
import { mutated, position } from '../../../../test/support/random_answers.ts';
import { headersIn } from '../../src/http/protocol.ts';
import { ResponseParser } from '../../src/http/response_parser.ts';

type OurReading = NodeReading & {
  /** How many bytes came after the end of the response. */
  readonly extraBytes: number;
  /** Whether no further bytes could belong to it. */
  readonly isDone: boolean;
  readonly noAnswer: string | undefined;
  /** The status line and headers, as far as they arrived. */
  readonly head: string;
};

function readHere(pieces: readonly Buffer[], hasEnd: boolean): OurReading {
  const parser = new ResponseParser();
  parser.begin();
  let extraBytes = 0;
  for (const piece of pieces) {
    const end = parser.isDone ? 0 : parser.read(piece, 0, piece.length);
    extraBytes += piece.length - end;
  }
  const { isDone, noAnswer } = parser;
  const isPending = !isDone && !hasEnd;
  if (!isDone) parser.end(hasEnd);
  const { status, head, body, isCut } = parser;
  const common = { isPending, isDone, extraBytes, noAnswer, head };
  if (status === 0) return { kind: 'none', isHttp: noAnswer === undefined, ...common };
  const headers = Object.entries(headersIn(head)).flat() as string[];
  return { kind: 'answer', isCut, status, headers, body, canRest: parser.restMs > 0, ...common };
}

type Case = Awaited<ReturnType<typeof compare>>;

interface Difference {
  readonly what: string;
  /** Why the relay parses it differently. */
  readonly why: string;
  /** An example, on a connection that ends afterwards. */
  readonly example: string;
  /** How the relay parses the example. */
  readonly becomes: object;
  /** Whether versions of Node differ in it. */
  readonly isOfSomeNode?: boolean;
  /** Whether this difference alone explains the case. */
  readonly explains: (given: Case) => boolean | Promise<boolean>;
}

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;
const whole = `${ok}content-length: 2\r\n\r\nok`;
const taken = { kind: 'answer', status: 200, body: 'ok', isCut: false };

/** Whether Node accepted the same status, but lost part of the body. */
const isCutInNode = ({ ours, node }: Case) =>
  ours.kind === 'answer' &&
  node.kind === 'answer' &&
  ours.status === node.status &&
  node.isCut &&
  ours.body.startsWith(node.body);
const isRefusedByNode = ({ node }: Case) => node.kind === 'none' && !node.isHttp;

const read = ({ text, ours }: Case) => text.slice(0, text.length - ours.extraBytes);

/** Matches cases that the relay rejects at `|`, in a status line that starts where one must. */
const refusedAt = (noAnswer: string, statusLine: RegExp) => {
  const begun = new RegExp(`(?:^|[\r\n])${statusLine.source}`);
  return (given: Case) =>
    given.ours.noAnswer === noAnswer && begun.test(`${read(given)}|${given.text.slice(read(given).length)}`);
};

/** Matches cases that the relay parses the same without the difference, and Node does, too. */
const without =
  (change: (given: Case) => false | { text: string; hasEnd?: boolean }) => async (given: Case) => {
    const changed = change(given);
    if (!changed || changed.text === given.text) return false;
    const plain = await compare(changed.text, [], changed.hasEnd ?? given.hasEnd);
    const reading = ({ ours }: Case) =>
      ours.kind === 'answer'
        ? [ours.isPending, ours.status, ours.body, ours.isCut]
        : [ours.isPending, ours.noAnswer];
    const rests = ({ ours }: Case) => ours.kind === 'answer' && ours.canRest;
    return (
      isDeepStrictEqual(reading(given), reading(plain)) &&
      (rests(plain) || !rests(given)) &&
      isExplained(plain)
    );
  };

/** All heads, the final one last. */
const heads = (given: Case) => {
  const { text, ours } = given;
  if (ours.kind === 'none') return read(given);
  // The parser unfolds the head that it read.
  const all = [...text.matchAll(/\r\n\r\n/g)].map(({ index }) => text.slice(0, index + 4));
  return all.find((head) => head.replaceAll(/\r\n[\t ]+/g, ' ').endsWith(ours.head)) ?? text;
};
const withHeads = (given: Case, pattern: RegExp, replacement: string) => ({
  text: heads(given).replaceAll(pattern, replacement) + given.text.slice(heads(given).length),
});

/** Unfolds headers. Lines before the first header do not belong to one. */
const unfolded = (text: string) =>
  text.replaceAll(/^[^\s:]+:.*(?:\r\n[\t ].*)+/gm, (header) => header.replaceAll(/\r\n[\t ]+/g, ' '));

/** Removes chunk extensions, and trailers with the names of headers that affect framing. */
function withPlainChunks(given: Case): { text: string } {
  let text = heads(given);
  const sizeLine = /([\da-f]+)(?:;[\t\x20-\x7e\x80-\xff]*)?(\r\n|\r?$)/iy;
  for (sizeLine.lastIndex = text.length; ; ) {
    const begin = sizeLine.lastIndex;
    const [line, size = '', end = ''] = sizeLine.exec(given.text) ?? [];
    if (line === undefined) return { text: text + given.text.slice(begin) };
    text += size + end;
    const length = Number.parseInt(size, 16);
    const rest = given.text.slice(sizeLine.lastIndex);
    if (length === 0)
      return { text: text + unfolded(rest).replaceAll(/^(?:content-length|transfer-encoding)(?=:)/gim, 'x') };
    text += rest.slice(0, length + 2);
    sizeLine.lastIndex += length + 2;
  }
}

/** Completes the head, wherever it breaks off. */
function withWholeHead(text: string): string {
  const line = text.slice(text.lastIndexOf('\n') + 1);
  if (line === '') return `${text}\r\n`;
  if (line === '\r') return `${text}\n`;
  if (line.endsWith('\r')) return `${text}\n\r\n`;
  return `${text}${line.includes(':') ? '' : ':'}\r\n\r\n`;
}

/**
 * All differences, with the decisions made. In all but the first four, the relay accepts a response, or more
 * of one, that Node rejects.
 */
const differences: readonly Difference[] = [
  {
    what: 'the status is below 100',
    why: 'RFC 9110, 15: there is no such status, and nothing says whether the submission was taken.',
    example: 'HTTP/1.1 099 OK\r\n\r\n',
    becomes: { kind: 'none', noAnswer: 'not_http' },
    explains: refusedAt('not_http', /HTTP\/(?:0\.9|1\.[01]|2\.0) 0\|/),
  },
  {
    what: 'it is RTSP or ICE',
    why: 'Node reads both as if they were HTTP. A server of another protocol took no submission.',
    example: 'RTSP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok',
    becomes: { kind: 'none', noAnswer: 'not_http' },
    explains: refusedAt('not_http', /(?:R\|(?:TSP\/|T?S?P?$)|I\|(?:CE\/|C?E?$))/),
  },
  {
    what: 'it is a 101',
    why: 'The request asked for no other protocol, and what follows is no HTTP.',
    example: `HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n${whole}`,
    becomes: { kind: 'none', noAnswer: 'unexpected_1xx' },
    explains: refusedAt('unexpected_1xx', /HTTP\/(?:0\.9|1\.[01]|2\.0) 101[^\n]*\n(?:[^\r\n]+\r\n)*\r\n\|/),
  },
  {
    what: 'a status line ends with two CR',
    why: 'RFC 9112, 2.2: it is malformed, and later versions of Node agree.',
    example: 'HTTP/1.1 200 OK\r\rcontent-length: 0\r\n\r\n',
    becomes: { kind: 'none', noAnswer: 'not_http' },
    isOfSomeNode: true,
    explains: refusedAt('not_http', /HTTP\/(?:0\.9|1\.[01]|2\.0) [1-9]\d\d(?: [^\r\n]*)?\r\r\|/),
  },
  {
    what: 'a 1xx says that its connection ends, or is of HTTP/1.0',
    why: 'The final answer that follows is the one to this request all the same. Its connection is closed.',
    example: `HTTP/1.1 103 Early Hints\r\nconnection: close\r\n\r\n${whole}`,
    becomes: { ...taken, canRest: false },
    explains: without(
      (given) =>
        isRefusedByNode(given) &&
        !(given.ours.kind === 'answer' && given.ours.canRest) &&
        withHeads(
          given,
          /(?<![^\r\n])HTTP\/(?:(?!1\.1)\d\.\d 1|1\.1 1.*\r\n(?:.+\r\n)*?connection:.*close).*\r\n(?:.+\r\n)*\r\n/gi,
          '',
        ),
    ),
  },
  {
    what: 'a header goes on in another line',
    why: 'RFC 9112, 5.2: a user agent has to read spaces in place of the fold.',
    example: `${ok}x: a\r\n\tb\r\n c\r\ncontent-length:\r\n 2\r\n\r\nok`,
    becomes: { ...taken, headers: ['x', 'a b c', 'content-length', '2'], canRest: true },
    explains: without(
      (given) =>
        isRefusedByNode(given) && { text: unfolded(heads(given)) + given.text.slice(heads(given).length) },
    ),
  },
  {
    what: 'a trailer goes on in another line',
    why: 'As for headers. It is read past.',
    example: `${chunked}2\r\nok\r\n0\r\nx: a\r\n b\r\n\r\n`,
    becomes: taken,
    explains: without((given) => isCutInNode(given) && withPlainChunks(given)),
  },
  {
    what: 'a length or a coding has a tab after it',
    why: 'RFC 9110, 5.5: white space around a value is no part of it. Later versions of Node agree.',
    example: `${ok}content-length: 2\t\r\n\r\nok`,
    becomes: taken,
    isOfSomeNode: true,
    explains: without((given) =>
      withHeads(given, /^((?:content-length|transfer-encoding):.*?)[\t ]*\t[\t ]*$/gim, '$1'),
    ),
  },
  {
    what: 'a transfer coding is empty',
    why: 'It names none, so the others count, or the end of the connection. Later versions of Node refuse it.',
    example: `${ok}transfer-encoding:\r\n\r\nok`,
    becomes: taken,
    isOfSomeNode: true,
    explains: without((given) => withHeads(given, /^transfer-encoding:[\t ]*(?:\r\n|\r?(?!.|\s))/gim, '')),
  },
  {
    what: 'bytes follow the answer',
    why: 'It is whole, and they belong to no answer: they end the connection.',
    example: `${whole}X`,
    becomes: { ...taken, extraBytes: 1 },
    explains: without((given) => isCutInNode(given) && { text: read(given), hasEnd: false }),
  },
  {
    what: 'a part of the body came along with a mistake in its framing',
    why: 'Both cut it there; Node forgets what came in the same piece.',
    example: `${chunked}2\r\nok\r\nx`,
    becomes: { ...taken, isCut: true },
    explains: without(
      (given) =>
        given.ours.kind === 'answer' &&
        given.ours.isCut &&
        given.ours.isDone &&
        isCutInNode(given) && { text: read(given).slice(0, -1), hasEnd: true },
    ),
  },
  {
    what: 'a chunk extension is not as RFC 9112, 7.1.1 has it',
    why: 'It says nothing that is read, and ends with its line either way.',
    example: `${chunked}2; a=\xe9\r\nok\r\n0\r\n\r\n`,
    becomes: taken,
    explains: without((given) => isCutInNode(given) && withPlainChunks(given)),
  },
  {
    what: 'a trailer speaks of a length or a coding',
    why: 'RFC 9110, 6.5.1: it must not, and is read past like every other.',
    example: `${chunked}2\r\nok\r\n0\r\ncontent-length: 3\r\n\r\n`,
    becomes: taken,
    explains: without((given) => isCutInNode(given) && withPlainChunks(given)),
  },
  {
    what: 'the connection ends, or pauses, in a head with contradicting or malformed lengths',
    why: 'They are looked at when the head is there. Until then, nobody knows what the server meant to answer.',
    example: `${ok}content-length: 2, 2\r\nx: `,
    becomes: { kind: 'none', isHttp: true },
    explains: async (given) => {
      if (!isRefusedByNode(given) || given.ours.kind === 'answer' || !given.ours.isHttp) return false;
      const { ours } = await compare(withWholeHead(given.text), [], given.hasEnd);
      return ours.noAnswer === 'not_http' && ours.extraBytes === 0;
    },
  },
];

async function isExplained(given: Case): Promise<boolean> {
  if (isSame(given)) return true;
  for (const { explains } of differences) if (await explains(given)) return true;
  return false;
}

/** Written a second time here, so that a mistake in the relay's own function would show. */
function joinedHeaders(raw: readonly string[]): string[] {
  const headers = new Map<string, string>();
  for (let at = 0; at < raw.length; at += 2) {
    const name = String(raw[at]).toLowerCase();
    const before = headers.get(name);
    headers.set(name, before === undefined ? String(raw[at + 1]) : `${before}, ${raw[at + 1]}`);
  }
  return [...headers].flat();
}

const isSame = ({ ours, node }: Case): boolean => {
  if (ours.isPending !== node.isPending) return false;
  if (ours.kind === 'none') return node.kind === 'none' && ours.isHttp === node.isHttp;
  if (node.kind === 'none') return false;
  return (
    ours.status === node.status &&
    ours.isCut === node.isCut &&
    ours.body === node.body &&
    (!ours.canRest || (node.canRest && !ours.isCut)) &&
    isDeepStrictEqual(ours.headers, joinedHeaders(node.headers))
  );
};

async function compare(text: string, cuts: readonly number[], hasEnd: boolean) {
  const bytes = Buffer.from(text, 'latin1');
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  const pieces = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
  const ours = readHere(pieces, hasEnd);
  return {
    /** The received bytes, one character per byte. */
    text,
    /** Whether the connection ends afterwards. */
    hasEnd,
    ours,
    node: await readWithNode(
      pieces.filter(({ length }) => length > 0),
      hasEnd,
    ),
  };
}

async function expectSame(given: Case): Promise<void> {
  if (!(await isExplained(given))) expect(given.ours).toEqual(given.node);
}

/** Every kind of framing, as servers write it. */
const everyday = [
  whole,
  `${chunked}2\r\nok\r\na;x=y\r\n0123456789\r\n0\r\nexpires: 0\r\n\r\n`,
  `${ok}connection: close\r\n\r\nok`,
  'HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n',
  `${ok}X-Many: a\r\nconstructor: c\r\n__proto__: p\r\nx-many: b\r\nX-Byte: \xe9\r\ncontent-length: 2\r\n\r\nok`,
  `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${whole}`,
  'HTTP/1.1 303 See Other\r\nLocation: /a\r\nContent-Length: 0\r\n\r\n',
];

describe('a response is parsed as by Node', () => {
  test('any bytes that a server writes, in any pieces', { timeout: 86_400_000 }, async () => {
    await holds(
      300,
      [mutated, fc.array(position, { maxLength: 4 }), fc.boolean()],
      async (text, cuts, hasEnd) => expectSame(await compare(text, cuts, hasEnd)),
    );
  });

  test.each(everyday)('wherever it is split, and wherever it ends: %j', async (text) => {
    for (let cut = 0; cut <= text.length; cut += 1) {
      const inTwo = await compare(text, [cut], false);
      expect(inTwo.ours).toEqual((await compare(text, [], false)).ours);
      await expectSame(inTwo);
      await expectSame(await compare(text.slice(0, cut), [], true));
    }
  });

  test('byte by byte', async () => {
    for (const text of everyday) {
      const bytes = Array.from(text, (_, at) => at);
      expect((await compare(text, bytes, true)).ours).toEqual((await compare(text, [], true)).ours);
    }
  });

  test.each(differences)('except: $what', async ({ example, becomes, explains, isOfSomeNode }) => {
    const given = await compare(example, [], true);
    expect(given.ours).toMatchObject(becomes);
    if (isOfSomeNode && isSame(given)) return;
    expect(isSame(given)).toBe(false);
    expect(await explains(given)).toBe(true);
  });
});

describe('a connection is reused', () => {
  const restOf = (text: string) => {
    const parser = new ResponseParser();
    parser.begin();
    parser.read(Buffer.from(text, 'latin1'), 0, text.length);
    expect(parser.isDone).toBe(true);
    return parser.restMs;
  };
  const head = (version: string, ...lines: string[]) =>
    `HTTP/${version} 200 OK\r\n${lines.map((line) => `${line}\r\n`).join('')}content-length: 0\r\n\r\n`;

  test.each([
    [4_000, head('1.1')],
    [4_000, head('1.1', 'connection: keep-alive')],
    [4_000, head('1.0', 'Connection: Keep-Alive')],
    [3_000, head('1.1', 'keep-alive: timeout=5, max=100')],
    [600_000, head('1.1', 'keep-alive: timeout=999999')],
    [4_000, head('1.1', 'keep-alive: max=100')],
    [0, head('1.1', 'keep-alive: timeout=2')],
    [0, head('1.1', 'connection: close')],
    [0, head('1.1', 'connection: keep-alive, close')],
    [0, head('1.0')],
    [0, head('2.0')],
    [0, `HTTP/1.1 103 x\r\nconnection: close\r\n\r\n${head('1.1')}`],
  ])('after %i ms at most: %j', (restMs, text) => expect(restOf(text)).toBe(restMs));
});
