import type { RelayResponse } from '../http.ts';

export const jsonAnswer = (status: number, body: object): RelayResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  body: JSON.stringify(body),
});
