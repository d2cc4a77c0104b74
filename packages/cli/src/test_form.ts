import type { Form } from '@form-relay/core/form';
import type { TestedOutput, TestReport } from '@form-relay/dry-run/send_test';
import { makeTest } from '@form-relay/dry-run/test_values';
import { printable } from '@form-relay/yaml/excerpt';
import { isAgreed } from './agree.ts';
import { CommandFailed } from './command_failed.ts';
import { configPath } from './config_path.ts';
import { findForm } from './load_config.ts';
import { loadOwnConfig } from './own_setup.ts';
import { fileOnce } from './read_config.ts';
import { colour, type Style } from './terminal.ts';
import type { GlobalOptions } from './usage.ts';

export interface TestFormOptions extends GlobalOptions {
  /** Sends without asking. */
  readonly yes?: boolean;
  /** The visitor's address. */
  readonly to?: string;
  readonly set?: readonly (readonly [name: string, value: string])[];
  /** The places of the outputs to try. Default: all. */
  readonly output?: readonly number[];
  readonly json?: boolean;
}

/**
 * Sends one made-up submission through a form's real outputs, after showing where it goes and asking. Exit code 0 if all
 * of it was delivered, 1 if something failed or nothing was sent.
 */
export async function testForm(name: string, options: TestFormOptions): Promise<void> {
  const { yes = false, to, set, output, json = false, config: option } = options;
  const source = option === undefined ? undefined : fileOnce(option);
  const form = findForm(await loadOwnConfig(source), name);
  const only = output && new Set(output.map((place) => placeIn(form, place)));
  const relay = source ? { source } : { fallbackConfigFile: configPath(undefined) };
  const test = await makeTest(form, { to, set, only }, relay);
  if (!test.ok) throw new CommandFailed(test.error.split('\n').map(printable).join('\n'));
  const { stdout, stderr } = process;
  const plan = await test.value.plan();
  const screen = json || !stdout.isTTY ? stderr : stdout;
  if (!yes || !json) (json ? stderr : stdout).write(planText(plan, json ? stderr : stdout));
  if (!yes && !(await isAgreed('Send?', screen))) throw new CommandFailed('nothing was sent');
  const report = await test.value.send();
  stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : reportText(report, stdout));
  if (!isFine(report)) process.exitCode = 1;
}

function placeIn(form: Form, place: number): number {
  if (place < form.outputs.length) return place;
  const last = form.outputs.length - 1;
  throw new CommandFailed(`"${form.id}" has no output ${place}: its places go from 0 to ${last}`);
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

function planText({ form, values, outputs, consequence }: TestReport, stream: NodeJS.WriteStream): string {
  return [
    `${colour('bold', printable(form), stream)}: a made-up submission, through the real outputs\n\n`,
    ...values.map(
      ([label, value]) => `  ${printable(label)}: ${value.split('\n').map(printable).join('\n    ')}\n`,
    ),
    '\n',
    ...outputs.map((output) => outputText(output, stream)),
    consequence === undefined ? '' : `${printable(consequence)}\n`,
    '\n',
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
    ...(needsAddress ? ['  -> --to ADDRESS sends it to you'] : []),
    ...(remedy?.split('\n') ?? []).map((line) => `  -> ${line}`),
  ]
    .map((line) => `${line}\n`)
    .join('');
}
