import { expect, test } from 'vitest';
import { examineEnvironment } from '../../packages/cli/src/doctor/environment.ts';
import { relayWith } from '../spec/stage.ts';
import { diagnose, formWith } from './stage.ts';

const post = '[{type: http_post, url: "https://a.example/", mapping: "*"}]';
const limited = formWith(post, 'rate_limit: 5 per 10m');
const closed = formWith(post, 'origins: [https://example.com, "https://*.example.org"]');
const https = { PUBLIC_URL: 'https://forms.example.com' };

test.each<[string, string, Record<string, string>, readonly RegExp[]]>([
  ['a form that counts nobody', formWith(post), https, []],
  ['a relay that nothing stands in front of, as far as anybody knows', limited, {}, []],
  [
    'proxies with a name',
    limited,
    { ...https, TRUSTED_PROXIES: '10.0.0.0/8, 127.0.0.1' },
    [/^ok TRUSTED_PROXIES: 10\.0\.0\.0\/8, 127\.0\.0\.1\/32; they name the client in x-forwarded-for/],
  ],
  ['nobody in front', limited, { TRUSTED_PROXIES: 'none' }, [/^ok TRUSTED_PROXIES: none; whoever connects/]],
])('the doctor on %s', async (_, config, env, expected) => {
  const lines = await diagnose(examineEnvironment, config, { env });
  expect(lines).toHaveLength(expected.length);
  for (const [index, line] of lines.entries()) expect(line).toMatch(expected[index] as RegExp);
});

test('the log names an origin that cannot read answers when the config is loaded', async () => {
  const { get, logged } = await relayWith({ config: closed, env: { ALLOWED_ORIGINS: 'https://a.example' } });
  await get('/readyz');
  expect(logged.filter(({ event }) => event === 'origins_unreadable')).toMatchObject([
    {
      level: 'warn',
      reason:
        'forms.contact.origins[0]: scripts of https://example.com may send the form, and not read the answer: ALLOWED_ORIGINS lacks it',
    },
  ]);
});
