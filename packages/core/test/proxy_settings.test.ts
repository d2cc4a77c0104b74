import { expect, test } from 'vitest';
import { readSettings, SettingError } from '../src/settings.ts';

const expected = (env: Record<string, string>): string => {
  try {
    readSettings(env);
    return 'fine';
  } catch (error) {
    return error instanceof SettingError ? error.message : String(error);
  }
};

test.each([
  ['127.0.0.1', 'fine'],
  [' 10.0.0.0/8, ::1 ,2001:db8::/32,', 'fine'],
  ['none', 'fine'],
  ['nginx', 'TRUSTED_PROXIES: "nginx" is no address and no network; write such as 10.0.0.1 or 10.0.0.0/8'],
  [
    '10.0.0.0/33',
    'TRUSTED_PROXIES: "10.0.0.0/33" is no address and no network; write such as 10.0.0.1 or 10.0.0.0/8',
  ],
  [
    '10.0.0.1/8',
    'TRUSTED_PROXIES: "10.0.0.1/8" is one address of 10.0.0.0/8; write the network, or the address without /8',
  ],
  [
    '0.0.0.0/0',
    'TRUSTED_PROXIES: "0.0.0.0/0" is everybody, and then anybody could say to be anybody; name the proxies alone',
  ],
  [
    '127.0.0.1, ::/0',
    'TRUSTED_PROXIES: "::/0" is everybody, and then anybody could say to be anybody; name the proxies alone',
  ],
  [',', 'TRUSTED_PROXIES: no address in it; unset it, or write such as 127.0.0.1,10.0.0.0/8, or none'],
])('TRUSTED_PROXIES=%s', (value, says) => {
  expect(expected({ TRUSTED_PROXIES: value })).toBe(says);
});

test.each([
  ['X-Forwarded-For', 'fine'],
  ['forwarded', 'fine'],
  ['x-real-ip', 'PROXY_HEADER: expected x-forwarded-for or forwarded'],
  ['x-forwarded-for,forwarded', 'PROXY_HEADER: expected x-forwarded-for or forwarded'],
])('PROXY_HEADER=%s', (value, says) => {
  expect(expected({ PROXY_HEADER: value })).toBe(says);
});

test('no header is believed unless the owner says so', () => {
  expect(readSettings({})).toMatchObject({ trustedProxies: undefined, proxyHeader: 'x-forwarded-for' });
  expect(readSettings({ TRUSTED_PROXIES: 'none' }).trustedProxies).toEqual([]);
});
