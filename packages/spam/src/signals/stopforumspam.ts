import { createHash } from 'node:crypto';
import type { HttpAnswer } from '@form-relay/core/index';
import { httpUrl, isMap, optional, parseJson } from '@form-relay/core/kit';
import { failed } from '../failures.ts';
import { askService, bodyOf, emailIn, noVerdictIn, publicAddress } from './service.ts';
import { type Found, signal } from './signal.ts';

const defaultUrl = new URL('https://api.stopforumspam.org/api');

/** Less than that is one report of an address that many people share. */
const leastConfidence = 25;

export const stopforumspam = signal({
  name: 'stopforumspam',
  summary:
    'Asks StopForumSpam whether the sender’s IP address, or the MD5 of their mail address, was reported for spam elsewhere.',
  weight: 4,
  isDefault: false,
  keys: {
    url: optional(
      'Another address of the service, such as that in Europe. Default: `https://api.stopforumspam.org/api`.',
      httpUrl(),
    ),
  },
  service: ({ url = defaultUrl }) => ({
    host: url.host,
    needs: [],
    // An address that is for documentation alone (RFC 5737).
    probe: async ({ services }, timeoutMs) => {
      verdictOf(await services.http(question(url, { ip: '192.0.2.1' }, timeoutMs)));
    },
  }),
  look:
    ({ url = defaultUrl }) =>
    (seen, world) => {
      const ip = publicAddress(seen);
      const email = emailIn(seen);
      const emailhash = email === undefined ? undefined : md5Of(email.toLowerCase());
      if (ip === undefined && emailhash === undefined) return undefined;
      const about = { ...(ip !== undefined && { ip }), ...(emailhash !== undefined && { emailhash }) };
      const request = (timeoutMs: number) => question(url, about, timeoutMs);
      const asked = { signal: 'stopforumspam', host: url.host, about, request, verdict: verdictOf };
      return askService(asked, seen, world);
    },
});

/** `undefined` where MD5 is forbidden, as under FIPS: the service knows no other hash. */
function md5Of(text: string): string | undefined {
  try {
    return createHash('md5').update(text).digest('hex');
  } catch {
    return undefined;
  }
}

function question(url: URL, about: Readonly<Record<string, string>>, timeoutMs: number) {
  const asked = new URL(url);
  for (const [name, value] of Object.entries({ json: '1', confidence: '1', ...about })) {
    asked.searchParams.set(name, value);
  }
  return { method: 'GET', url: asked, headers: {}, body: '', timeoutMs } as const;
}

/** `{"success": 1, "ip": {"appears": 1, "frequency": 9, "confidence": 92.5}, …}`: a part for each that was asked. */
function verdictOf(answer: HttpAnswer): Found | undefined {
  const json = parseJson(bodyOf(answer));
  if (!isMap(json)) throw noVerdictIn(answer);
  const { success, ...parts } = json;
  if (numberIn(success) !== 1) throw failed('service_without_verdict');
  const confidences = Object.values(parts).map((part) =>
    isMap(part) && numberIn(part.appears) === 1 ? (numberIn(part.confidence) ?? 0) : 0,
  );
  const confidence = Math.min(100, Math.max(0, ...confidences));
  return confidence >= leastConfidence
    ? {
        strength: confidence / 100,
        why: `reported for spam, with a confidence of ${Math.round(confidence)} %`,
      }
    : undefined;
}

/** A number, or one in quotes; `undefined` for anything else. */
function numberIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
