/** The environment variables that a config needs. It loads without them, but its forms fail. */
import type { Effects } from '../base/effects.ts';
import { bounceParts } from '../features/bounces/bounces.ts';
import { needsOf, templatesOfFeatures } from '../features/index.ts';
import { weaknessOfKey } from '../features/keys/key_rules.ts';
import { everyOutput } from '../features/visitor_mails/form_mails.ts';
import { type Form, pathOf } from '../form.ts';
import { looksLikeSecretArn } from '../schema/settings/kinds.ts';
import type { Settings } from '../schema/settings/settings.ts';
import type { Template } from '../schema/template/render.ts';
import type { Config } from './parse.ts';
import { formatPath } from './problem.ts';

/** A variable that a form requires. */
interface NeededVariable {
  readonly name: string;
  /** The requiring key, such as `forms.contact.outputs[0].password`. */
  readonly place: string;
  /** It holds the key of a server that sends. */
  readonly isKey?: boolean;
}

/** The keys of outputs that require their variables: credentials, and the rooms of chats. */
const neededKeys: readonly unknown[] =
  'username password dkim headers oauth2 sign token channel chat_id room topic'.split(' ');

/** The variables of its features, MAIL_FROM_ADDRESS, and variables in credentials without a `default`. */
export function neededVariables(form: Form): readonly NeededVariable[] {
  const needed: NeededVariable[] = [];
  const need = (name: string, ...path: (string | number)[]) =>
    needed.push({ name, place: formatPath([...pathOf(form), ...path]) });
  const needAll = ({ neededEnvNames }: Template, ...path: (string | number)[]) => {
    for (const name of neededEnvNames) need(name, ...path);
  };
  for (const { name, path, isAtTop, isKey } of needsOf(form)) {
    const place = formatPath([...(isAtTop ? [] : pathOf(form)), ...path]);
    needed.push({ name, place, ...(isKey && { isKey }) });
  }
  for (const { output, path: at } of everyOutput(form)) {
    const { target, templates } = output;
    if (target?.via === 'ses' && target.from === undefined) need('MAIL_FROM_ADDRESS', ...at);
    if (target?.via === 'http' && 'env' in target.address) need(target.address.env, ...at, 'url_env');
    for (const { path, template } of templates) {
      if (neededKeys.includes(path[0])) needAll(template, ...at, ...path);
    }
  }
  return needed;
}

function usedVariables(form: Form): ReadonlySet<string> {
  const templates = [
    ...everyOutput(form).flatMap(({ output }) => output.templates),
    ...templatesOfFeatures(form),
  ];
  return new Set([
    ...neededVariables(form).map(({ name }) => name),
    ...templates.flatMap(({ template }) => [...template.envNames]),
  ]);
}

const neededIn = ({ forms, alerts, heartbeat, bounces }: Config): readonly NeededVariable[] => [
  ...[...forms.values()].flatMap(neededVariables),
  ...(alerts ? neededVariables(alerts.form) : []),
  ...(heartbeat ? [{ name: heartbeat.url_env, place: 'heartbeat.url_env' }] : []),
  ...(bounces ? bounceParts.loaded.variablesOf(bounces) : []),
];

const natsVariables: readonly string[] = ['NATS_USER', 'NATS_PASSWORD', 'NATS_TOKEN'];

/** The names of all variables that a config reads. */
export function variablesUsedIn({
  forms,
  alerts,
  heartbeat,
  keep,
  inbox,
  bounces,
}: Config): ReadonlySet<string> {
  return new Set([
    ...[...forms.values()].flatMap((form) => [...usedVariables(form)]),
    ...(alerts ? usedVariables(alerts.form) : []),
    ...(heartbeat ? [heartbeat.url_env] : []),
    ...(bounces ? bounceParts.loaded.variablesOf(bounces).map(({ name }) => name) : []),
    ...(inbox ? [inbox.sign_in.client_secret_env] : []),
    ...(keep?.in.kind === 'nats' ? natsVariables : []),
  ]);
}

/** Fewer characters could be guessed from a token. */
const leastSecretLength = 16;
const leastDifferentCharacters = 6;
const placeholders = ['changeme', 'secret', 'password', 'placeholder', 'example', 'replace'];

/** Why a secret is guessable, without revealing it; `undefined` if it looks random. */
export function weaknessOf(secret: string): string | undefined {
  if (secret.trim() === '') return 'is nothing but white space';
  if (secret.length < leastSecretLength)
    return `has ${secret.length} ${secret.length === 1 ? 'character' : 'characters'}, which can be guessed`;
  if (new Set(secret).size < leastDifferentCharacters)
    return 'repeats a few characters, which can be guessed';
  const letters = secret.toLowerCase().replaceAll(/[^a-z]/g, '');
  return placeholders.some((word) => letters.includes(word)) ? 'looks like a placeholder' : undefined;
}

/** Keys that the relay does not take, and those that are no secret from each other, by their variables. */
export function keyProblems(
  needed: readonly NeededVariable[],
  env: Effects['env'],
): readonly { readonly name: string; readonly reason: string }[] {
  const names = [...new Set(needed.flatMap(({ name, isKey }) => (isKey && env(name) ? name : [])))];
  return names.flatMap((name, at) => {
    const key = env(name) ?? '';
    const weakness = weaknessOfKey(key);
    const twin = names.slice(0, at).find((other) => env(other) === key);
    return [
      ...(weakness === undefined ? [] : [{ name, reason: weakness }]),
      ...(twin === undefined ? [] : [{ name, reason: `holds the same key as ${twin}` }]),
    ];
  });
}

/** The state of the relay's variables. */
export interface Variables {
  /** The unset variables that the latest config needs. */
  readonly missing: readonly string[];
  /** Whether a config was loaded whose variables were all set. The relay then stays ready. */
  readonly isReady: boolean;
}

/** The number of places in a line of the log: a config may have thousands of forms. */
const mostTold = 20;

/** `check` logs missing variables and guessable secrets. */
export function createVariables(
  { formTokenSecret, keepSecret, receiptSecrets, mailFromAddress, publicUrl }: Settings,
  { env, log }: Pick<Effects, 'env' | 'log'>,
): Variables & { check(config: Config): void } {
  let missing: readonly string[] = [];
  let isReady = false;
  /** An empty value counts as unset. */
  const isSet = ({ name }: NeededVariable) => {
    if (name === 'FORM_TOKEN_SECRET') return formTokenSecret !== '';
    if (name === 'RECEIPT_SECRET') return receiptSecrets.length > 0;
    if (name === 'PUBLIC_URL') return publicUrl !== undefined;
    return name === 'MAIL_FROM_ADDRESS' ? mailFromAddress !== undefined : Boolean(env(name));
  };
  return {
    get missing() {
      return missing;
    },
    get isReady() {
      return isReady;
    },
    check(config) {
      const needed = neededIn(config);
      const unset = needed.filter((one) => !isSet(one));
      missing = [...new Set(unset.map(({ name }) => name))];
      isReady ||= missing.length === 0;
      if (missing.length > 0) {
        const places = unset.slice(0, mostTold).map(({ name, place }) => `${place} needs ${name}`);
        const more = unset.length - places.length;
        log('warn', 'variables_missing', { variables: missing, places, ...(more > 0 && { more }) });
      }
      const arns = [...variablesUsedIn(config)].filter(
        (name) => !name.endsWith('_ARN') && looksLikeSecretArn(env(name) ?? ''),
      );
      if (arns.length > 0) log('warn', 'variables_hold_arns', { variables: arns });
      for (const { name, reason } of keyProblems(needed, env))
        log('error', 'key_unusable', { variable: name, reason: `${name} ${reason}` });
      const weakness = weaknessOf(formTokenSecret);
      if (formTokenSecret !== '' && weakness && needed.some(({ name }) => name === 'FORM_TOKEN_SECRET')) {
        log('warn', 'weak_token_secret', { reason: `FORM_TOKEN_SECRET ${weakness}` });
      }
      const weakReceipt = receiptSecrets.map(weaknessOf).find(Boolean);
      if (weakReceipt && needed.some(({ name }) => name === 'RECEIPT_SECRET')) {
        log('warn', 'weak_receipt_secret', { reason: `RECEIPT_SECRET ${weakReceipt}` });
      }
      const weakKeep = config.keep && keepSecret !== '' ? weaknessOf(keepSecret) : undefined;
      const ofEvents = config.bounces ? bounceParts.loaded.secretsOf(config.bounces) : [];
      for (const one of ofEvents.filter(isSet)) {
        const weak = weaknessOf(env(one.name) ?? '');
        if (weak) log('warn', 'weak_event_secret', { reason: `${one.name} ${weak}` });
      }
      if (weakKeep) log('warn', 'weak_keep_secret', { reason: `KEEP_SECRET ${weakKeep}` });
    },
  };
}
