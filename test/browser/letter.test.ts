import { expect, test } from 'vitest';
import { type MailBody, renderMail } from '../../packages/relay/src/outputs/html_mail.ts';
import { letters } from '../support/letters.ts';
import { describeInBrowser, openPage, screenshot, violationsIn } from './stage.ts';

/** A mail is part of another program’s page, which has landmarks of its own, and its subject is its title. */
const isAboutMail = (violation: string) => !/^(region|landmark-one-main|document-title): /.test(violation);

const mirrored = ({ direction, ...letter }: MailBody): MailBody => ({
  ...letter,
  direction: direction === 'ltr' ? 'rtl' : 'ltr',
});

const looks = [
  { colorScheme: 'light', width: 320 },
  { colorScheme: 'dark', width: 320 },
  { colorScheme: 'light', width: 900 },
  { colorScheme: 'dark', width: 900 },
] as const;

describeInBrowser('a mail', () => {
  test.each(looks)('is readable by everybody, $colorScheme, $width wide', async ({ colorScheme, width }) => {
    const page = await openPage({ colorScheme, viewport: { width, height: 800 } });
    for (const [name, letter] of Object.entries(letters)) {
      await page.setContent(renderMail(letter).html);
      await screenshot(page, `letter-${name}-${colorScheme}-${width}`);
      expect((await violationsIn(page)).filter(isAboutMail)).toEqual([]);
      for (const turned of [letter, mirrored(letter)]) {
        await page.setContent(renderMail(turned).html);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      }
    }
  });
});
