import { describe, expect, test } from 'vitest';
import { decodeMail, decodeWords } from '../support/mail.ts';
import { openShop } from './stage.ts';

describe('whoever filled in the form gets a mail once it was delivered', () => {
  test('from the owner, in the owner’s words, with no way back for machines', async () => {
    const shop = await openShop();
    expect((await shop.order()).status).toBe(200);
    expect(shop.confirmations).toHaveLength(1);
    const [mail] = shop.confirmations;
    expect(mail?.envelope).toEqual({ from: '', to: ['ada@visitor.example'] });
    const { headers, text } = decodeMail(mail?.raw ?? '');
    expect(text).toBe('Thank you. We pack it tomorrow.\n');
    const head = Object.fromEntries(headers);
    expect(head).toMatchObject({
      From: 'Seeds <shop@seeds.example>',
      To: 'ada@visitor.example',
      'Auto-Submitted': 'auto-replied',
      'MIME-Version': '1.0',
    });
    expect(decodeWords(head.Subject ?? '')).toBe('Your small parcel');
    const [submission] = shop.logged.filter(({ event }) => event === 'submission');
    expect(head['Message-ID']).toBe(`<${submission?.request_id}-confirmation@seeds.example>`);
  });

  test('and the log says so without the address', async () => {
    const shop = await openShop();
    await shop.order();
    expect(shop.logged).toContainEqual(
      expect.objectContaining({ level: 'info', event: 'confirmation_mail_sent', form: 'order', tries: 1 }),
    );
    expect(JSON.stringify(shop.logged)).not.toContain('visitor.example');
  });
});
