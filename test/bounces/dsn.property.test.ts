import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { describe, expect, test } from 'vitest';
import { readDsn } from '../../packages/relay/src/features/bounces/dsn.ts';
import { readToken, tokenFor } from '../../packages/relay/src/features/bounces/verp.ts';
import { mailsIn } from '../../packages/relay/src/transports/mail/mailbox.ts';
import { runs } from '../support/fuzz.ts';
import { dsn } from './stage.ts';

const secret = 'a-secret-that-only-the-relay-has-0123456789';
const now = Date.parse('2030-11-26T10:30:00Z');
const reading = { address: 'bounces@seeds.example', secret, now };
const sender = `bounces+${tokenFor(secret, 'letter', 'ada@visitor.example', now)}@seeds.example`;

describe('a mail that came back', () => {
  test('is never more than bytes: it does not throw, and acts for no one without a token', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
        expect(readDsn(Buffer.from(bytes), reading)).toEqual([]);
      }),
      runs(300),
    );
  });

  test('reports nothing but failures of the address in its token, however it is cut or changed', () => {
    const whole = Buffer.from(dsn(sender, 'ada@visitor.example'));
    const [expected] = readDsn(whole, reading);
    expect(expected).toMatchObject({ kind: 'hard', code: '5.1.1' });
    fc.assert(
      fc.property(fc.nat(whole.length), fc.nat(whole.length - 1), fc.nat(255), (end, at, byte) => {
        const cut = Buffer.from(whole.subarray(0, end));
        if (at < cut.length) cut[at] = byte;
        for (const { recipient, kind } of readDsn(cut, reading)) {
          expect(recipient).toEqual(expected?.recipient);
          expect(['hard', 'soft']).toContain(kind);
        }
      }),
      runs(500),
    );
  });

  test('has the status that another parser finds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('5.1.1', '5.1.2', '5.2.1', '5.7.1', '4.4.7', '5.2.2'),
        fc.constantFrom('failed', 'delayed', 'Failed', 'relayed'),
        fc.constantFrom('\r\n', '\n'),
        async (status, action, lineBreak) => {
          const text = dsn(sender, 'ada@visitor.example', { status, action, reply: '' }).replaceAll(
            '\r\n',
            lineBreak,
          );
          const { attachments } = await PostalMime.parse(text, { forceRfc822Attachments: true });
          const part = attachments.find(({ mimeType }) => mimeType === 'message/delivery-status');
          const content =
            part?.content instanceof ArrayBuffer
              ? new TextDecoder().decode(part.content)
              : String(part?.content);
          const isFailed = /^Action: failed\r?$/im.test(content);
          const events = readDsn(Buffer.from(text), reading);
          expect(events.map(({ code }) => code)).toEqual(
            isFailed ? [/^Status: (\S+)/m.exec(content)?.[1]] : [],
          );
        },
      ),
      runs(40),
    );
  });
});

test('a token means what it was made for, and nothing once a character is changed', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.nat(99), fc.emailAddress()),
      fc.string(),
      fc.nat(47),
      fc.constantFrom(...'0123456789abcdefvo'),
      (to, form, at, character) => {
        const token = tokenFor(secret, form, to, now);
        expect(token).toMatch(/^[vo][0-9a-z]{46}$/);
        expect(readToken(secret, token, now)).toBeDefined();
        expect(readToken(`${secret}x`, token, now)).toBeUndefined();
        const changed = token.slice(0, at) + character + token.slice(at + 1);
        if (changed !== token) expect(readToken(secret, changed, now)).toBeUndefined();
      },
    ),
    runs(200),
  );
});

test('an mbox file is split at its lines "From ", wherever reading stops', () => {
  const line = fc.stringMatching(/^[A-Za-z >:]{0,20}$/).filter((one) => !one.startsWith('From '));
  fc.assert(
    fc.property(
      fc.array(fc.array(line, { maxLength: 5 }), { minLength: 1, maxLength: 5 }),
      fc.nat(),
      (all, stop) => {
        const mails = all.map((lines) => `${lines.join('\n')}\n`);
        const bytes = Buffer.from(mails.map((mail) => `From a Tue Nov 26 10:00:00 2030\n${mail}`).join(''));
        const first = mailsIn(bytes.subarray(0, stop % (bytes.length + 1)), false);
        const rest = mailsIn(bytes.subarray(first.end), true);
        expect([...first.mails, ...rest.mails].map(String)).toEqual(mails);
        // Each mail that begins in a piece of the file counts, as far as it is there.
        const begun: string[] = [];
        const piece = 60;
        for (let at = 0, moved = 1; moved > 0; at += moved) {
          const some = bytes.subarray(at, at + piece);
          const isEnd = at + piece >= bytes.length;
          const read = mailsIn(some, isEnd, !isEnd);
          begun.push(...read.mails.map(String));
          moved = isEnd && read.mails.length === 0 ? 0 : read.end;
        }
        expect(begun).toHaveLength(mails.length);
        for (const [index, mail] of begun.entries()) expect(mails[index]?.startsWith(mail)).toBe(true);
      },
    ),
    runs(200),
  );
});
