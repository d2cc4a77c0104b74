import { describe, expect, test } from 'vitest';
import { openCounterStore as openCounts } from '../../capacity/src/counters/place.ts';
import { ownAws } from '../../clients/src/aws/account.ts';
import {
  newsletterConfig,
  openNewsletter,
  postmark,
  postmarkBounce,
  secrets,
} from '../../visitor-mails/test/bounces/stage.ts';
import { examineBounces } from '../src/bounces.ts';
import { diagnose } from './stage.ts';

const stores = { env: () => undefined, aws: async () => ownAws(() => undefined, Date.now), now: Date.now };

const lookAt = (config: string, env: Record<string, string>) =>
  diagnose(examineBounces, config, { env, openCounts: (place) => openCounts(place, stores) });

describe('mails that come back', () => {
  test('a config without bounces has nothing to look at', async () => {
    const { folder } = await openNewsletter();
    const config = newsletterConfig(25, folder).replace(/bounces:\n( .*\n)+/, '');
    expect(await lookAt(config, secrets)).toEqual([]);
  });

  test('each address for providers is tried without a signature', async () => {
    const relay = await openNewsletter();
    const PUBLIC_URL = relay.origin;
    const found = await lookAt(newsletterConfig(25, relay.folder), { ...secrets, PUBLIC_URL });
    const at = (name: string) => `${relay.origin}/api/v1/mail-events/${name}`;
    for (const name of ['ses', 'postmark', 'mailgun', 'sendgrid', 'resend'])
      expect(found.join('\n')).toContain(`ok ${at(name)}: answers, and refuses an event without a signature`);
    expect(relay.logged.some(({ level }) => level === 'error')).toBe(false);
    const others = await lookAt(newsletterConfig(25, relay.folder), {
      ...secrets,
      PUBLIC_URL,
      POSTMARK_PASSWORD: 'another-one',
    });
    expect(others.join('\n')).toContain('warning POSTMARK_PASSWORD: has 11 characters, which can be guessed');
  });

  test('a relay that has another config, and variables that are not set, fail', async () => {
    const relay = await openNewsletter({ bounces: '\n  postmark: {password_env: POSTMARK_PASSWORD}' });
    const { RESEND_SECRET: _, ...env } = secrets;
    const found = (
      await lookAt(newsletterConfig(25, relay.folder), { ...env, PUBLIC_URL: relay.origin })
    ).join('\n');
    expect(found).toContain('failure RESEND_SECRET: not set; bounces.resend.secret_env needs it');
    expect(found).toContain('/mail-events/mailgun: is not there');
  });

  test('an address of the owner that takes no mail fails, until it is unblocked', async () => {
    const relay = await openNewsletter();
    await relay.post(
      'postmark',
      postmark(postmarkBounce('office@seeds.example', { Details: '550 5.1.1 unknown' })),
    );
    const found = await lookAt(newsletterConfig(25, relay.folder), secrets);
    expect(found.join('\n')).toMatch(
      /failure office@seeds\.example: a mail to it came back \(5\.1\.1\) on \d{4}-\d\d-\d\d: submissions may go nowhere/,
    );
  });
});
