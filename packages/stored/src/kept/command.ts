/** `relay kept`. */
import { type Command, command, flag, option, repeated } from '@form-relay/core/command';
import type { Plugin } from '@form-relay/core/plugin';
import { anyText, fileName } from '@form-relay/schema/scalars';
import { aside, due, form, format, olderThan, output, store } from '../options.ts';
import { dropKept, exportKept, listKept, setUpKeep, showKept } from './print.ts';
import { deliverHere, retryKept } from './retry.ts';

const which = 'of deliveries, or of submissions, as relay kept list and the log have them';

const list = command({
  name: 'list',
  summary: 'print a line for each delivery that is kept',
  description: 'print a line for each kept delivery: its age, output and reason, and the next retry',
  options: {
    in: store,
    form,
    olderThan,
    due,
    aside,
    show: flag('also how each begins, which a visitor wrote'),
    json: flag('print a JSON object a line'),
  },
  examples: [
    ['relay kept list', 'kept deliveries, and their number by form'],
    ['relay kept list --aside --json', 'dead letters, for programs'],
  ],
  run: (options, context) => listKept(options, context),
});

const show = command({
  name: 'show',
  summary: 'print all of a delivery',
  description: 'print all that is known of a delivery as JSON, write its files out',
  arguments: { ids: { ...repeated('ids', which, anyText), isRequired: true as const } },
  options: {
    in: store,
    show: flag('also what the visitor wrote'),
    files: option('folder', 'write its files there, over none that is there already', fileName),
  },
  examples: [['relay kept show 7d0f6d0e-3c1a-4a53-9c0e-5b8f2f0c9a11 --show', 'with what the visitor wrote']],
  run: ({ ids = [], ...options }, context) => showKept(ids, options, context),
});

const retry = command({
  name: 'retry',
  summary: 'retry now',
  description: 'retry now, after you have fixed the cause',
  arguments: { ids: repeated('ids', `${which}; without them, all that wait for you`, anyText) },
  options: {
    in: store,
    form,
    olderThan,
    due,
    aside,
    output,
    all: flag('also those that it would try again later'),
    json: flag('print how many as JSON'),
  },
  examples: [
    ['relay kept retry', 'all that wait for you'],
    ['relay kept retry --form contact --output 0', 'for outputs[0], in the place of one that is gone'],
  ],
  run: ({ ids = [], ...options }, context) => retryKept(ids, options, context),
});

const deliver = command({
  name: 'deliver',
  summary: 'deliver what is kept from here',
  description: 'deliver what is kept from here and now, as the relay would, and say what became of each',
  arguments: { ids: repeated('ids', `${which}; without them, all`, anyText) },
  options: { in: store, form, olderThan, due, aside, output, json: flag('print a JSON object a line') },
  notes: 'Needs the config and the environment of the outputs.\nExit code: 0 if all was delivered, 1 if not.',
  examples: [['relay kept deliver --aside', 'deliver dead letters now']],
  run: ({ ids = [], ...options }, context) => deliverHere(ids, options, context),
});

const drop = command({
  name: 'drop',
  summary: 'forget what is kept',
  description: 'forget what is kept, for good',
  arguments: { ids: repeated('ids', `${which}; without them, all of the choice`, anyText) },
  options: {
    in: store,
    form,
    olderThan,
    due,
    aside,
    all: flag('everything that is kept'),
    yes: flag('needed without ids; else only list what would be dropped'),
  },
  examples: [
    ['relay kept drop 7d0f6d0e-3c1a-4a53-9c0e-5b8f2f0c9a11', 'all kept deliveries of a submission'],
    ['relay kept drop --aside --older-than 90d --yes', 'dead letters older than 90 days'],
  ],
  run: async ({ ids = [], all, ...options }, context) => {
    const { form, olderThan, due, aside } = options;
    if (ids.length === 0 && [form, olderThan, due, aside, all].every((one) => one === undefined))
      throw context.misuse(
        "name ids, or choose with '--form', '--older-than', '--due', '--aside' or '--all'",
      );
    return dropKept(ids, options, context);
  },
});

const exported = command({
  name: 'export',
  summary: 'print what visitors sent as CSV or JSON Lines',
  description:
    'print what visitors sent and outputs owe as a table for spreadsheets, or a JSON object a line',
  options: { in: store, format, form, olderThan, due, aside },
  examples: [['relay kept export --form contact > contact.csv', 'to open in a spreadsheet']],
  run: (options, context) => exportKept(options, context),
});

const setup = command({
  name: 'setup',
  summary: 'make what the store needs',
  description: 'make what the store needs, such as the stream of nats://…, and say what was done',
  options: { in: store },
  examples: [['relay kept setup', 'before the first relay starts, and after changes']],
  run: (options, context) => setUpKeep(options, context),
});

const kept: Command = {
  name: 'kept',
  alias: 'keep',
  summary: 'list and retry failed deliveries',
  commands: [list, show, retry, deliver, drop, exported, setup],
};

export const plugin: Plugin = { name: 'kept', commands: [kept] };
