/** Routes of the page *People*: who may use the inbox, their sessions, and API keys. */
import { parseAddress } from '@form-relay/base/address';
import type { ActionDone, PeopleView, PersonRight, PersonView } from '../api.ts';
import type { Audited, Person } from '../gate.ts';
import { noCarrier } from '../store/outbox.ts';
import { type Identity, lowerCase } from '../team/identity.ts';
import { mailLink } from '../team/link_sign_in.ts';
import { type Answer, json, type Request, refuse } from './answer.ts';
import type { InboxOptions } from './options.ts';
import type { Body } from './routes.ts';

const rights: readonly PersonRight[] = ['read', 'act', 'erase', 'manage'];
const mostForms = 1_000;
const mostName = 100;
const dayMs = 86_400_000;

export async function answerPeople(
  options: InboxOptions,
  { person, request, body }: { readonly person: Person; readonly request: Request; readonly body: Body },
): Promise<Answer> {
  const { access, audit } = options;
  if (!access)
    return refuse(404, `this inbox cannot keep people: ${options.whyNoStore ?? 'it has no store'}`);
  const { accounts, sessions, now } = access;
  const isMine = ({ subject }: Identity) => subject === person.subject;
  const isOf = (email: string) => (identity: Identity) => lowerCase(identity.email ?? '') === email;
  const record = async (what: Audited, whom: string, count?: number) =>
    audit?.(person, what, { whom, count });
  const done = (words: string, isDone = true) => json({ isDone, words } satisfies ActionDone);
  const what = `${request.method} ${request.path}`;
  const email = lowerCase(parseAddress(typeof body.email === 'string' ? body.email.trim() : '') ?? '');

  if (what === 'GET /api/people') {
    const view = person.mayManage ? viewOf(options) : { people: [], keys: [] };
    return json({ ...view, mine: sessions.of(isMine, access.secretOf?.(request)) } satisfies PeopleView);
  }
  const endSessions = async (whom: string, isTheirs: (identity: Identity) => boolean) => {
    await record('sessions_ended', whom);
    const ended = sessions.endOf(isTheirs, typeof body.id === 'string' ? body.id : undefined);
    accounts.lost();
    return done(ended === 1 ? '1 session ended.' : `Ended ${ended} sessions.`);
  };
  if (what === 'POST /api/sessions/end' && body.email === undefined) return endSessions(person.name, isMine);
  if (!person.mayManage) return refuse(403, 'you may not manage people in this inbox');
  switch (what) {
    case 'POST /api/people': {
      if (!email) return refuse(400, 'email must be an address, such as ada@example.org');
      const may = rightsIn(body.may);
      const forms = formsIn(body.forms);
      const { name = '' } = body;
      if (!may || forms === 'wrong' || typeof name !== 'string' || name.length > mostName)
        return refuse(
          400,
          'may must be a list of read, act, erase and manage; forms must be a list of names',
        );
      if (!may.includes('manage') && isLastManager(options, person, email)) return lastManager;
      const before = accounts.find(email);
      await record(before ? 'person_changed' : 'invited', email);
      const own = may.includes('manage') ? undefined : forms;
      accounts.put({
        ...{ email, name: name.trim(), may, forms: own },
        ...{ at: before?.at ?? now(), by: before?.by ?? person.name },
      });
      return before ? done(`Changed what ${email} may do.`) : invite(options, person, email);
    }
    case 'POST /api/people/invite':
      if (!accounts.find(email)) return notKnown;
      await record('invited', email);
      return invite(options, person, email);
    case 'POST /api/people/remove': {
      if (!accounts.find(email)) return notKnown;
      if (isLastManager(options, person, email)) return lastManager;
      await record('person_removed', email);
      accounts.remove(email);
      sessions.endOf((identity) => isOf(email)(identity) && !isInConfig(options, email));
      accounts.lost();
      return done(`${email} no longer has access to this inbox.`);
    }
    case 'POST /api/sessions/end':
      return endSessions(email, isOf(email));
    case 'POST /api/keys': {
      const { name, days } = body;
      const forms = formsIn(body.forms);
      if (typeof name !== 'string' || name.trim() === '' || name.length > mostName || forms === 'wrong')
        return refuse(400, `name must be text of at most ${mostName} characters, and forms a list of names`);
      if (days !== undefined && !(Number.isInteger(days) && Number(days) >= 1 && Number(days) <= 3_650))
        return refuse(400, 'days must be a number of at most 3650');
      await record('key_made', name.trim());
      const until = days === undefined ? undefined : now() + Number(days) * dayMs;
      return json({ key: accounts.makeKey({ name: name.trim(), forms, madeBy: person.name, until }) });
    }
    case 'POST /api/keys/revoke': {
      const key = accounts.keys().find(({ id }) => id === body.id);
      if (!key) return refuse(404, 'unknown key');
      await record('key_revoked', key.name);
      accounts.revoke(key.id);
      return done(`The key “${key.name}” is revoked.`);
    }
    default:
      return refuse(404, 'not found');
  }
}

const notKnown = refuse(404, 'this address has no invitation');
const lastManager = refuse(409, 'the inbox needs at least one manager; make another person a manager first');

function viewOf(options: InboxOptions): Pick<PeopleView, 'people' | 'keys' | 'url' | 'why'> {
  const { access, outbox } = options;
  const settings = access?.settings();
  const sessionsOf = (email = '') =>
    access?.sessions.of((identity) => lowerCase(identity.email ?? '') === lowerCase(email)) ?? [];
  const named: readonly PersonView[] = (settings?.people ?? []).map(({ email, group, may, forms }) => ({
    ...{ email, group, may, forms, isFromConfig: true },
    sessions: email === undefined ? [] : sessionsOf(email),
  }));
  const invited: readonly PersonView[] = (access?.accounts.people() ?? []).map((one) => ({
    ...{ ...one, isFromConfig: false },
    sessions: sessionsOf(one.email),
  }));
  const why = settings ? (outbox?.carrier() ? undefined : noCarrier) : noUrl;
  return {
    people: [...named, ...invited],
    keys: access?.accounts.keys() ?? [],
    url: settings?.url.href,
    why,
  };
}

const noUrl =
  'the config has no address for the inbox; add inbox: {url: https://inbox.example.org}, and run relay serve';

const isInConfig = ({ access }: InboxOptions, email: string) =>
  access?.settings()?.people?.some((one) => one.email && lowerCase(one.email) === email) ?? false;

/** Whether nobody else could manage the inbox. The owner of the machine can always invite a manager again. */
function isLastManager({ access }: InboxOptions, person: Person, email: string): boolean {
  const manages = ({ may }: { readonly may: readonly PersonRight[] }) => may.includes('manage');
  const own = access?.accounts.find(email);
  if (person.subject === undefined || !own || !manages(own)) return false;
  const others = access?.accounts.people().filter((one) => one.email !== own.email) ?? [];
  return ![...others, ...(access?.settings()?.people ?? [])].some(manages);
}

async function invite(
  { access, outbox }: InboxOptions,
  { name: by }: Person,
  email: string,
): Promise<Answer> {
  const url = access?.settings()?.url;
  const mailed =
    access && outbox && url
      ? await mailLink({ accounts: access.accounts, outbox, url }, email, { by })
      : { state: 'failed' as const, why: noUrl };
  const isDone = mailed.state === 'sent';
  const words = isDone
    ? `A link is on its way to ${email}.`
    : `${email} can sign in, but no mail was sent: ${mailed.why}.`;
  return json({ isDone, words } satisfies ActionDone);
}

const rightsIn = (given: unknown): readonly PersonRight[] | undefined => {
  const known = Array.isArray(given) ? rights.filter((right) => given.includes(right)) : [];
  const mayEnter = known.includes('read') || known.includes('manage');
  return mayEnter && known.length === (given as readonly unknown[]).length ? known : undefined;
};

const formsIn = (given: unknown): readonly string[] | undefined | 'wrong' => {
  if (given === undefined) return undefined;
  const isList =
    Array.isArray(given) &&
    given.length <= mostForms &&
    given.every((one) => typeof one === 'string' && one.length <= 300);
  return isList && given.length > 0 ? given : 'wrong';
};
