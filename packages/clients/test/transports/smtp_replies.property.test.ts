/** A mail counts as accepted only if the mail server says so, and the server's words stay out of the log. */
import fc from 'fast-check';
import { ClientError } from '../../../../test/support/failed.ts';
import { holds, runs } from '../../../../test/support/fuzz.ts';
import { type Book, startSmtpScript } from '../../../../test/support/smtp_script.ts';
import { Reply as ServersReply } from '../../src/smtp/reply.ts';
import { createSmtpClient } from '../../src/smtp/smtp_client.ts';
import { sampleMail } from './sample_mail.ts';

/** Servers repeat addresses, and may repeat more. */
const echoed = '<ada@example.org> T0pSecret';
const stages = ['greeting', 'EHLO', 'MAIL', 'RCPT', 'DATA', '.'] as const;
type Stage = (typeof stages)[number];
const positive: Record<Stage, string> = {
  greeting: '220',
  EHLO: '250',
  MAIL: '250',
  RCPT: '250',
  DATA: '354',
  '.': '250',
};

interface Reply {
  /** `undefined` if the server closes the connection instead. */
  readonly text: string | undefined;
  readonly isPositive: boolean;
}

const enhanced = fc.constantFrom('', '2.1.0 ', '5.7.1 ', '9.999.999 ');
const soundReply = (stage: Stage, code: fc.Arbitrary<string>): fc.Arbitrary<Reply> =>
  fc.tuple(code, enhanced, fc.boolean()).map(([code, detail, isLong]) => ({
    text: `${isLong ? `${code}-${detail}${echoed}\r\n` : ''}${code} ${detail}${echoed}`,
    isPositive: code === positive[stage],
  }));
const piece = fc.constantFrom(
  ...['2', '250', '5', '-', ' ', '\0', '\xff', echoed, '999', '421 bye', '\t', '334 ', '250 ok\r\n250 ok'],
  ...['x'.repeat(70_000)],
);
const oddReply: fc.Arbitrary<Reply> = fc.oneof(
  // Always with a reply; the tests of timeouts cover its absence.
  fc
    .array(piece, { minLength: 1, maxLength: 4 })
    .map((parts) => ({ text: `${parts.join('')}\r\n500 ${echoed}`, isPositive: false })),
  // Two replies at once.
  fc.constantFrom('250 ok\r\n250 ok', '354 go\r\n250 ok').map((text) => ({ text, isPositive: false })),
  // Lines with different codes, and lines that are not replies.
  fc
    .constantFrom(
      ...['250-ok\r\n550 no', '550-no\r\n250 ok', '354-go\r\n250 ok', '250-ok\r\n\r\n250 ok', '250_ok'],
      ...['2500 ok', ' 250 ok'],
    )
    .map((text) => ({ text, isPositive: false })),
  fc.constant({ text: undefined, isPositive: false }),
);
const replyAt = (stage: Stage) =>
  fc.oneof(
    { weight: 30, arbitrary: soundReply(stage, fc.constant(positive[stage])) },
    {
      weight: 2,
      arbitrary: soundReply(
        stage,
        fc.constantFrom('421', '450', '451', '535', '550', '554', '199', '354', '600'),
      ),
    },
    { weight: 1, arbitrary: oddReply },
  );
const book = fc.tuple(...stages.map(replyAt)).map(([greeting, ehlo, mail, rcpt, data, dot]) => ({
  greeting,
  EHLO: ehlo,
  MAIL: mail,
  RCPT: rcpt,
  DATA: data,
  '.': dot,
})) as fc.Arbitrary<Record<Stage, Reply>>;

test('a mail counts as accepted if every reply says so, and never against the final reply', async () => {
  const client = createSmtpClient();
  onTestFinished(client.close);
  let taken = 0;
  await holds(runs(15, 0.1), [book, fc.boolean()], async (replies, isPipelining) => {
    const lines = Object.entries(replies).map(([stage, { text }]): [string, Book[string]] => {
      const offers = stage === 'EHLO' && isPipelining ? '250-PIPELINING\r\n' : '';
      return [stage, text === undefined ? (socket) => void socket.end() : offers + text];
    });
    const script = await startSmtpScript({ ...Object.fromEntries(lines), HELO: '502 no' });
    const ended = await client({ ...sampleMail, port: script.port }).catch((error: unknown) => error);
    await script.close();
    const isSound = stages.every((stage) => replies[stage].isPositive);
    if (isSound) expect(ended).toBeInstanceOf(ServersReply);
    if (ended instanceof ServersReply) {
      expect(ended.code).toMatch(/^2/);
      taken += 1;
      expect(script.commands).toContain('.');
      expect(replies['.'].text).toMatch(/^2/);
      // After accepting the mail, a server may add anything; that concerns the next mail.
      const verdict = /^(?:\d{3}-.*\r\n)*\d{3}.*/.exec(replies['.'].text ?? '')?.[0] ?? '';
      const heard = stages.map((stage) => (stage === '.' ? verdict : (replies[stage].text ?? '')));
      expect(heard.map((text) => new Set(text.match(/^\d{3}/gm)).size)).toEqual(Array(6).fill(1));
    } else {
      expect(ended).toBeInstanceOf(ClientError);
      expect((ended as Error).message).toMatch(/^[ -~]{1,120}$/);
      expect((ended as Error).message).not.toMatch(/ada|T0pSecret|x{9}/);
      expect((ended as Error).message).not.toContain('no complete response');
    }
  });
  expect(taken).toBeGreaterThan(0);
});
