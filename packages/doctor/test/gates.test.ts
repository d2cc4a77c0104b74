import { expect, test } from 'vitest';
import { examineEnvironment } from '../src/environment.ts';
import { diagnose, formWith } from './stage.ts';

const post = '[{type: http_post, url: "https://a.example/", mapping: "*"}]';
const limited = formWith(post, 'rate_limit: 5 per 10m');
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
