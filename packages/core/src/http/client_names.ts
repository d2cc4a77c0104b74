import type { Submission } from '../submission.ts';

/**
 * Names a client for the log, so that the owner sees what one client did in a day, but can't follow it from day to day: 12
 * hexadecimal digits of an HMAC under a key of the day (UTC). The owner of the secret could still try all addresses. Copies of
 * the relay with the same FORM_TOKEN_SECRET give the same names.
 */
export function clientNames(): (client: string, about: Pick<Submission, 'services' | 'settings'>) => string {
  const { createHmac } = process.getBuiltinModule('node:crypto');
  let today: { readonly number: number; readonly key: Buffer } | undefined;
  let secret: string | undefined;
  return (client, { services, settings }) => {
    secret ??= settings.formTokenSecret || `${services.uuid()}${services.uuid()}`;
    const number = Math.floor(services.now() / dayMs);
    if (today?.number !== number) {
      const day = new Date(number * dayMs).toISOString().slice(0, 10);
      today = { number, key: createHmac('sha256', secret).update(`form-relay client\0${day}`).digest() };
    }
    return createHmac('sha256', today.key).update(client).digest('hex').slice(0, 12);
  };
}

const dayMs = 86_400_000;
