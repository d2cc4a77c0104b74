/** `relay ask`. */

import { structureIn } from '@form-relay/base/json';
import { CommandFailed, command, findForm, flag, option, repeated } from '@form-relay/core/command';
import { describe } from '@form-relay/core/http/answers';
import type { Form, Plugin } from '@form-relay/core/index';
import { anyText, type Pair } from '@form-relay/schema/scalars';
import { linkArguments } from '@form-relay/senders/links/command';
import { printable } from '@form-relay/yaml/problem';
import { type AskContext, readId } from './ask.ts';
import { prepareAsk, waitFor } from './asks.ts';

const ask = command({
  name: 'ask',
  summary: 'ask one person to fill in a form, and wait for the answer',
  description:
    'ask one person to fill in a form with `ask`, by a link that works once; first shows what it will send',
  arguments: linkArguments,
  options: {
    to: option('address', 'mail the link to this address', anyText),
    locked: repeated('field', 'a field whose value the person cannot change; may be repeated', anyText),
    expires: option('time', 'lifetime of the link, such as 12h or 7d', anyText),
    answerTo: option('url', 'POST the answer to this address', anyText),
    reference: option('text', 'your own reference, returned with the answer', anyText),
    wait: flag('wait for the answer, and print it as JSON'),
    id: option('id', 'report the state of this earlier request instead', anyText),
    yes: flag('send without confirmation'),
  },
  notes:
    'Run it where the relay runs, with the same environment and config. The link is printed to stdout, the id of the request to stderr.',
  examples: [
    ['relay ask contact name=Ada --locked name', 'show the ask, and print its link'],
    ['relay ask contact --expires 2h', 'for two hours'],
  ],
  run: async ({ form: name, id, yes, wait, values: pairs = [], to, answerTo, ...given }, context) => {
    const form = findForm(await context.config(), name);
    const asking = form.provided.get('ask');
    if (!asking) throw new CommandFailed(`"${form.id}" has no ask; add ask: {name: Acme Ltd} to its config`);
    const { services, settings } = await context.relay();
    const owner: AskContext = { asking, form, services, settings, signal: undefined };
    const tell = async (text: string) => {
      const read = readId(settings.formTokenSecret, form.id, text);
      if (!read) throw new CommandFailed(`"${form.id}" has no request with this id`);
      context.print(`${JSON.stringify(await waitFor(read, wait ? Infinity : 0, owner), null, 2)}\n`);
    };
    if (id !== undefined) return tell(id);
    if (!yes && !process.stdin.isTTY)
      throw context.misuse("confirmation needs a terminal; add '--yes' to send without it");
    const body = { ...given, values: valuesIn(form, pairs), answer_to: answerTo, to: to && { email: to } };
    const now = { requestId: services.uuid(), receivedAt: services.now() };
    const prepared = prepareAsk(JSON.stringify(body), now, owner);
    if ('kind' in prepared)
      throw new CommandFailed(printable(describe(prepared, form, form.locale(undefined))));
    process.stderr.write(`${prepared.says.split('\n').map(printable).join('\n')}\n`);
    if (!yes && !(await context.ask('Send?', process.stderr)))
      throw new CommandFailed('cancelled; nothing was sent');
    const reason = await prepared.send();
    if (reason !== undefined) throw new CommandFailed(printable(reason));
    context.print(`${prepared.url}\n`);
    process.stderr.write(`id: ${prepared.id}\n`);
    if (wait) await tell(prepared.id);
  },
});

export const plugin: Plugin = { name: 'ask', commands: [ask] };

/** The values as servers send them. A field with several inputs has its value as JSON. */
function valuesIn({ fields }: Form, pairs: readonly Pair[]): object {
  const values: Record<string, unknown> = {};
  for (const [name, value] of pairs) {
    const isWhole = fields.some((field) => field.name === name && field.inputs);
    values[name] = isWhole ? (structureIn(value) ?? value) : [...((values[name] as string[]) ?? []), value];
  }
  return values;
}
