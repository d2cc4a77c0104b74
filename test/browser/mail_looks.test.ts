import { type MailBody, renderMail } from '../../packages/more-outputs/src/html_mail.ts';
import { sampleMails } from '../support/sample_mails.ts';
import { describeInBrowser, openPage, screenshot, violationsIn } from './stage.ts';

/** A mail is shown inside another program's page, which has its own landmarks and title. */
const isAboutMail = (violation: string) => !/^(region|landmark-one-main|document-title): /.test(violation);

const mirrored = ({ direction, ...mail }: MailBody): MailBody => ({
  ...mail,
  direction: direction === 'ltr' ? 'rtl' : 'ltr',
});

const looks = [
  { colorScheme: 'light', width: 320 },
  { colorScheme: 'dark', width: 320 },
  { colorScheme: 'light', width: 900 },
  { colorScheme: 'dark', width: 900 },
] as const;

describeInBrowser('a mail', () => {
  test.each(looks)('is accessible, $colorScheme, $width wide', async ({ colorScheme, width }) => {
    const page = await openPage({ colorScheme, viewport: { width, height: 800 } });
    for (const [name, mail] of Object.entries(sampleMails)) {
      await page.setContent(renderMail(mail).html);
      await screenshot(page, `letter-${name}-${colorScheme}-${width}`);
      expect((await violationsIn(page)).filter(isAboutMail)).toEqual([]);
      for (const turned of [mail, mirrored(mail)]) {
        await page.setContent(renderMail(turned).html);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      }
    }
  });

  test('aligns each line of a value with the others, with or without letters', async () => {
    const page = await openPage({ viewport: { width: 900, height: 800 } });
    const sidesOf = async (direction: 'ltr' | 'rtl', value: string) => {
      const mail = { ...sampleMails.arabic, direction, entries: [{ label: 'A', values: [value] }] };
      await page.setContent(renderMail(mail).html);
      return page.locator('td.v').evaluate((cell) => {
        const { left, right } = cell.getBoundingClientRect();
        const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        const sides: string[] = [];
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          if (node.textContent?.trim() === '') continue;
          const range = document.createRange();
          range.selectNodeContents(node);
          const line = range.getBoundingClientRect();
          sides.push(line.left - left < right - line.right ? 'left' : 'right');
        }
        return sides;
      });
    };
    const arabic = 'شارع التحرير\n17\nالقاهرة\n١١٥١١';
    for (const direction of ['ltr', 'rtl'] as const) {
      expect(await sidesOf(direction, arabic)).toEqual(['right', 'right', 'right', 'right']);
      expect(await sidesOf(direction, '1 rue X\n75008\nParis')).toEqual(['left', 'left', 'left']);
      expect(await sidesOf(direction, 'مرحبا\nHello')).toEqual(['right', 'right']);
      expect(await sidesOf(direction, 'Weg 1\n89073 Ulm\nألمانيا')).toEqual(['left', 'left', 'left']);
    }
    expect(await sidesOf('rtl', '12\n+20 2 345')).toEqual(['right', 'right']);
  });

  test.each([
    ['49 30 901820', 'الهاتف: +49 30 901820 مساء'],
    ['49 30 901820', 'الاسم: نور\nالهاتف: +49 30 901820'],
    ['2026 10 25', 'الموعد: 2026-10-25 02:30 (+03:00)'],
    ['- 7', 'رصيد: -7'],
    ['c60055 …', 'البصمة (SHA-256): a6c60055…'],
  ])('shows %s in this order, even beside Arabic words', async (parts, value) => {
    const page = await openPage({ viewport: { width: 900, height: 800 } });
    for (const values of [[value], [value, 'و']]) {
      await page.setContent(renderMail({ ...sampleMails.arabic, entries: [{ label: 'A', values }] }).html);
      const lefts = await page.locator('td.v').evaluate((cell, parts) => {
        const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        const leftOf = (part: string) => {
          walker.currentNode = cell;
          for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            const at = node.textContent?.indexOf(part) ?? -1;
            if (at < 0) continue;
            const range = document.createRange();
            range.setStart(node, at);
            range.setEnd(node, at + part.length);
            return range.getBoundingClientRect().left;
          }
          throw new Error(`there is no ${part}`);
        };
        return parts.map(leftOf);
      }, parts.split(' '));
      expect(lefts).toEqual(lefts.toSorted((a, b) => a - b));
    }
  });
});
