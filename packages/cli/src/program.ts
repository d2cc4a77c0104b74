/** Turns commands of plug-ins into commands of the command-line library. */

import type { Argument, Command as Definition } from '@form-relay/core/command';
import { Misuse } from '@form-relay/core/command';
import { Diagnostics } from '@form-relay/schema/diagnostics';
import { jsonSchemaOf, type Property } from '@form-relay/schema/schema';
import { didYouMean, nearest } from '@form-relay/schema/suggestion';
import { Argument as AnyArgument, Command, InvalidArgumentError, Option } from 'commander';
import { calledAs } from './environment.ts';

/** @param owner The plug-in that adds the command, if the relay does not. */
export function commandOf(definition: Definition, owner?: string): Command {
  const { name, alias, summary, description = summary, notes, examples = [], commands = [] } = definition;
  const made = new Command(name).summary(summary).description(description);
  if (alias !== undefined) made.alias(alias);
  const args: readonly [string, Given][] = Object.entries(definition.arguments ?? {});
  const options = Object.entries(definition.options ?? {});
  for (const [key, property] of args) made.addArgument(argumentOf(key, property));
  for (const [key, property] of options) made.addOption(optionOf(key, property));
  if (notes !== undefined) made.addHelpText('after', `\n${notes}`);
  if (examples.length > 0) made.addHelpText('after', examplesOf(examples));
  for (const one of commands) made.addCommand(commandOf(one, owner));
  if (!definition.run) return made;
  const isList = args.some(([, { isRepeated }]) => isRepeated);
  return made.allowExcessArguments().action(async (...values: readonly unknown[]) => {
    if (made.args.length > args.length && !isList) refuseExcess(made, args.length);
    const given: Record<string, unknown> = {};
    for (const [index, [key]] of args.entries()) given[key] = values[index];
    const set = made.opts();
    for (const [key] of options)
      given[key] = isNegated(key) ? set[positive(key)] === false || undefined : set[key];
    await runWith(made, definition, given, owner);
  });
}

async function runWith(
  made: Command,
  { name, run }: Definition,
  given: Record<string, unknown>,
  owner: string | undefined,
): Promise<void> {
  const { openContext } = await import('./context.ts');
  const context = openContext(made.optsWithGlobals().config);
  try {
    const code = await run?.(given, context);
    if (typeof code === 'number') process.exitCode = code;
  } catch (error) {
    if (error instanceof Misuse) made.error(`error: ${error.message}`);
    const isExpected = (error as Error | undefined)?.name === 'CommandFailed';
    if (owner === undefined || isExpected) throw error;
    throw context.fail(`the command "${name}" of the plug-in "${owner}" threw ${String(error)}`);
  } finally {
    await context.close();
  }
}

/** The examples below the help. Each can be typed as shown, below a line that explains it. */
export function examplesOf(all: NonNullable<Definition['examples']>): string {
  const shown = all.map(([line, says]) => `\n  # ${says}\n  ${line.replace(/^relay\b/, calledAs())}`);
  return `\n${all.length === 1 ? 'Example' : 'Examples'}:${shown.join('')}`;
}

type Given = Property<unknown> & Partial<Argument<unknown>>;

const isNegated = (key: string) => /^no[A-Z]/.test(key);
const positive = (key: string) => `${key.charAt(2).toLowerCase()}${key.slice(3)}`;
const kebab = (key: string) => key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function argumentOf(key: string, property: Given): AnyArgument {
  const { doc, isRequired, isRepeated, value = kebab(key) } = property;
  const name = `${value}${isRepeated ? '...' : ''}`;
  return completed(new AnyArgument(isRequired ? `<${name}>` : `[${name}]`, doc), property);
}

function optionOf(key: string, property: Given): Option {
  const { doc, isRequired, value = placeholderOf(property), mayLackValue, conflicts = [] } = property;
  const shown = value === undefined ? '' : mayLackValue ? ` [${value}]` : ` <${value}>`;
  const made = new Option(`--${kebab(key)}${shown}`, doc).conflicts([...conflicts]);
  if (isRequired) made.makeOptionMandatory();
  if (property.isHidden) made.hideHelp();
  return value === undefined ? made : completed(made, property);
}

/** The placeholder for a value in the help; `undefined` for flags. */
function placeholderOf({ schema }: Given): string | undefined {
  const { title = 'value' } = jsonSchemaOf(schema);
  if (title === 'true or false') return undefined;
  return /^[a-z]+$/.test(title) ? title : /\bnumber\b/.test(title) ? 'number' : 'value';
}

/** Adds the choices or the parser, and the default. */
function completed<T extends Option | AnyArgument>(made: T, property: Given): T {
  const { choices, fallback, isRepeated, schema } = property;
  const parse = (text: string, before?: readonly unknown[]): unknown => {
    const value = read(schema, text);
    return isRepeated ? [...(before ?? []), value] : value;
  };
  if (choices) made.choices([...choices]);
  else (made as Option).argParser(parse as (text: string, before: unknown) => unknown);
  if (fallback === undefined) return made;
  const value = choices ? fallback : read(schema, fallback);
  // The help shows a duration as users write it.
  return (typeof value === 'number' ? made.default(value, String(fallback)) : made.default(value)) as T;
}

function read(schema: Given['schema'], text: string): unknown {
  const at = new Diagnostics();
  const value = schema(text, at);
  const [mistake] = at.mistakes;
  if (mistake) throw new InvalidArgumentError(mistake.message);
  return value;
}

/** Fails as wrong usage, and names the option for a config or form that was passed as an argument. */
function refuseExcess(made: Command, expected: number): never {
  const { length, [expected]: first = '' } = made.args;
  if (isConfig(first)) return made.error(`error: too many arguments; ${nameTheConfig(first, pathOf(made))}`);
  if (expected === 0 && made.options.some(({ long }) => long === '--form'))
    return made.error(`error: too many arguments; name the form with --form ${first}`);
  const wanted = `Expected ${expected} argument${expected === 1 ? '' : 's'} but got ${length}.`;
  return made.error(`error: too many arguments for '${made.name()}'. ${wanted}`);
}

/** The words that call a command, without the program's name. */
const pathOf = (made: Command): string =>
  made.parent?.parent ? `${pathOf(made.parent)} ${made.name()}` : made.name();

const isConfig = (word: string) => /\.ya?ml$/i.test(word);

const nameTheConfig = (file: string, command: string) =>
  `name the config with --config: ${calledAs()} --config ${file} ${command}`;

/** Fails as wrong usage, and suggests the closest command. */
export function unknownCommand(command: Command, name: string): never {
  if (isConfig(name))
    return command.error(`error: unknown command '${name}'; ${nameTheConfig(name, 'config validate')}`);
  const names = command.commands.map((one) => one.name());
  const paths = command.commands.flatMap((group) =>
    group.commands.map((one) => [one.name(), `${group.name()} ${one.name()}`] as const),
  );
  const [, path] = paths.find(([last]) => nearest(name, [last]) !== undefined) ?? [];
  const near = didYouMean(nearest(name, names) ?? path);
  return command.error(`error: unknown command '${name}'${near}`);
}
