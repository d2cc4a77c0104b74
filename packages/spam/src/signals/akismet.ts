import type { Field, HttpAnswer } from '@form-relay/core/index';
import { firstValue, httpUrl, optional, secretVariable, version, withoutEmpty } from '@form-relay/core/kit';
import { failed } from '../failures.ts';
import { askService, bodyOf, emailIn, noVerdictIn, publicAddress } from './service.ts';
import { type Found, type ServiceWorld, signal } from './signal.ts';

const defaultKey = 'AKISMET_KEY';
const defaultUrl = new URL('https://rest.akismet.com/1.1/');

/** The share of its weight if Akismet says spam, but is not sure enough to discard it. */
const usual = 0.8;

interface Keys {
  readonly key_env?: string | undefined;
  readonly site?: URL | undefined;
  readonly url?: URL | undefined;
}

export const akismet = signal({
  name: 'akismet',
  summary:
    'Asks Akismet about what was typed in fields for text, the name, the mail address, and the sender’s IP address and browser. Needs a key.',
  weight: 5,
  isDefault: false,
  keys: {
    key_env: optional(
      `The environment variable that holds the key. Default: \`${defaultKey}\`.`,
      secretVariable(),
    ),
    site: optional('The front page of the site that the key is for. Default: PUBLIC_URL.', httpUrl()),
    url: optional('Another address of the service. Default: `https://rest.akismet.com/1.1/`.', httpUrl()),
  },
  service: (keys: Keys) => ({
    host: hostOf(keys),
    needs: [keys.key_env ?? defaultKey, ...(keys.site ? [] : ['PUBLIC_URL'])],
    probe: async (world, timeoutMs) => {
      const { key, blog } = accountOf(keys, world);
      const body = bodyOf(await world.services.http(post(keys, 'verify-key', { key, blog }, timeoutMs)));
      if (body.trim() !== 'valid') throw failed('service_key_refused');
    },
  }),
  look: (keys: Keys) => (seen, world) => {
    const { fields, values, headers, languages } = seen;
    const address = publicAddress(seen);
    if (address === undefined) return { silent: 'it needs the sender’s address, which nobody knows' };
    const name = fields.find(isName);
    const link = fields.find(({ type }) => type === 'url');
    const comment: Readonly<Record<string, string | undefined>> = {
      comment_type: 'contact-form',
      user_ip: address,
      user_agent: headers?.['user-agent'],
      referrer: headers?.referer,
      comment_author: name && firstValue(values, name.name),
      comment_author_email: emailIn(seen),
      comment_author_url: link && firstValue(values, link.name),
      comment_content: fields
        .filter((field) => isText.has(field.type) && field !== name && field !== link)
        .flatMap((field) => withoutEmpty(values.get(field.name) ?? []))
        .join('\n'),
      blog_lang: languages.join(', ').replaceAll('-', '_').toLowerCase(),
      blog_charset: 'UTF-8',
    };
    const request = (timeoutMs: number) => {
      const { key, blog } = accountOf(keys, world);
      return post(keys, 'comment-check', { api_key: key, blog, ...comment }, timeoutMs);
    };
    const asked = { signal: 'akismet', host: hostOf(keys), about: comment, request, verdict: verdictOf };
    return askService(asked, seen, world);
  },
});

/** Akismet needs no phone number, no day of birth and no choice. */
const isText: ReadonlySet<string> = new Set(['text', 'textarea', 'url']);

const isName = ({ name, type, autocomplete }: Field) =>
  type === 'text' && (autocomplete === undefined ? name === 'name' : autocomplete === 'name');

const hostOf = ({ url = defaultUrl }: Keys): string => url.host;

function accountOf({ key_env: name = defaultKey, site }: Keys, { settings, services }: ServiceWorld) {
  const blog = site?.href ?? settings.publicUrl;
  if (blog === undefined) throw failed('service_site_unset');
  const key = services.env(name)?.trim();
  if (!key) throw failed('service_key_unset', { name });
  return { key, blog };
}

function post(
  { url = defaultUrl }: Keys,
  method: 'comment-check' | 'verify-key',
  parameters: Readonly<Record<string, string | undefined>>,
  timeoutMs: number,
) {
  const asked = new URL(url);
  asked.pathname = `${asked.pathname.replace(/\/$/, '')}/${method}`;
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value) body.set(name, value);
  return {
    url: asked,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      // As Akismet asks for: the program, and what speaks to Akismet.
      'user-agent': `Form Relay/${version} | Akismet/${version}`,
    },
    body: body.toString(),
    timeoutMs,
  };
}

/** The body is `true` for spam, `false` for what is none, and else says what is wrong with the question. */
function verdictOf(answer: HttpAnswer): Found | undefined {
  const said = bodyOf(answer).trim();
  if (said === 'false') return undefined;
  if (said === 'invalid') throw failed('service_key_refused');
  if (said !== 'true') throw noVerdictIn(answer);
  return answer.headers['x-akismet-pro-tip'] === 'discard'
    ? { strength: 1, why: 'spam, without a doubt' }
    : { strength: usual, why: 'spam' };
}
