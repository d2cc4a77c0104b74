import { mapOrNothing, type RawMap } from '../../features/feature.ts';
import { latePattern } from '../../fields/text_like.ts';
import { type Finding, finding, type Path } from '../../schema/finding.ts';
import { listKinds } from '../../schema/lists/list.ts';
import { rawForms } from '../form_languages.ts';
import type { Problem } from '../problem.ts';

/**
 * Finds what a config asks for that needs sockets, a disk or a process that lives on, and so cannot be done by a Worker of Cloudflare.
 * The Worker reports it when the config loads, and `relay config validate --for cloudflare` before that.
 */
export const cloudflareLacks = (config: RawMap): readonly Finding[] => {
  const { keep, alerts, counted_in: counted, inbox, pdf, spam } = config;
  return [
    ...ofOutputs(mapOrNothing(alerts).outputs, ['alerts', 'outputs']),
    ...(isWritten(keep) && !/^queue:/i.test(String(mapOrNothing(keep).in))
      ? [lacks('keep', ['keep', 'in'])]
      : []),
    ...(isWritten(counted) && !/^(dynamodb|durable-object):/i.test(String(counted))
      ? [lacks('counted', ['counted_in'])]
      : []),
    ...(isWritten(inbox) ? [aboutKey(lacks('inbox', ['inbox']))] : []),
    ...(isWritten(config.journal) ? [aboutKey(lacks('journal', ['journal']))] : []),
    ...['alerts', 'heartbeat'].flatMap((key) =>
      isWritten(config[key]) ? [aboutKey(lacks('monitor', [key]))] : [],
    ),
    ...listOf(mapOrNothing(pdf).fonts).map((_, index) => lacks('fonts', ['pdf', 'fonts', index])),
    ...ofSpam(spam, ['spam']),
    ...Object.entries(rawForms(config)).flatMap(([id, form]) => ofForm(mapOrNothing(form), ['forms', id])),
  ];
};

/**
 * The bindings that a config names and the Worker lacks. With the first output that failed, what should have been kept would be
 * lost.
 */
export function unboundIn(
  { keep, counted_in: counted }: RawMap,
  binding: (name: string) => unknown,
): readonly Finding[] {
  const queues = /^queue:\/\/(\w+)\/(\w+)$/i.exec(String(mapOrNothing(keep).in))?.slice(1) ?? [];
  const objects = /^durable-object:\/\/(\w+)$/.exec(String(counted))?.slice(1) ?? [];
  const without = (method: string) => (name: string) =>
    typeof (binding(name) as RawMap | undefined)?.[method] !== 'function';
  return [
    ...queues
      .filter(without('send'))
      .map((name) => finding('not_bound', ['keep', 'in'], { name, kind: 'queue' })),
    ...objects
      .filter(without('idFromName'))
      .map((name) => finding('not_bound', ['counted_in'], { name, kind: 'Durable Object' })),
  ];
}

const lacks = (what: Parameters<typeof finding<'not_on_cloudflare'>>[2]['what'], path: Path): Finding =>
  finding('not_on_cloudflare', path, { what });

const aboutKey = (one: Finding): Finding => ({ ...one, aboutKey: true });
const isWritten = (value: unknown) => value !== undefined && value !== null;
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function ofForm(form: RawMap, path: Path): readonly Finding[] {
  return [
    ...ofOutputs(form.outputs, [...path, 'outputs']),
    ...(isWritten(form.scan) ? [aboutKey(lacks('scan', [...path, 'scan']))] : []),
    // Mails to visitors may go through a server of their own.
    ...['confirmation_mail', 'double_opt_in', 'resume'].flatMap((key) => {
      const { through } = mapOrNothing(form[key]);
      return mapOrNothing(through).type === 'smtp'
        ? [lacks('through', [...path, key, 'through', 'type'])]
        : [];
    }),
    ...ofSpam(form.spam, [...path, 'spam']),
    ...listOf(form.fields).flatMap((field, index) => {
      const { pattern } = mapOrNothing(field);
      return isWritten(pattern) && needsThread(String(pattern))
        ? [lacks('pattern', [...path, 'fields', index, 'pattern'])]
        : [];
    }),
  ];
}

const ofOutputs = (outputs: unknown, path: Path): readonly Finding[] =>
  listOf(outputs).flatMap((output, index) => {
    const { type, seal_to_file: keys } = mapOrNothing(output);
    if (type === 'smtp' || type === 'folder') return [lacks(type, [...path, index, 'type'])];
    return isWritten(keys) ? [aboutKey(lacks('seal_file', [...path, index, 'seal_to_file']))] : [];
  });

function ofSpam(spam: unknown, path: Path): readonly Finding[] {
  return Object.entries(mapOrNothing(mapOrNothing(spam).signals)).flatMap(([signal, keys]) => {
    const at = [...path, 'signals', signal];
    return listKinds.flatMap((kind) =>
      /^([a-z]:)?[\\/]/i.test(String(mapOrNothing(keys)[kind])) ? [lacks('file', [...at, kind])] : [],
    );
  });
}

/** Whether only a thread that can be stopped may match it. The schema reports a malformed one. */
const needsThread = (pattern: string): boolean =>
  latePattern.loaded.readPattern(pattern)?.needsThread() ?? false;

// Stores that Cloudflare binds to names.

/**
 * Those of a config. A relay elsewhere does not load it: each delivery to keep would be lost, each place refused. The owner's
 * commands load it and warn, since the relay may run on Cloudflare.
 */
export const storesOfCloudflare = ({ keep, counted_in: counted }: RawMap): readonly Finding[] => [
  ...(/^queue:\/\/\w/i.test(String(mapOrNothing(keep).in))
    ? [finding('store_of_cloudflare', ['keep', 'in'], { store: 'keep' })]
    : []),
  ...(/^durable-object:\/\/\w/.test(String(counted))
    ? [finding('store_of_cloudflare', ['counted_in'], { store: 'counted_in' })]
    : []),
];

export const isOfCloudflare = ({ code }: Problem): boolean => code === 'store_of_cloudflare';
