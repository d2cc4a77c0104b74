/**
 * Sign-in links: opening the link proves that a person owns the address. A link works once, within 15
 * minutes, in the browser that asked for it.
 */
import { parseAddress } from '@form-relay/base/address';
import type { RelayRequest } from '@form-relay/core/http/request';
import type { OwnMailResult } from '@form-relay/visitor-mails/own_mail';
import type { Answer } from '../gate.ts';
import type { Outbox } from '../store/outbox.ts';
import { type Accounts, hashOf, linkMs, newSecret } from './accounts.ts';
import { type Identity, identityOfMail, linkFailures, lowerCase, type Refusal } from './identity.ts';
import { page, type Ways } from './pages.ts';
import type { cookiesOf } from './sessions.ts';

export const linkPath = '/sign-in/link';

export interface LinkContext {
  readonly accounts: Accounts;
  readonly outbox: Outbox | undefined;
  readonly url: () => URL;
  readonly cookies: () => ReturnType<typeof cookiesOf>;
  readonly ways: () => Ways;
  /** Whether somebody with this address may use the inbox. */
  readonly isKnown: (email: string) => boolean;
  /** How long to wait before the next request for an address; 0 if it is allowed. Counts as a request. */
  readonly waitMs: (email: string, request: RelayRequest) => number;
  /** Signs a person in, or refuses if the person was removed. */
  readonly enter: (identity: Identity, request: RelayRequest) => Promise<Answer>;
  readonly failed: (why: string) => void;
}

/** Maximum random delay of the mail: the answer's timing must not reveal whether the address is known. */
const mostDelayMs = 500;

export function createLinkSignIn(context: LinkContext) {
  const { accounts, outbox, url, cookies, ways, isKnown, waitMs, enter, failed } = context;
  const refuse = (failure: keyof typeof linkFailures): Answer => page(linkFailures[failure], ways());

  const ask = (given: string, request: RelayRequest): Answer => {
    const email = parseAddress(given.trim());
    if (email === undefined) return page(noAddress, ways());
    const wait = waitMs(lowerCase(email), request);
    if (wait > 0) return page(askedTooOften(email, Math.ceil(wait / 60_000)), ways());
    const browser = cookies().read('browser', request.headers.cookie) || newSecret();
    const send = async () => {
      if (!isKnown(email) || !outbox) return;
      const done = await mailLink({ accounts, outbox, url: url() }, email, { browser });
      if (done.state !== 'sent') failed(done.why);
    };
    setTimeout(() => {
      send().catch((error: Error) => failed(error.message));
    }, Math.random() * mostDelayMs).unref();
    return page(onItsWay(email), {}, [cookies().write('browser', browser, 4 * linkMs)]);
  };

  const use = (token: string, request: RelayRequest, email: string) => {
    accounts.useLink(token);
    return enter(identityOfMail(email), request);
  };

  return async (request: RelayRequest): Promise<Answer> => {
    const { method, query, headers, body } = request;
    const browser = cookies().read('browser', headers.cookie) ?? '';
    if (method === 'POST') {
      const given = new URLSearchParams(Buffer.from(body ?? []).toString());
      const token = given.get('token');
      if (token === null) return ask(given.get('email') ?? '', request);
      const { state, email } = accounts.lookAtLink(token, browser);
      return state === 'open' || state === 'unconfirmed' ? use(token, request, email) : refuse(state);
    }
    const token = new URLSearchParams(query).get('token') ?? '';
    const { state, email } = accounts.lookAtLink(token, browser);
    if (state === 'unconfirmed') return page(invitedAs(email, url().host), { invitation: token });
    if (state !== 'open') return refuse(state);
    // Only GET consumes the link: link scanners use HEAD.
    return method === 'GET' ? use(token, request, email) : page(onItsWay(email));
  };
}

interface Invitation {
  readonly by: string;
}

/** Mails a link: to the browser that asked, or as an invitation that any browser can open. */
export async function mailLink(
  { accounts, outbox, url }: { readonly accounts: Accounts; readonly outbox: Outbox; readonly url: URL },
  email: string,
  reason: Invitation | { readonly browser: string },
): Promise<OwnMailResult> {
  const token = accounts.makeLink(email, 'browser' in reason ? reason.browser : undefined);
  const link = new URL(`${linkPath}?token=${token}`, url).href;
  const { subject, text } = 'by' in reason ? invitation(link, url, reason.by) : signInMail(link, url);
  return outbox.send({ key: `link ${hashOf(token)}`, to: email, subject, text });
}

const signInMail = (link: string, { host }: URL) => ({
  subject: `Sign in to ${host}`,
  text: `Open this link within 15 minutes, in the browser in which you requested it:

${link}

The link works once. If you did not request it, ignore this mail.
`,
});

const invitation = (link: string, { host, href }: URL, by: string) => ({
  subject: `Your access to the inbox at ${host}`,
  text: `${by === 'you' ? 'The owner' : by} has given you access to the inbox at ${host}. Open this link within 15 minutes to sign in:

${link}

Later, open ${href} and enter your address to get a new link by mail.
`,
});

const onItsWay = (email: string): Refusal => ({
  status: 200,
  title: 'Check your mail',
  words: `If ${email} has access to this inbox, a link is on its way there. Open it in this browser within 15 minutes.`,
});

const noAddress: Refusal = {
  status: 400,
  words: 'This is not an e-mail address. Enter one such as ada@example.org.',
};

const askedTooOften = (email: string, minutes: number): Refusal => ({
  status: 429,
  title: 'Check your mail',
  words: `Several links were already requested for ${email}. Check your spam folder, or try again in ${minutes} min.`,
});

const invitedAs = (email: string, host: string): Refusal => ({
  status: 200,
  title: `Welcome to ${host}`,
  words: `Sign in as ${email} in this browser. Later, you get a new link by mail whenever you need one.`,
});
