import type { Html, RelayResponse } from '@form-relay/core/index';
import type { Framed } from './framed_page.ts';

export const answer = (
  type: string,
  body: Html | string,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): RelayResponse => ({
  status,
  headers: {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    ...headers,
  },
  body: String(body),
});

export const framed = ({ markup, policy }: Framed) =>
  answer('text/html', markup, { 'content-security-policy': policy });

const says = { 404: 'there is no such page', 405: 'use GET or POST' } as const;
export const nothing = (status: keyof typeof says) => answer('text/plain', says[status], {}, status);
