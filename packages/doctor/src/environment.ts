import { writeNetwork } from '@form-relay/base/networks';
import { weaknessOf } from '@form-relay/base/weak_secret';
import type { Form } from '@form-relay/core/form';
import type { Environment } from '@form-relay/core/settings';
import { type Diagnosis, failure, ok, warning } from '@form-relay/mail-dns';
import type { PlacedTemplate } from '@form-relay/schema/diagnostics';
import { neededIn } from '@form-relay/schema/environment';
import { isMap } from '@form-relay/schema/kinds';
import { type SettingProblem, textsIn } from '@form-relay/schema/variables';
import { keyProblems } from '@form-relay/senders/keys/sender';
import { mailsOf } from '@form-relay/visitor-mails/mail';
import { formatPath } from '@form-relay/yaml/problem';
import type { Examine } from './examination.ts';
import {
  carrierOf,
  firstOf,
  formsOf,
  groupBy,
  outputsThrough,
  places,
  read,
  templatesOf,
} from './outputs.ts';
import type { Setup } from './setup.ts';

/** Malformed settings, settings that the config needs, and variables that templates name. */
export const examineEnvironment: Examine = async (setup, { env }) => {
  const forms = formsOf(setup);
  const { settings, settingProblems } = setup;
  return [
    ...settingProblems.map(malformed),
    ...tokenSecret(setup),
    ...keepSecret(setup, read(env, 'KEEP_SECRET')),
    ...receiptSecret(forms, textsIn(read(env, 'RECEIPT_SECRET'))),
    ...senderKeys(forms, env),
    ...publicUrl(forms, settings.publicUrl, settingProblems),
    ...gateSettings(setup),
    ...sender(setup),
    ...groupBy(await usesIn(setup), ({ name }) => name).map((used) => variable(used, env)),
  ];
};

const malformed = ({ name, expected }: SettingProblem): Diagnosis =>
  failure(name, expected, 'Correct or unset it: the relay does not start like this.');

const makeSecret = 'Set it to a long random text, the same for every copy of the relay: openssl rand -hex 32';

/** @param use The use of the secret, in words. */
function secretSet(name: string, secrets: readonly string[], use: string): Diagnosis {
  const weakness = secrets.map(weaknessOf).find(Boolean);
  return weakness === undefined ? ok(name, `set; ${use}`) : warning(name, weakness, makeSecret);
}

function tokenSecret(setup: Setup): readonly Diagnosis[] {
  const name = 'FORM_TOKEN_SECRET';
  const secret = setup.settings.formTokenSecret;
  const needs = setup.loaded ? neededIn(setup.loaded) : [];
  const paths = needs.filter((one) => one.name === name).map(({ path }) => path);
  if (paths.length === 0) return [];
  const ids = paths.flatMap(([top, id]) =>
    top === 'forms' ? [String(id)] : formsOf(setup).map((form) => form.id),
  );
  const users = [...new Set(ids)].map((id) => ({ id }));
  if (secret === '') {
    const keys = paths.map((path) => formatPath(path[0] === 'forms' ? path.slice(2) : path));
    const use = users.length > 1 ? 'use' : 'uses';
    const says = `not set; ${firstOf(users)} ${use} ${[...new Set(keys)].join(' or ')}, so every submission is answered 500`;
    return [failure(name, says, makeSecret)];
  }
  const signsTokens = formsOf(setup).some(
    ({ provided }) => provided.get('min_fill') ?? provided.get('proof'),
  );
  const use = `${signsTokens ? 'signs the tokens' : 'seals the links'} of ${firstOf(users)}`;
  return [secretSet(name, [secret], use)];
}

/** Without a secret, the store holds deliveries in clear: a folder only for the relay's user, a queue for all its readers. */
function keepSecret({ loaded }: Setup, secret: string): readonly Diagnosis[] {
  const name = 'KEEP_SECRET';
  const keep = loaded?.shared.get('keep');
  if (!keep) return [];
  if (secret === '') {
    return keep.in.type.isFolder
      ? []
      : [warning(name, `not set; what is kept lies in ${keep.in.name} as visitors sent it`, makeSecret)];
  }
  return [secretSet(name, [secret], `encrypts what is kept in ${keep.in.name}`)];
}

/** Forms without a secret deliver, but give no receipts. */
function receiptSecret(forms: readonly Form[], secrets: readonly string[]): readonly Diagnosis[] {
  const name = 'RECEIPT_SECRET';
  const [first] = forms.filter(({ provided }) => provided.get('receipt'));
  if (!first) return [];
  if (secrets.length === 0) return [failure(name, `not set; "${first.id}" gives no receipts`, makeSecret)];
  return [secretSet(name, secrets, `signs the receipts of "${first.id}"`)];
}

/** The keys of servers that send. The relay does not take one that is weak. */
function senderKeys(forms: readonly Form[], env: Environment): readonly Diagnosis[] {
  const needed = forms.flatMap(({ id, provided }) =>
    (provided.get('keys')?.names ?? []).map((name, index) => ({
      name,
      place: formatPath(['forms', id, 'keys_env', index]),
    })),
  );
  const names = [...new Set(needed.map(({ name }) => name))];
  const problems = keyProblems(names, (name) => read(env, name));
  return groupBy(needed, ({ name }) => name).map((used): Diagnosis => {
    const [{ name }] = used;
    if (read(env, name) === '')
      return failure(name, `not set; no server can send with it (${places(used)})`, makeKey);
    const says = problems.find((one) => one.name === name)?.reason;
    return says === undefined ? ok(name, `a key, for ${places(used)}`) : failure(name, says, makeKey);
  });
}

const makeKey = 'relay keys new prints one; the server that sends needs the same.';

/** Links in mails begin with this address, and a request must not choose it. */
function publicUrl(
  forms: readonly Form[],
  url: string | undefined,
  settingProblems: readonly SettingProblem[],
): readonly Diagnosis[] {
  const name = 'PUBLIC_URL';
  const [first] = forms.filter(({ provided }) => provided.get('double_opt_in'));
  if (!first || settingProblems.some((problem) => problem.name === name)) return [];
  return url === undefined
    ? [
        failure(
          name,
          `not set; "${first.id}" uses double_opt_in, so every submission is answered 500`,
          'Set it to the address at which visitors reach the relay, such as https://forms.example.com.',
        ),
      ]
    : [ok(name, url)];
}

function sender(setup: Setup): readonly Diagnosis[] {
  const name = 'MAIL_FROM_ADDRESS';
  const address = setup.settings.mailFromAddress;
  const outputs = outputsThrough(setup, 'ses').filter(({ target, output }) => !target.from && output);
  const toVisitors = formsOf(setup).flatMap((form) =>
    mailsOf(form).flatMap(([key, mail]) => {
      const carrier = mail.from === undefined ? carrierOf(mail, form) : undefined;
      return carrier?.protocol === 'ses' && carrier.from === undefined
        ? [{ place: formatPath(['forms', form.id, key]) }]
        : [];
    }),
  );
  const all = [...outputs, ...toVisitors];
  if (all.length === 0 || setup.settingProblems.some((problem) => problem.name === name)) return [];
  return address === undefined
    ? [
        failure(
          name,
          `not set; every mail of ${places(all)} fails without it`,
          'Set it to an address that is verified in Amazon SES, such as forms@example.com.',
        ),
      ]
    : [ok(name, address)];
}

interface Use {
  readonly name: string;
  readonly place: string;
  /** Whether a `default` replaces an empty value. */
  readonly hasDefault: boolean;
}

async function usesIn(setup: Setup): Promise<readonly Use[]> {
  const templates = await templatesOf(setup);
  const isOfOutput = ({ path }: PlacedTemplate) => path.includes('outputs') || path.includes('through');
  const inOrder = [...templates.filter((one) => !isOfOutput(one)), ...templates.filter(isOfOutput)];
  const uses = inOrder.flatMap(({ path, template }) =>
    [...template.envNames].map((name) => ({
      name,
      place: formatPath(path),
      hasDefault: !template.neededEnvNames.has(name),
    })),
  );
  const ofPlugins = (setup.loaded?.env ?? [])
    .filter(({ path: [top] }) => top === 'plugins')
    .map(({ name, path, isNeeded }) => ({ name, place: formatPath(path), hasDefault: !isNeeded }));
  return groupBy([...uses, ...ofPlugins], (use) => JSON.stringify(use)).map(([first]) => first);
}

function variable(used: readonly [Use, ...Use[]], env: Environment): Diagnosis {
  const [{ name }] = used;
  const value = read(env, name);
  if (value === '') {
    const bare = used.filter((use) => !use.hasDefault);
    return bare.length > 0
      ? failure(
          name,
          `not set; ${places(bare)} ${bare.length > 1 ? 'are' : 'is'} empty without it`,
          'Set it where the relay runs.',
        )
      : warning(
          name,
          `not set; ${places(used)} ${used.length > 1 ? 'fall back to their defaults' : 'falls back to its default'}`,
          'Set it, or leave it unset if the default is what you want.',
        );
  }
  if (value !== value.trim()) {
    const remedy =
      'Remove the white space unless it belongs there: a value that was read from a file often ends with a line end.';
    return warning(name, 'set; its value begins or ends with white space', remedy);
  }
  return ok(name, `set, for ${places(used)}`);
}

/** Which proxies are believed on who sends forms. The log says which origins cannot read answers. */
function gateSettings(setup: Setup): readonly Diagnosis[] {
  const isSound = !setup.settingProblems.some(({ name }) => name === 'TRUSTED_PROXIES');
  return isSound ? [...proxies(setup), ...inboxProxies(setup)] : [];
}

function proxies(setup: Setup): readonly Diagnosis[] {
  const { trustedProxies, proxyHeader, publicUrl } = setup.settings;
  const name = 'TRUSTED_PROXIES';
  const [first] = formsOf(setup).filter(({ provided }) => provided.get('rate_limit'));
  if (!first) return [];
  if (trustedProxies?.length === 0) return [ok(name, 'none; whoever connects is the client')];
  if (trustedProxies) {
    return [
      ok(name, `${trustedProxies.map(writeNetwork).join(', ')}; they name the client in ${proxyHeader}`),
    ];
  }
  // The relay itself speaks no TLS.
  if (!publicUrl?.startsWith('https:')) return [];
  return [
    warning(
      name,
      `not set; PUBLIC_URL is https, so something stands in front of the relay, and rate_limit of "${first.id}" counts nobody, or it alone`,
      'Set it to the networks of your proxies, such as 127.0.0.1 or 10.0.0.0/8. On AWS Lambda leave it: API Gateway says who sends.',
    ),
  ];
}

/** The inbox speaks no TLS either. */
const inboxProxies = ({ loaded, settings }: Setup): readonly Diagnosis[] =>
  isOnHttps(loaded?.shared) && !settings.trustedProxies
    ? [
        warning(
          'TRUSTED_PROXIES',
          'not set; inbox.url is https, so something stands in front of the inbox, and all who sign in share one limit',
          'Set it where the relay runs, to the networks of your proxies, such as 127.0.0.1 or 10.0.0.0/8.',
        ),
      ]
    : [];

/** The inbox tells of itself where its program is part of this installation. */
function isOnHttps(shared: { get(name: string): unknown } | undefined): boolean {
  const inbox = shared?.get('inbox');
  return isMap(inbox) && inbox.url instanceof URL && inbox.url.protocol === 'https:';
}
