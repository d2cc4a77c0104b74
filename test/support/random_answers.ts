import fc from 'fast-check';

const oneOf = (...texts: readonly string[]) => fc.constantFrom(...texts);
const often = (usual: string, ...others: readonly string[]) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: oneOf(...others) });
const lineEnd = fc.oneof(
  { weight: 60, arbitrary: fc.constant('\r\n') },
  { weight: 1, arbitrary: oneOf('\n', '\r', '\r\r\n', ' \r\n', '\r\n ', '') },
);
const byte = fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code));
const value = fc.oneof(
  oneOf('a', 'text/plain', '"x, y"', '', ' ', '\t', 'é', 'a, b', '\x7f', '\0', 'x'.repeat(300)),
  fc.string({ unit: byte, maxLength: 6 }),
);
const number = oneOf(
  '0',
  '1',
  '2',
  '02',
  '10',
  '+2',
  '-2',
  '2 ',
  ' 2',
  '2,2',
  '2 2',
  '0x2',
  '',
  '99999999999999999999',
  '18446744073709551615',
  '18446744073709551616',
  '2\t',
);
const coding = oneOf(
  'chunked',
  'CHUNKED',
  'gzip, chunked',
  'chunked, gzip',
  'gzip',
  'identity',
  'gzip,chunked',
  ' chunked ',
  'chunked\t',
  '',
  'xchunked',
  'chunked;q=1',
  ',chunked',
  'chunked,',
  'chunked, chunked',
  'gzip chunked',
);
const field = fc.oneof(
  fc.tuple(oneOf('content-length', 'Content-Length', 'content-length '), number),
  fc.tuple(oneOf('transfer-encoding', 'Transfer-Encoding'), coding),
  fc.tuple(
    oneOf('connection', 'Connection'),
    oneOf('close', 'keep-alive', 'Close', 'close, x', 'x', 'upgrade', 'keep-alive, close'),
  ),
  fc.tuple(oneOf('keep-alive'), oneOf('timeout=5', 'timeout=1', 'max=3', 'timeout=99999999999', 'x')),
  fc.tuple(
    oneOf(
      'date',
      'server',
      'set-cookie',
      'set-cookie',
      '__proto__',
      'upgrade',
      'trailer',
      'x-a',
      '',
      'é',
      'a b',
      "!#$%&'*+-.^_`|~",
    ),
    value,
  ),
);
const fieldLine = fc
  .tuple(field, often(': ', ':', ':\t', ' : ', ':  ', ''), lineEnd)
  .map(([[name, content], colon, end]) => name + colon + content + end);
const statusLine = fc
  .tuple(
    often(
      'HTTP/1.1',
      'HTTP/1.0',
      'HTTP/0.9',
      'HTTP/2.0',
      'HTTP/1.2',
      'HTTP/2',
      'http/1.1',
      'HTTP/1.10',
      'RTSP/1.0',
      'ICE/1.0',
      'HTTPS/1.1',
    ),
    often(' ', '  ', '\t', ''),
    oneOf(
      '200',
      '200',
      '200',
      '204',
      '303',
      '304',
      '404',
      '500',
      '100',
      '103',
      '101',
      '199',
      '099',
      '999',
      '2000',
      '20',
      '2x0',
      '',
    ),
    often(' OK', '', ' ', ' \xe9\0', '\tOK', ' a b', 'OK'),
    lineEnd,
  )
  .map((parts) => parts.join(''));
const interim = fc
  .tuple(oneOf('100', '102', '103', '103'), fc.array(fieldLine, { maxLength: 1 }))
  .map(([status, lines]) => `HTTP/1.1 ${status} So far\r\n${lines.join('')}\r\n`);
const content = fc.string({ unit: fc.oneof(byte, oneOf('a', 'ok')), maxLength: 12 });
const extension = oneOf(
  '',
  '',
  '',
  '',
  ';a',
  ';a=b',
  ';a="b"',
  ';',
  ' ;a',
  '; a',
  ';a="\r\n"',
  ';;a',
  ' ',
  ';\xe9',
  ';a="b"c',
  ';a=',
);
const chunk = fc
  .tuple(content, extension, lineEnd, lineEnd, oneOf('', '', '', '', '0', '000000000000000000', 'x', ' '))
  .map(
    ([text, more, first, last, zeros]) => `${zeros}${text.length.toString(16)}${more}${first}${text}${last}`,
  );
const body = fc.oneof(
  content,
  fc
    .tuple(
      fc.array(chunk, { maxLength: 3 }),
      oneOf('0', '00', '0;x', '', 'ffffffffffffffff', '10000000000000000'),
      lineEnd,
      fc.array(fieldLine, { maxLength: 2 }),
      lineEnd,
    )
    .map(
      ([chunks, last, end, trailers, finish]) => chunks.join('') + last + end + trailers.join('') + finish,
    ),
);
/** Framed as it is meant to be. */
const sound = fc.oneof(
  content.map((text) => `content-length: ${text.length}\r\n\r\n${text}`),
  content.map((text) => `\r\n${text}`),
  fc
    .tuple(
      fc.array(
        content.filter((text) => text !== ''),
        { maxLength: 3 },
      ),
      fc.array(oneOf('x: y\r\n', 'etag: "1"\r\n'), { maxLength: 1 }),
    )
    .map(
      ([chunks, trailers]) =>
        `transfer-encoding: chunked\r\n\r\n${chunks.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join('')}0\r\n${trailers.join('')}\r\n`,
    ),
);
const soundLine = oneOf(
  'HTTP/1.1 200 OK\r\n',
  'HTTP/1.1 404 Not Found\r\n',
  'HTTP/1.0 200 OK\r\n',
  'HTTP/1.1 303 See Other\r\nlocation: /\r\n',
  'HTTP/1.1 204 No Content\r\n',
  'HTTP/1.1 500 \r\n',
);
const response = fc.oneof(
  fc
    .tuple(
      fc.array(interim, { maxLength: 2 }).map((all) => all.join('')),
      soundLine,
      fc
        .array(
          oneOf(
            'date: x\r\n',
            'connection: close\r\n',
            'connection: keep-alive\r\n',
            'Set-Cookie: a=b\r\n',
            'set-cookie: c=d; x\r\n',
          ),
          { maxLength: 2 },
        )
        .map((all) => all.join('')),
      sound,
    )
    .map((parts) => parts.join('')),
  fc
    .tuple(
      oneOf('', '', '', '\r\n', '\n', ' '),
      fc.array(interim, { maxLength: 2 }),
      statusLine,
      fc.array(fieldLine, { maxLength: 4 }),
      lineEnd,
      body,
    )
    .map(
      ([before, interims, first, lines, end, rest]) =>
        before + interims.join('') + first + lines.join('') + end + rest,
    ),
);

/** A byte changed, left out or put in, a part twice or gone, or an end too soon. */
type Mutation = (text: string) => string;
/** A place in a text, once it is divided by the text's length. */
export const position = fc.nat({ max: 2 ** 31 });
const within = (text: string, place: number) => place % (text.length + 1);
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(position, fc.oneof(byte, oneOf('\r', '\n', ' ', ':', ';', ',', '0', '\r\n', '\t'))).map(
    ([place, inserted]) =>
      (text: string) =>
        text.slice(0, within(text, place)) + inserted + text.slice(within(text, place)),
  ),
  fc.tuple(position, byte).map(
    ([place, put]) =>
      (text: string) =>
        text.slice(0, within(text, place)) + put + text.slice(within(text, place) + 1),
  ),
  fc.tuple(position, fc.integer({ min: 1, max: 4 })).map(
    ([place, length]) =>
      (text: string) =>
        text.slice(0, within(text, place)) + text.slice(within(text, place) + length),
  ),
  fc.tuple(position, position).map(
    ([from, to]) =>
      (text: string) =>
        text.slice(0, within(text, Math.max(from, to))) + text.slice(within(text, Math.min(from, to))),
  ),
  position.map((place) => (text: string) => text.slice(0, within(text, place))),
);
/** Answers as servers write them, or nearly: one character a byte. */
export const mutated = fc
  .tuple(response, fc.oneof(fc.constant([]), fc.array(mutation, { maxLength: 3 })))
  .map(([text, mutations]) => mutations.reduce((changed, mutate) => mutate(changed), text));
