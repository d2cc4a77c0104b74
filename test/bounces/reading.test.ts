/** What is read from a report: codes, ids, times, tokens, the parts of a mail, and the mails of a mailbox. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { codeIn, kindOf, requestIdIn } from '../../packages/relay/src/features/bounces/classify.ts';
import { readDsn } from '../../packages/relay/src/features/bounces/dsn.ts';
import { listOf, mapOf, parseJson, textOf, timeOf } from '../../packages/relay/src/features/bounces/json.ts';
import { isTimely } from '../../packages/relay/src/features/bounces/secure.ts';
import {
  formMark,
  partsOf,
  readToken,
  tokenFor,
  withReturnPath,
} from '../../packages/relay/src/features/bounces/verp.ts';
import { mailsIn, readMailbox } from '../../packages/relay/src/transports/mail/mailbox.ts';
import { dsn } from './stage.ts';

const now = Date.parse('2030-11-26T10:30:00Z');
const later = now + 60_000;
const hourMs = 3_600_000;
const secret = 'a-secret-that-only-the-relay-has-0123456789';

describe('an enhanced status code', () => {
  const hard = ['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10', '5.2.1', '5.4.4'];
  const soft = ['4.1.1', '4.4.4', '5.2.2', '5.2.3', '5.3.4', '5.7.1', '5.7.26'];
  const vague = [undefined, '5.0.0', '5.1.0', '5.1.11', '5.1.100', '5.2.4', '5.2.10', '5.3.5', '5.4.40'];

  it.each([
    ...hard.map((code) => [code, 'hard', 'hard'] as const),
    ...soft.map((code) => [code, 'soft', 'soft'] as const),
    ...vague.map((code) => [code, 'hard', 'soft'] as const),
  ])('%s is %s if the provider says hard, and %s otherwise', (code, said, unsaid) => {
    expect([kindOf(true, code), kindOf(false, code)]).toEqual([said, unsaid]);
  });

  it.each([
    ['5.1.1', ['5.1.1']],
    ['5.1.1', ['smtp; 550 5.1.1 User unknown, 5.2.2']],
    ['4.123.456', ['(4.123.456)']],
    ['2.0.0', ['2.0.0']],
    ['5.1.1', ['5.0.0', '550 5.1.1 User unknown']],
    ['5.0.0', ['5.0.0', '554 no']],
    ['5.0.0', ['5.0.0', '4.0.0']],
    ['5.0.1', ['5.0.1', '5.1.1']],
    ['5.1.0', ['5.1.0', '5.1.1']],
    ['5.10.0', ['5.10.0', '5.1.1']],
    ['5.1.1', [undefined, 5.11, null, {}, '5.1.1']],
    [undefined, []],
    [undefined, ['550 15.1.1, 3.1.1, 1.5.1.1, 5.1.1.1, 5.1234.1, 5.1.1234, 5.1, 5x1x1']],
  ])('%s is in %j', (code, texts) => {
    expect(codeIn(...texts)).toBe(code);
  });

  it('is within the first 1,000 characters', () => {
    expect(codeIn(`${'x'.repeat(995)}5.1.1`)).toBe('5.1.1');
    expect(codeIn(`${'x'.repeat(996)}5.1.1`)).toBeUndefined();
  });
});

describe('a Message-ID', () => {
  const id = '6f5902ac-237d-4d3b-9a3e-6e4d3c1d2e11';
  it.each([
    [id, `<${id}-confirmation@seeds.example>`],
    [id, ` ${id}-output-0@seeds.example\n`],
    [id, `<${id}-${'a'.repeat(40)}@seeds.example>`],
    [undefined, `<${id}-${'a'.repeat(41)}@seeds.example>`],
    [undefined, `<${id}-@seeds.example>`],
    [undefined, `<${id}@seeds.example>`],
    [undefined, `<${id}-Confirmation@seeds.example>`],
    [undefined, `<${id}-confirmation>`],
    [undefined, `<x${id}-confirmation@seeds.example>`],
    [undefined, `<${id.toUpperCase()}-confirmation@seeds.example>`],
    [undefined, `<${id.replace('-', '')}-confirmation@seeds.example>`],
    [undefined, `<${id.slice(1)}-confirmation@seeds.example>`],
    [undefined, `<${id.slice(0, -1)}-confirmation@seeds.example>`],
    [undefined, 5],
    [undefined, undefined],
  ])('says that the request was %s: %j', (expected, messageId) => {
    expect(requestIdIn(messageId)).toBe(expected);
  });
});

describe('JSON of a provider', () => {
  it.each<[at: number, found: unknown]>([
    [now, '2030-11-26T10:30:00Z'],
    [now, now / 1_000],
    [now, String(now / 1_000)],
    [now + 500, now / 1_000 + 0.5],
    ...['soon', '', '1969-12-31T23:59:59Z', 0, -1, Infinity, Number.NaN, null, undefined, {}].map(
      (found): [number, unknown] => [later, found],
    ),
    // Times to come count as now.
    [later, '9999-01-01T00:00:00Z'],
    [later, later / 1_000 + 1],
  ])('has the time %d in %j', (at, found) => {
    expect(timeOf(found, later)).toBe(at);
  });

  it.each([
    ['a', 'a', {}, []],
    [5, '5', {}, []],
    [null, '', {}, []],
    [true, '', {}, []],
    [undefined, '', {}, []],
    [{ a: 1 }, '', { a: 1 }, []],
    [[1], '', {}, [1]],
  ])('may have any type in any place: %j', (found, text, map, list) => {
    expect([textOf(found), mapOf(found), listOf(found)]).toEqual([text, map, list]);
  });

  it('is no JSON now and then', () => {
    const bodies = [Buffer.from('{"a":[1]}'), '{"a":[1]}', '{', ''];
    expect(bodies.map(parseJson)).toEqual([{ a: [1] }, { a: [1] }, undefined, undefined]);
  });
});

it.each([
  [true, 0, undefined],
  [true, 15 * 60_000, undefined],
  [false, 15 * 60_000 + 1, undefined],
  [true, -25 * hourMs, undefined],
  [false, -25 * hourMs - 1, undefined],
  [true, -300_000, 300_000],
  [false, -300_001, 300_000],
  [false, Number.NaN, undefined],
])('that a request is timely is %s at %d ms (at most %s)', (isSo, atMs, mostMs) => {
  expect(isTimely(now + atMs, now, mostMs)).toBe(isSo);
});

describe('a token', () => {
  const sentBefore = Date.parse('2030-11-26T11:00:00Z');

  it('names a visitor by the hash of the address, whatever its letter case, or the output', () => {
    const mark = formMark('letter');
    const token = tokenFor(secret, 'letter', 'ada@visitor.example', now);
    expect(token).toBe(tokenFor(secret, 'letter', ' Ada@Visitor.example ', now + 29 * 60_000));
    expect(readToken(secret, token, now)).toEqual({
      to: { hash: expect.stringMatching(/^[0-9a-f]{20}$/), formMark: mark },
      sentBefore,
    });
    for (const output of [0, 1, 15, 16, 300])
      expect(readToken(secret, tokenFor(secret, 'letter', output, now), now)).toEqual({
        to: { output, formMark: mark, reported: undefined },
        sentBefore,
      });
  });

  it.each([
    [true, 0],
    [true, 720],
    [false, 721],
    [true, -1],
    [false, -2],
  ])('counts (%s) %d hours after its mail was sent', (isSo, hours) => {
    const token = tokenFor(secret, 'letter', 0, now);
    expect(readToken(secret, token, now + hours * hourMs) !== undefined).toBe(isSo);
  });

  it('has the same length in early times', () => {
    expect(readToken(secret, tokenFor(secret, 'letter', 0, 0), 0)).toBeDefined();
  });

  it('counts for nothing with anything around it, or without a secret', () => {
    const token = tokenFor(secret, 'letter', 0, now);
    for (const one of [`x${token}`, `${token}x`, `${token}\n`, '', 'v'])
      expect(readToken(secret, one, now)).toBeUndefined();
    expect(readToken('', tokenFor('', 'letter', 0, now), now)).toBeUndefined();
  });

  it('is in the envelope sender of a mail by SMTP alone', () => {
    const smtp = { address: 'bounces@seeds.example' };
    const senderOf = (via: string, more: object) => {
      const message = { via } as Parameters<typeof withReturnPath>[0];
      const about = { smtp, secret, formId: 'letter', to: 0, now, ...more };
      const sent = withReturnPath(message, about as Parameters<typeof withReturnPath>[1]);
      expect(sent).toBe(message);
      return 'returnPath' in sent ? sent.returnPath : undefined;
    };
    const token = tokenFor(secret, 'letter', 0, now);
    expect(senderOf('smtp', {})).toBe(`bounces+${token}@seeds.example`);
    expect(senderOf('ses', {})).toBeUndefined();
    expect(senderOf('smtp', { secret: '' })).toBeUndefined();
    expect(senderOf('smtp', { smtp: undefined })).toBeUndefined();
  });

  it('is in an address whose parts the last @ divides', () => {
    expect(partsOf('"a@b"@seeds.example')).toEqual({ local: '"a@b"', domain: 'seeds.example' });
  });
});

describe('a mail that came back', () => {
  const reading = { address: 'Bounces@Seeds.example', secret, now };
  const sender = `bounces+${tokenFor(secret, 'plain', 3, now - hourMs)}@seeds.example`;
  const whole = dsn(sender, 'boss@seeds.example');
  const read = (mail: string) => readDsn(Buffer.from(mail, 'latin1'), reading);
  const event = {
    id: expect.stringMatching(/^[0-9a-f]{20} 1$/),
    kind: 'hard',
    recipient: { output: 3, formMark: formMark('plain'), reported: 'boss@seeds.example' },
    at: Date.parse('2030-11-26T10:00:00Z'),
    code: '5.1.1',
  };
  /** The report's blocks: about the mail, and about each recipient. */
  const withBlocks = (...blocks: readonly string[]) =>
    whole.replace(/Reporting-MTA.*?\r\n\r\n--/s, `${blocks.join('\r\n\r\n')}\r\n\r\n--`);
  const block = (lines: string) => withBlocks('Reporting-MTA: dns; mx', lines);
  const failure = 'Action: failed\r\nStatus: 5.1.1\r\nFinal-Recipient: rfc822; boss@seeds.example';
  const type = /multipart\/report; report-type=delivery-status/;
  const boundary = /4XxY1234\.1670000000\/mx\.seeds\.example/g;

  it('is known by its whole text: each recipient of each mail', () => {
    const [one] = read(whole);
    expect(one).toEqual({ ...event, id: expect.stringMatching(/^[0-9a-f]{20} 0$/) });
    expect(read(whole)).toEqual([one]);
    const ids = [...read(withBlocks('', failure, failure)), ...read(`${whole} `)].map(({ id }) => id);
    expect(new Set([one?.id, ...ids]).size).toBe(4);
  });

  it('counts from now within the hour in which it was sent', () => {
    const soon = `bounces+${tokenFor(secret, 'plain', 3, now)}@seeds.example`;
    expect(read(dsn(soon, 'boss@seeds.example'))).toMatchObject([{ at: now }]);
  });

  it.each([
    ['Status: 5.1.1', { kind: 'hard', code: '5.1.1' }],
    ['Status: 5.0.0\r\nDiagnostic-Code: smtp; 550 5.1.2 no', { kind: 'hard', code: '5.1.2' }],
    ['Status: 5.0.0', { kind: 'soft', code: '5.0.0' }],
    ['X-Status: 5.1.1', { kind: 'soft', code: undefined }],
    ['Status: 5.2.2\r\nStatus: 5.1.1', { kind: 'soft', code: '5.2.2' }],
    ['Diagnostic-Code: smtp;\r\n\t 550\r\n 5.1.1', { kind: 'hard', code: '5.1.1' }],
    ['Status:\t5.1.1', { kind: 'hard', code: '5.1.1' }],
    ['Status : 5.1.1', { kind: 'soft', code: undefined }],
    ['x Status: 5.1.1', { kind: 'soft', code: undefined }],
    [`${'x'.repeat(101)}: 5.1.1\r\nSTATUS: 5.1.3`, { kind: 'hard', code: '5.1.3' }],
    ['Final-Recipient: RFC822;<Boss@Seeds.example>', { recipient: event.recipient }],
    ['Final-Recipient:  rfc822 ; boss@seeds.example ', { recipient: event.recipient }],
    ['Final-Recipient: rfc822; a@b', { recipient: { ...event.recipient, reported: 'a@b' } }],
    ['Final-Recipient: rfc822; a@', { recipient: { ...event.recipient, reported: undefined } }],
    [
      'Original-Recipient: rfc822; boss@seeds.example\r\nFinal-Recipient: rfc822; x@y.example',
      { recipient: event.recipient },
    ],
    [
      `Final-Recipient: rfc822; ${'x'.repeat(255)}`,
      { recipient: { ...event.recipient, reported: undefined } },
    ],
  ])('says in its block %j: %j', (lines, expected) => {
    expect(read(block(`Action: failed\r\n${lines}`))).toMatchObject([expected]);
  });

  it.each([
    ['a boundary with words behind it', whole.replace(/(--4Xx.*example)\r\n/g, '$1 \t\r\n')],
    ['other parameters after the boundary', whole.replace(boundary, 'b0').replace('"b0"', 'b0; x=y')],
    [
      'a line like a boundary',
      block(`X: y\r\n--bye\r\n${failure}`).replace(boundary, 'b0').replace('"b0"', 'b0'),
    ],
    ['its type in capitals', whole.replace('message/delivery-status', 'MESSAGE/Delivery-Status; x=y')],
    [
      'the type of the report in quotes',
      whole.replace(type, 'multipart/report; report-type="delivery-status"'),
    ],
    ['the token behind 1,900 characters', whole.replaceAll(sender, `${'x, '.repeat(633)}${sender}`)],
    [
      'the token after 19 others',
      whole.replaceAll(sender, `${'bounces+x@seeds.example, '.repeat(19)}${sender}`),
    ],
    [
      'its status in the 19th part',
      whole.replace('--4Xx', `${'--4XxY1234.1670000000/mx.seeds.example\r\n\r\nx\r\n'.repeat(17)}--4Xx`),
    ],
    ['the address in capitals', whole.replaceAll(sender, sender.toUpperCase())],
    ['a line break before its first header', whole.replace('Return-Path', 'X-First: \r\n a\r\nReturn-Path')],
  ])('is understood with %s', (_, mail) => {
    expect(mail).not.toBe(whole);
    expect(read(mail)).toMatchObject([{ kind: 'hard', recipient: event.recipient }]);
  });

  it.each([
    ['its status too far behind', whole.replace('\r\n\r\n', `\r\n\r\n${'x'.repeat(262_144)}`)],
    ['the token behind 2,000 characters', whole.replaceAll(sender, `${'x, '.repeat(700)}${sender}`)],
    [
      'the token after 20 others',
      whole.replaceAll(sender, `${'bounces+x@seeds.example,'.repeat(20)}${sender}`),
    ],
    ['the token at another domain', whole.replaceAll('@seeds', '@weeds')],
    ['the token at a domain that ends alike', whole.replaceAll('@seeds', '@a.seeds')],
    ['the token behind another name', whole.replaceAll('bounces+', 'bouncer+')],
    ['the token behind a name that ends alike', whole.replaceAll(sender, `x${sender}`)],
    ['the token in another header', whole.replaceAll('To:', 'X-To:')],
    ['the token in the second To alone', whole.replace(/^Delivered-To: .*\r\n/m, 'To: a@b.example\r\n')],
    ['a line break before its headers', `\r\n${whole}`],
    ['another type of mail', whole.replace('multipart/report', 'multipart/mixed')],
    ['a type of mail that begins alike', whole.replace('multipart/report', 'multipart/reports')],
    ['a type of mail that ends alike', whole.replace('multipart/report', 'x-multipart/report')],
    ['another type of report', whole.replace(type, 'multipart/report; report-type=disposition-notification')],
    [
      'a type of report that begins alike',
      whole.replace(type, 'multipart/report; report-type=delivery-statuses'),
    ],
    ['no type of report', whole.replace(type, 'multipart/report')],
    ['no boundary', whole.replace(boundary, 'undefined').replace('boundary=', 'x=')],
    ['another boundary', whole.replace(boundary, 'a').replace('boundary="a"', 'boundary="b"')],
    ['a boundary that is too long', whole.replace(boundary, 'b'.repeat(201))],
    ['a status of another type', whole.replace('message/delivery-status', 'text/plain')],
    [
      'a type of status that begins alike',
      whole.replace('message/delivery-status', 'message/delivery-statuses'),
    ],
    [
      'a type of status that ends alike',
      whole.replace('message/delivery-status', 'x-message/delivery-status'),
    ],
    [
      'its status before the first part',
      whole
        .replace(
          'This is a MIME',
          `Content-Type: message/delivery-status\r\n\r\n\r\n\r\n${failure}\r\n\r\nThis`,
        )
        .replace(/(--4Xx.*?)Content-Type: message\/delivery-status/s, '$1X: y'),
    ],
    [
      'its status in a part without headers',
      whole.replace('Content-Description: Delivery report\r\n', '\r\n'),
    ],
    [
      'its status in the 20th part',
      whole.replace('--4Xx', `${'--4XxY1234.1670000000/mx.seeds.example\r\n\r\nx\r\n'.repeat(18)}--4Xx`),
    ],
    ['its failure in the block about the mail', withBlocks(failure)],
    ['no action', block('Status: 5.1.1')],
    ['another action', block('Action: failed soon\r\nStatus: 5.1.1')],
    ['nothing but headers', whole.slice(0, whole.indexOf('\r\n\r\n'))],
  ])('counts for nothing with %s', (_, mail) => {
    expect(mail).not.toBe(whole);
    expect(read(mail)).toEqual([]);
  });

  it('names 50 recipients at most', () => {
    expect(read(withBlocks('', ...Array<string>(50).fill(failure)))).toHaveLength(50);
    expect(read(withBlocks('', ...Array<string>(51).fill(failure)))).toHaveLength(50);
  });
});

describe('an mbox file', () => {
  it.each([
    ['', 'whole', [], 0],
    ['', 'growing', [], 0],
    ['From a\nx\n', 'whole', ['x\n'], 9],
    ['From a\nx\n', 'growing', [], 0],
    ['From a\nx\nin full\n', 'full', ['x\nin'], 11],
    ['From a long line\nx', 'full', [], 12],
    ['From a\n12345', 'full', [], 6],
    ['From a\nx\nFrom b\ny\n', 'whole', ['x\n', 'y\n'], 18],
    ['From a\nx\nFrom b\ny\n', 'growing', ['x\n'], 9],
    ['From a\nx\nFrom b\ny\n', 'full', ['x\n'], 9],
    ['From a\n\nFrom b\n', 'whole', ['\n', ''], 15],
    ['From a', 'whole', [], 6],
    ['From a\n>From b\n', 'whole', ['>From b\n'], 15],
    ['rest\nFrom b\ny\n', 'whole', ['y\n'], 14],
    ['\nFrom b\ny\n', 'whole', ['y\n'], 10],
    ['the rest of a mail\n', 'whole', [], 19],
    ['the rest of a mail\n', 'full', [], 13],
    ['the rest of a mail\n', 'growing', [], 0],
  ])('%j that is %s has the mails %j, and is read up to %d', (text, state, mails, end) => {
    const found = mailsIn(Buffer.from(text), state === 'whole', state === 'full');
    expect({ ...found, mails: found.mails.map(String) }).toEqual({ mails, end });
  });

  it('has 200 mails at a time at most, each of 256 KB', () => {
    const many = mailsIn(Buffer.from('From a\nx\n'.repeat(201)), true);
    expect([many.mails.length, many.end]).toEqual([200, 1_800]);
    const long = mailsIn(Buffer.from(`From a\n${'x'.repeat(262_145)}\nFrom b\ny\n`), true);
    expect(long.mails.map(({ length }) => length)).toEqual([262_144, 2]);
  });

  const longAgo = new Date(Date.now() - 60_000);
  function folder() {
    const path = mkdtempSync(join(tmpdir(), 'mailbox-'));
    onTestFinished(() => rmSync(path, { recursive: true, force: true }));
    return path;
  }
  function write(path: string, text: string, at = longAgo) {
    writeFileSync(path, text);
    utimesSync(path, at, at);
  }
  const readFrom = async (path: string, after: string | undefined) => {
    const { mails, after: next, finish } = await readMailbox({ path, after });
    await finish();
    return { mails: mails.map(String), next };
  };

  it('is read on where reading ended, or from its beginning if it is another file', async () => {
    const path = join(folder(), 'mbox');
    write(path, 'From a\nx\n');
    const first = await readFrom(path, undefined);
    expect(first).toEqual({ mails: ['x\n'], next: expect.stringMatching(/^\d+:9$/) });
    expect(await readFrom(path, first.next)).toEqual({ mails: [], next: first.next });
    write(path, 'From a\nx\nFrom b\ny\n');
    expect((await readFrom(path, first.next)).mails).toEqual(['y\n']);
    for (const after of ['', '1:9', `x${first.next}`, `${first.next}x`, first.next?.replace(':9', ':19')])
      expect((await readFrom(path, after)).mails).toEqual(['x\n', 'y\n']);
    expect((await readFrom(path, first.next?.replace(':9', ':18'))).mails).toEqual([]);
  });

  it('has a last mail once it was left alone for five seconds', async () => {
    const path = join(folder(), 'mbox');
    write(path, 'From a\nx\n', new Date(Date.now() - 4_000));
    expect((await readFrom(path, undefined)).mails).toEqual([]);
    write(path, 'From a\nx\n', new Date(Date.now() - 5_001));
    expect((await readFrom(path, undefined)).mails).toEqual(['x\n']);
  });

  it('may be a Maildir, whose mails are read in the order of their names, 200 at a time', async () => {
    const path = folder();
    for (const one of ['new', 'cur']) mkdirSync(join(path, one));
    for (let index = 200; index >= 0; index -= 1)
      writeFileSync(join(path, 'new', String(1_000 + index)), `x${index}`);
    writeFileSync(join(path, 'new', '.hidden'), 'x');
    writeFileSync(join(path, 'new', '1000'), 'x'.repeat(262_145));
    const { mails, after, unread, finish } = await readMailbox({ path, after: undefined });
    expect([after, unread, mails.length, mails[0]?.length]).toEqual(['', [], 200, 262_144]);
    expect(mails.slice(1).map(String)).toEqual(Array.from({ length: 199 }, (_, index) => `x${index + 1}`));
    expect(readdirSync(join(path, 'cur'))).toEqual([]);
    await finish();
    expect(readdirSync(join(path, 'new'))).toEqual(['.hidden', '1200']);
    expect(readdirSync(join(path, 'cur'))).toContain('1000:2,S');
    renameSync(join(path, 'cur'), join(path, 'gone'));
    await expect(finish()).rejects.toMatchObject({ code: 'mailbox_missing' });
  });

  it('may not be a Maildir on a file system that is mounted read-only', async ({ skip }) => {
    const path = folder();
    try {
      execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', path], { stdio: 'ignore' });
    } catch {
      skip('only root can mount');
    }
    try {
      for (const one of ['new', 'cur']) mkdirSync(join(path, one));
      writeFileSync(join(path, 'new', '1000'), 'x');
      const { finish } = await readMailbox({ path, after: undefined });
      execFileSync('mount', ['-o', 'remount,ro', path]);
      for (const read of [finish, () => readMailbox({ path, after: undefined })])
        await expect(read()).rejects.toMatchObject({
          code: 'mailbox_read_only',
          message: expect.stringContaining('ReadWritePaths='),
        });
    } finally {
      execFileSync('umount', ['-l', path]);
    }
  });
});
