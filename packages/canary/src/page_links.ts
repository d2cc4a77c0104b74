/** The owner's page as a link of the chain: it is there, holds the form, and leads to this relay. */
import { ClientError, fail } from '@form-relay/base/client_error';
import { formSegments, parseUrl } from '@form-relay/base/url';
import { version } from '@form-relay/base/version';
import type { Form, Services } from '@form-relay/core/index';
import { checkPage, decodePage } from '@form-relay/page/check/check_page';
import { readToken } from '@form-relay/spam/form_token';
import type { Chain, Link } from './chain.ts';

const timeoutMs = 10_000;
const mostBytes = 2_097_152;
const mostRedirects = 3;

/** Tests the page, and the relay at the address that the form in it has. */
export async function provePage(form: Form, page: URL, chain: Chain): Promise<readonly Link[]> {
  const { services } = form;
  const tried = async <T>(link: string, target: string, work: () => Promise<T>) => {
    const startedAt = services.now();
    const about = (result: Link['result'], says: string): Link => ({
      ...{ link, target, result, says },
      ms: services.now() - startedAt,
    });
    try {
      return { value: await work(), about: about('passed', '') };
    } catch (error) {
      return { about: about('failed', error instanceof ClientError ? error.message : 'internal error') };
    }
  };
  const shown = page.origin + page.pathname;
  const { value: address, about } = await tried('page', shown, () => addressIn(page, form, chain));
  if (!address) return [about];
  const relay = await tried('relay', address.origin, () => askRelay(address, form, chain));
  return [about, relay.about];
}

/** The address of the relay in a page that fits the form. Throws a `ClientError` that says what does not fit. */
async function addressIn(page: URL, form: Form, { formIds }: Chain): Promise<URL> {
  const { body, from } = await get(page, form.services);
  const decoded = decodePage(body);
  if (!decoded.ok) throw fail(decoded.error);
  const { text, encoding } = decoded.value;
  const subject = { config: form, formIds, baseUrl: undefined, encoding };
  const { problems, address } = await checkPage(text, page.pathname, subject);
  const wrong = problems.find(({ severity }) => severity === 'error');
  if (wrong) throw fail(`line ${wrong.line}: ${wrong.message} (relay check lists all problems)`);
  const url = parseUrl(address ?? '', from);
  if (!url) throw fail('the page contains no address of the relay');
  return url;
}

/** Asks for a token as the page's visitors do. Throws a `ClientError` unless this relay answers. */
async function askRelay(address: URL, form: Form, { settings }: Chain): Promise<void> {
  const token = form.provided.get('form_token');
  const route = token ? 'token' : 'form';
  const url = new URL(address);
  url.pathname = url.pathname.replace(
    /(?:\/api\/v1\/(?:submit|form)|\/f)((?:\/[^/]+){1,2})$/,
    `/api/v1/${route}$1`,
  );
  url.search = '';
  const { body } = await get(url, form.services);
  const [, value = ''] = (token && /\bvalue="([^"]+)"/.exec(body.toString())) ?? [];
  const isOurs = token
    ? readToken(settings.formTokenSecret, form.id, value)
    : body.includes(`/api/v1/submit/${formSegments(form.id)}`);
  if (!isOurs) throw fail('another server answered, or a relay with another config or FORM_TOKEN_SECRET');
}

/** Gets a page of at most 2 MB. Follows redirects on the same host alone: anything else is not what the owner named. */
async function get(url: URL, services: Services): Promise<{ readonly body: Buffer; readonly from: URL }> {
  const { http } = await services.aws();
  const deadline = services.now() + timeoutMs;
  let from = url;
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const answer = await http({
      method: 'GET',
      url: from,
      headers: { 'user-agent': `form-relay/${version} (canary)`, accept: 'text/html' },
      body: '',
      timeoutMs: Math.max(1, deadline - services.now()),
      limitBytes: mostBytes,
    });
    const { status, headers, body, isCut } = answer;
    const next = status >= 300 && status < 400 ? parseUrl(headers.location ?? '', from) : undefined;
    if (!next) {
      if (status !== 200) throw fail(`the server answered ${status}`);
      if (isCut) throw fail('the page is larger than 2 MB');
      return { body, from };
    }
    if (next.hostname !== url.hostname)
      throw fail(`the server redirects to ${next.origin}; if that is right, use that address`);
    from = next;
  }
  throw fail(`the server redirected more than ${mostRedirects} times`);
}
