/** Any environment is settings, or an error that names each variable at fault and no other. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/fuzz.ts';
import { parseDuration } from '../../schema/src/duration.ts';
import { readSettings, SettingError } from '../src/settings.ts';

const piece = fc.constantFrom(
  '0',
  '1',
  '65535',
  '.',
  '-',
  'e3',
  ' ',
  ',',
  '*',
  'https://',
  'http://',
  'a.example',
  'bücher.example',
  ':8080',
  '/',
  '?',
  'null',
  'ftp:',
  '@',
  '<',
  '>',
  'Forms ',
  '30s',
  '\n',
  '\0',
  '[::1]',
  'A',
  '8080',
  'auto',
  'Pretty',
  'json',
  'warn',
  'eu-central-1',
);
const text = fc.oneof(
  fc.array(piece, { maxLength: 5 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 8 }),
);

const urlOf = (value: string) => {
  try {
    return new URL(value);
  } catch {
    return undefined;
  }
};
const isOrigin = (value: string) => {
  const url = urlOf(value);
  return url !== undefined && url.origin === value.toLowerCase();
};
const listOf = (value: string) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
const isWhole = (value: string, least: number, most = Number.MAX_SAFE_INTEGER) =>
  !/[^0-9]/.test(value) && BigInt(value) >= BigInt(least) && BigInt(value) <= BigInt(most);

/** Whether a variable may be set to a text that is not empty. */
const sound: Record<string, (value: string) => boolean> = {
  PORT: (value) => isWhole(value, 0, 65_535),
  THROTTLE_BURST_LIMIT: (value) => isWhole(value, 1),
  THROTTLE_RATE_LIMIT: (value) =>
    !/[^0-9.]/.test(value) &&
    /^[0-9]/.test(value) &&
    /[0-9]$/.test(value) &&
    value.split('.').length < 3 &&
    Number(value) > 0,
  CACHE_TTL: (value) => parseDuration(value).ok,
  ALLOWED_ORIGINS: (value) =>
    listOf(value).join() === '*' || (listOf(value).length > 0 && listOf(value).every(isOrigin)),
  PUBLIC_URL: (value) => {
    const url = urlOf(value);
    return (
      url !== undefined &&
      ['http:', 'https:'].includes(url.protocol) &&
      url.href === `${url.protocol}//${url.host}${url.pathname}` &&
      // None of the pieces makes two levels.
      !/\/\/|[^\w.~%/!$'()*+@:=-]/.test(url.pathname)
    );
  },
  CONFIG_FILE: () => true,
  FORM_TOKEN_SECRET: () => true,
  METRICS_PORT: (value) => isWhole(value, 0, 65_535),
  METRICS_HOST: () => true,
  REUSE_PORT: (value) => value === '0' || value === '1',
  LOG_LEVEL: (value) => ['info', 'warn', 'error'].includes(value.trim().toLowerCase()),
  CONFIG_BUCKET_REGION: (value) => !/[^a-z0-9-]/.test(value),
};
const names = Object.keys(sound);

test('each variable is read or named', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names, '__proto__', 'PATH'), text), (env) => {
      const wrong = names.filter(
        (name) => Object.hasOwn(env, name) && env[name] !== '' && !sound[name]?.(env[name] ?? ''),
      );
      // Metrics must not be open to those who may send forms.
      const port = wrong.includes('PORT') ? undefined : Number(env.PORT || 8080);
      if (
        !wrong.includes('METRICS_PORT') &&
        env.METRICS_PORT &&
        port !== 0 &&
        Number(env.METRICS_PORT) === port
      )
        wrong.push('METRICS_PORT');
      let settings: ReturnType<typeof readSettings> | undefined;
      try {
        settings = readSettings(env);
      } catch (error) {
        expect(error).toBeInstanceOf(SettingError);
        const named = [...(error as Error).message.matchAll(/^([A-Z_]+): \S/gm)].map(([, name]) => name);
        expect(named.sort()).toEqual(wrong.sort());
        return;
      }
      expect(wrong).toEqual([]);
      if (env.PORT) expect(settings.port).toBe(Number(env.PORT));
      if (env.PUBLIC_URL)
        expect(`${settings.publicUrl}/`).toBe(urlOf(env.PUBLIC_URL)?.href.replace(/\/*$/, '/'));
      if (settings.allowedOrigins !== '*') {
        expect([...settings.allowedOrigins]).toEqual([
          ...new Set(listOf(env.ALLOWED_ORIGINS ?? '').map((one) => one.toLowerCase())),
        ]);
      }
      expect(settings.formTokenSecret).toBe(
        Object.hasOwn(env, 'FORM_TOKEN_SECRET') ? env.FORM_TOKEN_SECRET : '',
      );
    }),
    runs(200),
  );
});

test('a sender is an address, with or without a name before it', () => {
  const local = fc.stringMatching(/^[a-z0-9!#$%&'*+/=?^_`{|}~][a-z0-9!#$%&'*+/=?^_`{|}~-]{0,9}$/);
  const named = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => !/[<>\p{Cc}]/u.test(text));
  fc.assert(
    fc.property(local, named, text, (local, name, other) => {
      const address = `${local}@a.example`;
      for (const value of [address, `${name}<${address}>`]) {
        expect(readSettings({ MAIL_FROM_ADDRESS: value }).mailFromAddress).toBe(value);
      }
      for (const value of [
        `${address}\n`,
        `<${address}> `,
        `${name}<${other}${address}>>`,
        `${address},${address}`,
      ]) {
        expect(() => readSettings({ MAIL_FROM_ADDRESS: value })).toThrow(/^MAIL_FROM_ADDRESS: /);
      }
    }),
    runs(50),
  );
});

test('how much memory bodies may take is a number of bytes, or a size', () => {
  const budgetOf = (UPLOAD_BUDGET: string) => readSettings({ UPLOAD_BUDGET }).uploadBudget;
  expect([budgetOf('128MB'), budgetOf('65536'), budgetOf('')]).toEqual([134_217_728, 65_536, 67_108_864]);
  for (const wrong of ['65535', '64mb', '64']) {
    expect(() => budgetOf(wrong)).toThrow(
      'UPLOAD_BUDGET: expected a size of at least 65536 bytes, which is one body, such as 64MB',
    );
  }
});
