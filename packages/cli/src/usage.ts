/** Arguments and help texts that the commands share. */

import { addressOf, parseSender } from '@form-relay/base/address';
import { isAddress } from '@form-relay/base/same_address';
import { parseUrl } from '@form-relay/base/url';
import { canonicalTag } from '@form-relay/languages/negotiate';
import { mailAccounts } from '@form-relay/mail-dns/mail_services';
import { parseDays } from '@form-relay/schema/duration';
import { didYouMean, nearest } from '@form-relay/schema/suggestion';
import { recipeNames } from '@form-relay/starters/recipe_names';
import { templateNames } from '@form-relay/starters/template_names';
import { Command as AnyCommand, InvalidArgumentError, type Option } from 'commander';
import { calledAs } from './called_as.ts';
import { removedCommand } from './removed_commands.ts';

/** Options that every command takes. */
export interface GlobalOptions {
  /** The config file. Default: RELAY_CONFIG, else `webform.yaml`. */
  readonly config?: string;
}

// The kinds of arguments and options. A kind is its parser.

/** A file. */
export function fileName(text: string): string {
  if (text === '') throw new InvalidArgumentError('Expected the name of a file.');
  return text;
}

/** An HTML file. */
export function pageName(text: string): string {
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(text))
    throw new InvalidArgumentError(
      `Pages are files since 0.2.0, because curl fetches any of them: curl -s ${text} > page.html`,
    );
  return fileName(text);
}

/** A service that there is a recipe for. */
export const recipeName = (text: string): string => oneOf(Object.keys(recipeNames), 'recipe', text);

/** A form to start from. */
export const templateName = (text: string): string => oneOf(Object.keys(templateNames), 'template', text);

function oneOf(names: readonly string[], kind: string, text: string): string {
  const name = text.toLowerCase().replaceAll(/[- ]/g, '_');
  if (names.includes(name)) return name;
  // `sheets`, `github_issues`
  const alike = names.filter((one) => one.includes(name) || name.includes(one));
  const near = didYouMean(nearest(name, names)) || (alike.length === 1 ? ` (did you mean ${alike[0]}?)` : '');
  throw new InvalidArgumentError(`There is no ${kind} of this name${near}. There are: ${names.join(', ')}.`);
}

/** An account that mail can go through. */
export function mailAccountName(text: string): string {
  const name = plainName(text);
  const called = Object.entries(mailAccounts).map(
    ([own, { alsoCalled = [] }]) => [own, [own, ...alsoCalled].map(plainName)] as const,
  );
  const exact = called.find(([own]) => plainName(own) === name);
  if (exact) return exact[0];
  const near = nearest(
    name,
    called.flatMap(([, names]) => names),
  );
  const meant = called.find(([, names]) => names.includes(near ?? name))?.[0];
  throw new InvalidArgumentError(
    `There is no provider of this name${meant === undefined ? '' : ` (did you mean ${meant}?)`}. There are: ${called.map(([own]) => own).join(', ')}.`,
  );
}

/** `Microsoft 365` and `microsoft-365` are `microsoft365`. */
const plainName = (text: string) => text.toLowerCase().replaceAll(/[^a-z\d]/g, '');

/** An address as a person wrote it: whatever a field of type `email` takes. */
export function writtenAddress(text: string): string {
  if (!isAddress(text)) throw new InvalidArgumentError('Expected an address such as ada@example.org.');
  return text;
}

/** An address that mail goes to. */
export function mailAddress(text: string): string {
  const mailbox = parseSender(text.trim());
  if (mailbox === undefined) throw new InvalidArgumentError('Expected an address such as me@example.com.');
  return addressOf(mailbox);
}

/** The tag of a language. */
export function languageTag(text: string): string {
  const tag = canonicalTag(text);
  if (tag === undefined)
    throw new InvalidArgumentError('Expected the tag of a language, such as de or pt-BR.');
  return tag;
}

/** The relay's own address, as visitors' browsers reach it. */
export function relayAddress(text: string): string {
  if (!/^https?:\/\/[^/]/.test(text) || !parseUrl(text))
    throw new InvalidArgumentError('Expected an address such as https://forms.example.com.');
  if (/\/api\/v1(\/|$)/.test(new URL(text).pathname))
    throw new InvalidArgumentError('Expected it without /api/v1, which the relay adds itself.');
  return text;
}

/** A moment, in milliseconds since the epoch. */
function moment(text: string): number {
  const isSeconds = /^\d{1,11}$/.test(text);
  const ms = isSeconds ? Number(text) * 1_000 : Date.parse(text);
  const hasZone = /^\d{4}-\d\d-\d\dT\d\d:\d\d.*(Z|[+-]\d\d:\d\d)$/.test(text);
  if (Number.isNaN(ms) || !(isSeconds || hasZone))
    throw new InvalidArgumentError('Expected a time such as 2030-12-31T23:59:59Z, or Unix seconds.');
  return ms;
}

export type Pairs = readonly (readonly [name: string, value: string])[];

/** Collects `name=value`. @param expected In words, such as `field=path, such as cv=cv.pdf`. */
export const pairs =
  (expected: string) =>
  (text: string, before: Pairs = []): Pairs => {
    const equals = text.indexOf('=');
    if (equals < 1) throw new InvalidArgumentError(`Expected ${expected}.`);
    return [...before, [text.slice(0, equals), text.slice(equals + 1)]];
  };

export const chosenValue = pairs('field=value, such as country=de');

/** The address of a page. */
export function webAddress(text: string): URL {
  const url = parseUrl(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError('Expected an address such as https://www.example.com/contact.');
  return url;
}

/** An archive: a folder, or a prefix in a bucket. */
export function archiveName(text: string): string {
  if (text.startsWith('s3://') && !/^s3:\/\/[a-z\d][a-z\d._-]+(\/|$)/i.test(text))
    throw new InvalidArgumentError('Expected s3://BUCKET or s3://BUCKET/PREFIX.');
  return fileName(text);
}

/** Several of them, one each time the option is given. */
export const archiveNames = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  archiveName(text),
];

/** A store of kept deliveries: a folder, or the address of a queue. */
export function storeName(text: string): string {
  if (/^[a-z][a-z\d+.-]*:/i.test(text) && !/^(sqs|nats|tls):\/\/./.test(text))
    throw new InvalidArgumentError('Expected a folder, sqs://… or nats://….');
  return fileName(text);
}

/** The place of an output among those of its form, from 0. */
export function outputPlace(text: string): number {
  if (!/^\d{1,3}$/.test(text))
    throw new InvalidArgumentError('Expected the place of an output, from 0, such as 1.');
  return Number(text);
}

/** A time span, in milliseconds; days, too. */
export function age(text: string): number {
  const ms = parseDays(text);
  if (!ms.ok) throw new InvalidArgumentError('Expected a time span such as 10m, 12h or 2d.');
  return ms.value;
}

/** The first moment of a day, or a moment; in milliseconds since the epoch. */
export const sinceMoment = (text: string): number => dayStart(text) ?? moment(text);

/** The end of a day, or a moment; in milliseconds since the epoch. */
export function untilMoment(text: string): number {
  const start = dayStart(text);
  return start === undefined ? moment(text) : start + dayMs;
}

const dayMs = 86_400_000;

/** The start of a day in UTC. */
function dayStart(text: string): number | undefined {
  if (text.includes('T')) return undefined;
  const start = Date.parse(`${text}T00:00:00Z`);
  const isReal = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(start);
  if (!isReal || new Date(start).toISOString().slice(0, 10) !== text)
    throw new InvalidArgumentError(
      'Expected a day such as 2030-12-31, or a time such as 2030-12-31T23:59:59Z.',
    );
  return start;
}

/** Whole days, in milliseconds. */
export function wholeDays(text: string): number {
  const days = /^([1-9]\d{0,4})d$/.exec(text)?.[1];
  if (days === undefined) throw new InvalidArgumentError('Expected a number of days such as 90d.');
  return Number(days) * dayMs;
}

/** A command as commander makes them, with the help that all commands have. */
export class Command extends AnyCommand {
  addOptions(...options: readonly Option[]): this {
    for (const one of options) this.addOption(one);
    return this;
  }

  addCommands(...commands: readonly AnyCommand[]): this {
    for (const one of commands) this.addCommand(one);
    return this;
  }

  /** Examples under the help: what can be typed as it stands, each below a line that says what it is for. */
  examples(...all: readonly (readonly [command: string, purpose: string])[]): this {
    const shown = all.map(
      ([command, purpose]) => `\n  # ${purpose}\n  ${command.replace(/^relay\b/, calledAs)}`,
    );
    return this.addHelpText('after', `\n${all.length === 1 ? 'Example' : 'Examples'}:${shown.join('')}`);
  }

  /** Runs it with its own options and those of all commands, then its arguments. An `InvalidArgumentError` is wrong usage. */
  runs<O extends object = GlobalOptions, A extends readonly unknown[] = []>(
    work: (options: O, ...args: A) => Promise<unknown>,
  ): this {
    return this.action(async (...given) => {
      try {
        // The last two are its own options, and itself.
        await work(this.optsWithGlobals<O>(), ...(given.slice(0, -2) as unknown as A));
      } catch (error) {
        if (error instanceof InvalidArgumentError) this.error(`error: ${error.message}`);
        throw error;
      }
    });
  }
}

/** Ends as wrong usage, and suggests the command that was most likely meant. */
export function unknownCommand(command: AnyCommand, name: string): never {
  if (/\.ya?ml$/i.test(name))
    return command.error(`error: unknown command '${name}'; ${nameTheConfig(name)}`);
  const isAtTop = command.parent === null;
  const removed = removedCommand(isAtTop ? name : `${command.name()} ${name}`);
  if (removed !== undefined) return command.error(removed);
  const names = command.commands.map((one) => one.name());
  const paths = command.commands.flatMap((group) =>
    group.commands.map((one) => [one.name(), `${group.name()} ${one.name()}`] as const),
  );
  const [, path] = paths.find(([last]) => nearest(name, [last]) !== undefined) ?? [];
  const near = didYouMean(nearest(name, names) ?? path);
  return command.error(`error: unknown command '${name}'${near}`);
}

export const nameTheConfig = (file: string): string =>
  `name the config with --config: ${calledAs} --config ${file} config validate`;
