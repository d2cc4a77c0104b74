/** `relay kept`. */
import { type Command, command, flag, option, repeated } from '@form-relay/core/command';
import type { Plugin } from '@form-relay/core/plugin';
import { anyText, fileName } from '@form-relay/schema/scalars';
import { aside, due, form, format, olderThan, output, store } from '../options.ts';
import { dropKept, exportKept, listKept, setUpKeep, showKept } from './print.ts';
import { deliverHere, retryKept } from './retry.ts';

const which = 'ids of deliveries or submissions, from relay kept list or the log';

const list = command({
  name: 'list',
  summary: 'print a line for each kept delivery',
  description: 'print a line for each kept delivery: its age, output and reason, and the next retry',
  options: {
    in: store,
    form,
    olderThan,
    due,
    aside,
    show: flag('also the first words of each submission'),
    json: flag('print JSON Lines'),
  },
  examples: [
    ['relay kept list', 'kept deliveries, and a count per form'],
    ['relay kept list --aside --json', 'dead letters, for programs'],
  ],
  run: (options, context) => listKept(options, context),
});

const show = command({
  name: 'show',
  summary: 'print a kept delivery',
  description: 'print all details of a kept delivery as JSON, and save its files',
  arguments: { ids: { ...repeated('ids', which, anyText), isRequired: true as const } },
  options: {
    in: store,
    show: flag('also print submitted values'),
    files: option('folder', 'save its files in this folder; never overwrites files', fileName),
  },
  examples: [['relay kept show 7d0f6d0e-3c1a-4a53-9c0e-5b8f2f0c9a11 --show', 'with submitted values']],
  run: ({ ids = [], ...options }, context) => showKept(ids, options, context),
});

const retry = command({
  name: 'retry',
  summary: 'retry now',
  description: 'retry now, after you have fixed the cause',
  arguments: { ids: repeated('ids', `${which}. Default: all dead letters`, anyText) },
  options: {
    in: store,
    form,
    olderThan,
    due,
    aside,
    output,
    all: flag('also deliveries that the relay would retry later'),
    json: flag('print the number as JSON'),
  },
  examples: [
    ['relay kept retry', 'all dead letters'],
    ['relay kept retry --form contact --output 0', 'deliver to outputs[0] instead of a removed output'],
  ],
  run: ({ ids = [], ...options }, context) => retryKept(ids, options, context),
});

const deliver = command({
  name: 'deliver',
  summary: 'deliver kept submissions from here',
  description: 'deliver kept submissions from here now, as the relay would, and print each result',
  arguments: { ids: repeated('ids', `${which}. Default: all`, anyText) },
  options: { in: store, form, olderThan, due, aside, output, json: flag('print JSON Lines') },
  notes: 'Needs the config and the environment of the outputs.\nExit code: 0 if all was delivered, 1 if not.',
  examples: [['relay kept deliver --aside', 'deliver dead letters now']],
  run: ({ ids = [], ...options }, context) => deliverHere(ids, options, context),
});

const drop = command({
  name: 'drop',
  summary: 'delete kept deliveries',
  description: 'delete kept deliveries permanently',
  arguments: { ids: repeated('ids', `${which}. Default: all selected deliveries`, anyText) },
  options: {
    in: store,
    form,
    olderThan,
    due,
    aside,
    all: flag('all kept deliveries'),
    yes: flag('needed without ids; otherwise only list the selected deliveries'),
  },
  examples: [
    ['relay kept drop 7d0f6d0e-3c1a-4a53-9c0e-5b8f2f0c9a11', 'all kept deliveries of a submission'],
    ['relay kept drop --aside --older-than 90d --yes', 'dead letters older than 90 days'],
  ],
  run: async ({ ids = [], all, ...options }, context) => {
    const { form, olderThan, due, aside } = options;
    if (ids.length === 0 && [form, olderThan, due, aside, all].every((one) => one === undefined))
      throw context.misuse(
        "give ids, or select with '--form', '--older-than', '--due', '--aside' or '--all'",
      );
    return dropKept(ids, options, context);
  },
});

const exported = command({
  name: 'export',
  summary: 'print kept submissions as CSV or JSON Lines',
  description: 'print kept submissions and their pending outputs as CSV for spreadsheets, or as JSON Lines',
  options: { in: store, format, form, olderThan, due, aside },
  examples: [['relay kept export --form contact > contact.csv', 'to open in a spreadsheet']],
  run: (options, context) => exportKept(options, context),
});

const setup = command({
  name: 'setup',
  summary: 'set up the store',
  description: 'set up the store, such as the stream of nats://…, and print what changed',
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
