import { addressOf, parseSender } from '@form-relay/base/address';
import { colour, count, type Style } from '@form-relay/base/terminal';
import {
  type CommandContext,
  CommandFailed,
  command,
  configPath,
  findForm,
  flag,
  needed,
  option,
  repeated,
} from '@form-relay/core/command';
import type { Form } from '@form-relay/core/form';
import type { Plugin } from '@form-relay/core/plugin';
import type { TestedOutput, TestReport } from '@form-relay/dry-run/send_test';
import { makeTest } from '@form-relay/dry-run/test_values';
import { fileOnce } from '@form-relay/runtimes/config_file';
import { anyText, type Pair, pair, textSchema } from '@form-relay/schema/scalars';
import { outputPlace } from '@form-relay/stored/options';
import { printable } from '@form-relay/yaml/problem';
import { loadOwnConfig } from '../own_setup.ts';

/** A mail address. */
const mailAddress = textSchema((text, at) => {
  const mailbox = parseSender(text.trim());
  return mailbox ? addressOf(mailbox) : at.error('Expected an address such as me@example.com.');
});

const test = command({
  name: 'test',
  summary: 'send a made-up submission through the real outputs',
  description:
    "send one made-up submission through the real outputs of a form, after showing where it goes, and print each server's answer",
  arguments: { form: needed('form', 'the name of the form', anyText) },
  options: {
    yes: flag('send without confirmation'),
    to: option(
      'address',
      "use this address as the visitor's, so that mails to the visitor go to you",
      mailAddress,
    ),
    set: repeated(
      'field=value',
      'use this value instead of a made-up one; may be repeated',
      pair('field=value, such as country=de'),
    ),
    output: repeated('place', 'only this output, by its index from 0; may be repeated', outputPlace),
    json: flag('print the answers as JSON'),
  },
  notes:
    'Tests are marked with [Test] in subjects and titles, and the header X-Form-Relay-Test.\nArchives do not store them. Nothing is queued or retried.\nRun it where the relay runs, with the same environment and config.\nExit code: 0 if all was delivered, 1 if something failed or nothing was sent.',
  examples: [
    ['relay test contact', 'show where it goes, ask, and send'],
    ['relay test contact --yes --to me@example.com', 'without confirmation, with you as the visitor'],
    ['relay test contact --output 0 --set name=Grace', 'one output, with a value of your own'],
  ],
  run: ({ form, ...options }, context) => testForm(form, options, context),
});

export const plugin: Plugin = { name: 'test', commands: [test] };

interface TestFormOptions {
  /** Sends without confirmation. */
  readonly yes: true | undefined;
  /** The visitor's address. */
  readonly to: string | undefined;
  readonly set: readonly Pair[] | undefined;
  /** The numbers of the outputs to test. Default: all. */
  readonly output: readonly number[] | undefined;
  readonly json: true | undefined;
}

/**
 * Sends one made-up submission through a form's real outputs, after showing where it goes and asking for
 * confirmation. The exit code is 0 if everything was delivered, 1 if something failed or nothing was sent.
 */
async function testForm(
  name: string,
  { yes, to, set, output, json }: TestFormOptions,
  { ask, misuse, configOption }: CommandContext,
): Promise<void> {
  const source = configOption === undefined ? undefined : fileOnce(configOption);
  const form = findForm(await loadOwnConfig(source), name);
  if (!yes && !process.stdin.isTTY)
    throw misuse("confirmation needs a terminal; add '--yes' to send without it");
  const only = output && new Set(output.map((place) => placeIn(form, place)));
  const relay = source ? { source } : { fallbackConfigFile: configPath(undefined, process.env) };
  const test = await makeTest(form, { to, set, only }, relay);
  if (!test.ok) throw new CommandFailed(test.error.split('\n').map(printable).join('\n'));
  const { stdout, stderr } = process;
  const plan = await test.value.plan();
  const screen = json || !stdout.isTTY ? stderr : stdout;
  if (!yes || !json) (json ? stderr : stdout).write(planText(plan, json ? stderr : stdout, !yes));
  if (!yes && !(await ask('Send?', screen))) throw new CommandFailed('nothing was sent');
  const report = await test.value.send();
  stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : reportText(report, stdout));
  if (!isFine(report)) process.exitCode = 1;
}

function placeIn(form: Form, place: number): number {
  if (place < form.outputs.length) return place;
  const own = count(form.outputs.length, 'output');
  throw new CommandFailed(`"${form.id}" has no output ${place}; it has ${own}, numbered from 0`);
}

const wasTaken = ({ result }: TestedOutput) => result === 'delivered';

/** A test that reached no output proves nothing. */
const isFine = ({ outputs }: TestReport): boolean =>
  outputs.some(wasTaken) && !outputs.some(({ result }) => result === 'failed');

const words: Readonly<Record<TestedOutput['result'], readonly [word: string, style: Style]>> = {
  ready: ['would be sent', 'dim'],
  delivered: ['delivered', 'green'],
  failed: ['FAILED', 'red'],
  skipped: ['skipped', 'dim'],
};

/** @param asks Whether to show where it would go; otherwise the report does. */
function planText(
  { form, values, outputs, consequence }: TestReport,
  stream: NodeJS.WriteStream,
  asks: boolean,
): string {
  const plan = [
    ...outputs.map((output) => outputText(output, stream)),
    consequence === undefined ? '' : `${printable(consequence)}\n`,
    '\n',
  ];
  return [
    `${colour('bold', printable(form), stream)}: a made-up submission, through the real outputs\n\n`,
    ...values.map(
      ([label, value]) => `  ${printable(label)}: ${value.split('\n').map(printable).join('\n    ')}\n`,
    ),
    '\n',
    ...(asks ? plan : []),
  ].join('');
}

function reportText({ outputs, consequence }: TestReport, stream: NodeJS.WriteStream): string {
  const counts = (['delivered', 'failed', 'skipped'] as const).flatMap((result) => {
    const number = outputs.filter((output) => output.result === result).length;
    return number > 0 ? `${number} ${words[result][0].toLowerCase()}` : [];
  });
  const all = outputs.map((output) => outputText(output, stream)).join('');
  const ending =
    consequence ?? (outputs.every(({ result }) => result === 'skipped') ? 'nothing was sent' : '');
  return `${all}\n${counts.join(', ')}${ending === '' ? '' : `; ${printable(ending)}`}\n`;
}

function outputText(output: TestedOutput, stream: NodeJS.WriteStream): string {
  const { place, type, target, to, result, says, remedy, warnings, ms, needsAddress } = output;
  const name = typeof place === 'number' ? `outputs[${place}]` : place;
  const [word, style] = words[result];
  const isPlanned = result === 'ready';
  const found = isPlanned ? says : [`${colour(style, word, stream)}`, says].filter(Boolean).join(': ');
  const time = wasTaken(output) || (result === 'failed' && ms > 0) ? ` (${ms} ms)` : '';
  return [
    `${colour('bold', name, stream)}: ${type}${target && ` to ${target}`}`,
    ...(to.length > 0 && result !== 'skipped' ? [`  to ${to.join(', ')}`] : []),
    ...(found === '' ? [] : [`  ${found}${time}`]),
    ...warnings.map((warning) => `  ${colour('yellow', 'warning', stream)}: ${warning}`),
    ...(needsAddress ? ['  -> add --to ADDRESS to send it to yourself'] : []),
    ...(remedy?.split('\n') ?? []).map((line) => `  -> ${line}`),
  ]
    .map((line) => `${line}\n`)
    .join('');
}
