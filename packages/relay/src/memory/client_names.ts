import { createHmac } from 'node:crypto';

/**
 * Names a client for the log, so that its owner sees what one client did in a day, and cannot follow it from day to day:
 * 12 hexadecimal digits of an HMAC under a key of the day (UTC). Whoever has the secret could try all addresses.
 *
 * @param secret Where copies of the relay share one, they give the same names.
 */
export const createClientNames =
  (now: () => number, secret: string) =>
  (client: string): string => {
    const day = new Date(now()).toISOString().slice(0, 10);
    const key = createHmac('sha256', secret).update(`form-relay client\0${day}`).digest();
    return createHmac('sha256', key).update(client).digest('hex').slice(0, 12);
  };
