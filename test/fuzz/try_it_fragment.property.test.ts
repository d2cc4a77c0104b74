/** The link of "Try it": what was written is read, and whatever else comes is one of four answers, soon and in little memory. */
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mostBytes, readFragment, writeFragment } from '../../packages/studio/try/fragment.ts';
import { runs } from '../support/fuzz.ts';

const refusals = ['none', 'broken', 'too_long', 'other_version'];

describe('the fragment of Try it', () => {
  test('gives back each text that was written into it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 2_000 }), async (text) => {
        // A lone half of a pair is no text: every encoder writes U+FFFD.
        const written = Buffer.from(text).toString();
        const fragment = await writeFragment(written);
        expect(fragment).toMatch(/^#1\.[\w-]+$/);
        expect(await readFragment(fragment)).toEqual({ kind: 'config', text: written });
      }),
      runs(50),
    );
  });

  test('never rejects, and never gives what no text of 64 KB was made to', async () => {
    const letters = fc.string({ unit: fc.constantFrom(...'AZaz09-_=+/%#.!<> '), maxLength: 300 });
    const changed = fc.tuple(fc.string({ maxLength: 500 }), fc.nat(600), fc.nat(63)).map(([text, at, by]) => {
      const bytes = deflateRawSync(text);
      bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ (by + 1);
      return `#1.${bytes.toString('base64url')}`;
    });
    const any = fc.oneof(
      letters,
      letters.map((text) => `#1.${text}`),
      changed,
      fc.string().map((text) => `#${text}`),
    );
    await fc.assert(
      fc.asyncProperty(any, async (fragment) => {
        const read = await readFragment(fragment);
        if (read.kind === 'config') expect(Buffer.byteLength(read.text)).toBeLessThanOrEqual(mostBytes);
        else expect(refusals).toContain(read.kind);
      }),
      runs(100),
    );
  });

  test('stops reading where more than 64 KB come out, however little went in', async () => {
    const bomb = deflateRawSync(Buffer.alloc(50_000_000), { level: 9 });
    expect(bomb.length).toBeLessThan(60_000);
    expect(await readFragment(`#1.${bomb.toString('base64url')}`)).toEqual({ kind: 'too_long' });
    expect(await readFragment(await writeFragment('a'.repeat(mostBytes)))).toMatchObject({ kind: 'config' });
    expect(await readFragment(await writeFragment('a'.repeat(mostBytes + 1)))).toEqual({ kind: 'too_long' });
    expect(await readFragment('#2.AAAA')).toEqual({ kind: 'other_version' });
    expect(await readFragment('#inbox')).toEqual({ kind: 'none' });
  });

  test('invalid UTF-8 is no text', async () => {
    const bytes = deflateRawSync(Buffer.from([0x66, 0xff, 0xfe]));
    expect(await readFragment(`#1.${bytes.toString('base64url')}`)).toEqual({ kind: 'broken' });
  });
});
