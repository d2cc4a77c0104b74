import { type Area, type ProductPromise, promise } from '../promise.ts';
import type { Trial } from '../trial.ts';

/** A POST that would be answered if it were ever treated as a separate request. */
const smuggled = (t: Trial) => {
  const body = `name=${t.mark}smuggled`;
  return `${t.head(`Content-Length: ${body.length}`, 'Connection: close')}${body}`;
};

const size = ({ length }: string) => length.toString(16);
const chunk = (text: string) => `${size(text)}\r\n${text}\r\n`;

/** Expects one answer that refuses each, and nothing served after it on the connection. */
const refuses = (
  says: string,
  requests: (t: Trial, body: string) => readonly string[],
  from = 'RFC 9112, 11.2: request smuggling',
): ProductPromise => ({
  says: `${says}: refused, and what follows is not served.`,
  from,
  check: async (t) => {
    const body = `name=${t.mark}`;
    // Requests run one after another, which is slow only if a connection stays open.
    for (const request of requests(t, body)) {
      const answers = await t.wire(request + smuggled(t));
      t.must(answers.length <= 1, 'at most one answer');
      t.must(
        answers.every(({ status }) => status >= 400 && status < 500 && status !== 404),
        'status 400',
      );
    }
    await t.undelivered();
  },
});

export const wire: Area = {
  promises: {
    both_lengths: refuses('Content-Length beside Transfer-Encoding', (t, body) => [
      `${t.head(`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked')}${chunk(body)}0\r\n\r\n`,
      `${t.head('Transfer-Encoding: chunked', 'Content-Length: 0')}${chunk(body)}0\r\n\r\n`,
    ]),
    two_lengths: refuses('Two lengths that differ', (t, body) => [
      `${t.head(`Content-Length: ${body.length}`, 'Content-Length: 0')}${body}`,
      `${t.head(`Content-Length: ${body.length}, 0`)}${body}`,
    ]),
    odd_length: refuses('A length that is no plain number', (t, body) =>
      [
        ...[`+${body.length}`, `-${body.length}`, `0x${body.length.toString(16)}`, `${body.length}.0`],
        ...[`0 ${body.length}`, '\xd9\xa8', '18446744073709551624', ''],
      ].map((length) => `${t.head(`Content-Length: ${length}`)}${body}`),
    ),
    odd_encoding: refuses('A transfer coding that is not chunked', (t, body) =>
      ['xchunked', 'chunked, identity', 'identity', '"chunked"', '\x0bchunked'].map(
        (coding) => `${t.head(`Transfer-Encoding: ${coding}`)}${chunk(body)}0\r\n\r\n`,
      ),
    ),
    odd_chunks: refuses('A chunk that is longer than it says, or has no plain size', (t, body) =>
      [
        ...[`4\r\n${body}`, `+${body.length.toString(16)}\r\n${body}`],
        ...[`0x${body.length.toString(16)}\r\n${body}`, `10000000000000008\r\n${body}`, `  \r\n${body}`],
        ...[`${size(body)};x\n${body}`, `${size(body)}\r\r${body}`, `${size(body)}\n${body}\n0\n\n`],
        `${size(body)}\r\n${body}\r\n0\r\nX: y\r\n z\r\n\r\n`,
      ].map((text) => `${t.head('Transfer-Encoding: chunked')}${text}\r\n0\r\n\r\n`),
    ),
    odd_lines: refuses('A folded header, a space before the colon, a bare LF or CR, a NUL', (t, body) => {
      const length = `Content-Length: ${body.length}`;
      return [
        ...[`${t.head('X: y\r\n z', length)}${body}`, `${t.head(`Content-Length : ${body.length}`)}${body}`],
        `${t.head(length).replaceAll('\r\n', '\n')}${body}`,
        `${t.head('X: a\rTransfer-Encoding: chunked', length)}${body}`,
        ...[`${t.head('X: a\0b', length)}${body}`, `${t.head('X\0: a', length)}${body}`],
        `${t.head(`Content-Length\t: ${body.length}`)}${body}`,
        `${t.head('X: y', ` ${length}`)}${body}`,
        `${t.head('Transfer-Encoding:\r\n chunked', length)}${chunk(body)}0\r\n\r\n`,
        `${t.head(length).replace('\r\n', '\r\n X: y\r\n')}${body}`,
        `${t.head(length).replace('HTTP/1.1\r\n', 'HTTP/1.1\n')}${body}`,
        ...[`${t.head(': y', length)}${body}`, `${t.head('Nonsense', length)}${body}`],
      ];
    }),
    two_hosts: refuses(
      'Two hosts, or none',
      (t, body) => [
        `${t.head('Host: other.test', `Content-Length: ${body.length}`)}${body}`,
        `${t.head(`Content-Length: ${body.length}`).replace(/Host: [^\r]*\r\n/, '')}${body}`,
      ],
      'RFC 9112, 3.2',
    ),
    old_versions: refuses(
      'What is no HTTP/1.1',
      (t, body) => [
        `POST ${t.paths.submit('contact')}\r\n\r\n`,
        `${t.head(`Content-Length: ${body.length}`).replace('HTTP/1.1', 'HTTP/2.0')}${body}`,
        `${t.head(`Content-Length: ${body.length}`).replace('HTTP/1.1', 'ICY/1.1')}${body}`,
        `${t.head(`Content-Length: ${body.length}`).replace('POST', 'post')}${body}`,
        'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0',
        '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03',
        'EHLO forms.test\r\nMAIL FROM:<a@b.test>\r\n\r\n',
      ],
      'RFC 9112, 2.3',
    ),
    body_is_no_request: promise`A body is never a request, whatever stands in it.
      (RFC 9112, 11.2: request smuggling)`(async (t) => {
      const body = `name=${t.mark}&x=\r\n\r\n${smuggled(t)}`;
      const answers = await t.wire(`${t.head(`Content-Length: ${body.length}`, 'Connection: close')}${body}`);
      t.must(answers.length === 1 && answers.every((answer) => t.isTaken(answer)), 'one answer, and taken');
      await t.delivered(1);
    }),
    after_close: promise`Nothing after \`Connection: close\` is a request. (RFC 9112, 9.6)`(async (t) => {
      const body = `name=${t.mark}`;
      const first = `${t.head(`Content-Length: ${body.length}`, 'Connection: close')}${body}`;
      const answers = await t.wire(first + smuggled(t));
      t.must(answers.length === 1, 'one answer');
      await t.delivered(1);
    }),
    chunked: promise`A body in chunks is taken, with extensions and trailers that change nothing.
      (RFC 9112, 7.1)`(async (t) => {
      const body = `${chunk('name=')}${t.mark.length.toString(16)};x=y\r\n${t.mark}\r\n0\r\nHost: evil.test\r\n\r\n`;
      const answers = await t.wire(`${t.head('Transfer-Encoding: chunked', 'Connection: close')}${body}`);
      t.must(answers.length === 1 && answers.every((answer) => t.isTaken(answer)), 'one answer, and taken');
      await t.delivered(1);
    }),
    pipelined: promise`Requests that come at once are answered in order, each once.
      (RFC 9112, 9.3.2)`(async (t) => {
      const good = `name=${t.mark}`;
      const post = `${t.head(`Content-Length: ${good.length}`)}${good}`;
      const unknown = `GET ${t.paths.form('promises-no-such-form')} HTTP/1.1\r\nHost: x\r\n\r\n`;
      const answers = await t.wire(post + unknown + post + unknown + smuggled(t));
      const came = answers.map((answer) => (t.isTaken(answer) ? 'taken' : 'refused')).join(', ');
      t.is(came, 'taken, refused, taken, refused, taken');
      await t.delivered(3);
    }),
  },
};
