/** `relay canary`: tests forms once, and prints each link of the chain. */
import { colour, type Style } from '@form-relay/base/terminal';
import {
  type CommandContext,
  CommandFailed,
  command,
  findForm,
  flag,
  repeated,
} from '@form-relay/core/command';
import type { Form, Plugin } from '@form-relay/core/index';
import { AlertSender } from '@form-relay/queue/alert_sender';
import { anyText } from '@form-relay/schema/scalars';
import { ping, resultOf } from './canaries.ts';
import { type Link, proveForm } from './chain.ts';
import type { Canary } from './index.ts';
import { changeProof, concluded, type Result } from './proof.ts';

const canary = command({
  name: 'canary',
  summary: 'test forms as their canary does, and print each step',
  description:
    'send one marked test through the outputs of forms and check their pages, as the relay does for forms with `canary`',
  options: {
    form: repeated('name', 'test only this form, with or without a canary; may be repeated', anyText),
    alert: flag(
      'also alert, note the result and request ping, as the relay does; for schedules on Lambda and Workers',
    ),
    json: flag('print the steps as JSON'),
  },
  notes:
    'Tests are marked with [Canary] in subjects and titles, the header X-Form-Relay-Canary, and the value _canary.\nIn an archive, the test writes a file and deletes it.\nExit code: 0 if all forms passed or are closed, 1 if one failed.',
  examples: [
    ['relay canary', 'all forms with a canary'],
    ['relay canary --form contact', 'one form'],
    ['relay canary --alert', 'from cron, where no relay keeps running'],
  ],
  run: runCanary,
});

export const plugin: Plugin = { name: 'canary_command', commands: [canary] };

interface Options {
  readonly form: readonly string[] | undefined;
  readonly alert: true | undefined;
  readonly json: true | undefined;
}

const plain: Canary = { everyMs: 3_600_000, page: undefined, ping: undefined, values: new Map() };

async function runCanary({ form: names, alert, json }: Options, context: CommandContext): Promise<void> {
  const config = await context.config();
  const { settings, services } = await context.relay();
  const forms = names
    ? names.map((name) => findForm(config, name))
    : [...config.forms.values()].filter(({ provided }) => provided.get('canary'));
  if (forms.length === 0)
    throw new CommandFailed(
      'no form has a canary; add canary: {every: 1h} to one, or name a form: --form NAME',
    );
  const alerts = new AlertSender(services, settings, (work) => work());
  const to = config.shared.get('alerts');
  const all: { form: string; result: Result['kind']; links: readonly Link[] }[] = [];
  for (const form of forms) {
    const own = form.provided.get('canary') ?? plain;
    const now = services.now();
    const closed = form.provided.get('schedule')?.(now)?.why;
    const links = closed ? [] : await proveForm(form, own, { settings, formIds: [...config.forms.keys()] });
    const result = resultOf(links, closed);
    all.push({ form: form.id, result: result.kind, links });
    if (!json) context.print(textOf(form, result, links));
    if (result.kind === 'failed') process.exitCode = 1;
    if (!alert) continue;
    if (!closed) {
      const { change } = await note(form, result, now);
      if (change && to) alerts.canary(change, form.id, result.reason, to);
    }
    if (result.kind !== 'failed') await ping(own, form, { services });
  }
  if (json) context.print(`${JSON.stringify(all, undefined, 2)}\n`);
  await alerts.close();
}

/** Without a counter store, each failure is treated as the first. */
async function note(form: Form, result: Result, at: number) {
  const none = { slot: at, by: 'relay canary', months: {} };
  let noted = concluded(none, result, at);
  await changeProof(form, form.services, (before) => {
    noted = concluded({ ...none, ...before }, result, at);
    return noted.proof;
  });
  return noted;
}

const looks: Readonly<Record<Link['result'], readonly [word: string, style: Style]>> = {
  passed: ['passed', 'green'],
  failed: ['FAILED', 'red'],
  paused: ['in maintenance', 'yellow'],
  skipped: ['not tested', 'dim'],
};

function textOf({ id }: Form, { kind, reason }: Result, links: readonly Link[]): string {
  const { stdout } = process;
  const [word, style] = links.length === 0 ? ([reason, 'dim'] as const) : looks[kind];
  const lines = links.map(({ link, target, result, says, ms }) => {
    const [word, style] = looks[result];
    const took = result === 'skipped' ? '' : ` (${ms} ms)`;
    return `  ${colour(style, word, stdout)}: ${link} ${target}${took}${says && `\n    ${says}`}\n`;
  });
  return `${colour('bold', id, stdout)}: ${colour(style, word, stdout)}\n${lines.join('')}`;
}
