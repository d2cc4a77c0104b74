/**
 * Finds the parts of a config that Cloudflare Workers cannot run, because they need sockets, a disk or a
 * long-lived process. The Worker reports them when the config loads; `relay config validate --for cloudflare`
 * reports them earlier.
 */
import type { Diagnostics } from '@form-relay/schema/diagnostics';
import { isMap } from '@form-relay/schema/kinds';

type Raw = Readonly<Record<string, unknown>>;

const mapOrNothing = (value: unknown): Raw => (isMap(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const isWritten = (value: unknown) => value !== undefined && value !== null;

const words = {
  smtp: 'SMTP needs a socket; send mail with type: email (Amazon SES), or through the HTTP API of a mail provider with type: webhook',
  through: 'SMTP needs a socket; send this mail through Amazon SES, with type: email',
  folder: 'Workers have no disk; write to a bucket with type: s3',
  keep: 'on Workers, deliveries can be queued only in Cloudflare queues; write in: queue://KEPT/ASIDE',
  counted:
    'Workers have no disk, and NATS needs a socket; write counted_in: durable-object://COUNTS, or dynamodb://table',
  inbox:
    'the inbox needs a port and a disk; remove it here, and serve it with a relay on a server (docs/inbox-team.md)',
  monitor:
    'Workers do not run between requests; remove this, and set up Cloudflare notifications for the queue and for errors',
  fonts: 'Workers have no disk for fonts; remove fonts (Latin-1 still works)',
  file: 'Workers have no disk; use a path relative to the config, and put the file beside the config in KV',
};

const cannot = (what: keyof typeof words, at: Diagnostics, aboutKey = false) =>
  at.error(`Cloudflare Workers cannot do this: ${words[what]}`, { aboutKey });

/** Reports every part of the config that a Worker does not support. */
export function unsupportedOnCloudflare(config: unknown, at: Diagnostics): void {
  const { keep, alerts, counted_in: counted, pdf, spam, forms, ...top } = mapOrNothing(config);
  outputs(mapOrNothing(alerts).outputs, at.in('alerts', 'outputs'));
  if (isWritten(keep) && !/^queue:/i.test(String(mapOrNothing(keep).in))) cannot('keep', at.in('keep', 'in'));
  if (isWritten(counted) && !/^(dynamodb|durable-object):/i.test(String(counted)))
    cannot('counted', at.in('counted_in'));
  if (isWritten(top.inbox)) cannot('inbox', at.in('inbox'), true);
  if (isWritten(alerts)) cannot('monitor', at.in('alerts'), true);
  for (const index of listOf(mapOrNothing(pdf).fonts).keys()) cannot('fonts', at.in('pdf', 'fonts', index));
  signals(spam, at.in('spam'));
  for (const [id, one] of Object.entries(mapOrNothing(forms))) form(mapOrNothing(one), at.in('forms', id));
}

function form(written: Raw, at: Diagnostics): void {
  outputs(written.outputs, at.in('outputs'));
  // Mails to visitors may use a mail server other than the form's.
  for (const key of ['confirmation_mail', 'double_opt_in', 'verification_mail'])
    if (mapOrNothing(mapOrNothing(written[key]).through).type === 'smtp')
      cannot('through', at.in(key, 'through', 'type'));
  signals(written.spam, at.in('spam'));
}

function outputs(written: unknown, at: Diagnostics): void {
  for (const [index, output] of listOf(written).entries()) {
    const { type } = mapOrNothing(output);
    if (type === 'smtp' || type === 'folder') cannot(type, at.in(index, 'type'));
  }
}

const listKinds = ['words', 'addresses', 'domains', 'model'];

function signals(spam: unknown, at: Diagnostics): void {
  for (const [signal, keys] of Object.entries(mapOrNothing(mapOrNothing(spam).signals)))
    for (const kind of listKinds)
      if (/^([a-z]:)?[\\/]/i.test(String(mapOrNothing(keys)[kind])))
        cannot('file', at.in('signals', signal, kind));
}

/**
 * Reports bindings that a config names and the Worker lacks. Otherwise the first output to fail would lose
 * the submission that should have been queued.
 */
export function unboundIn(config: unknown, binding: (name: string) => unknown, at: Diagnostics): void {
  const { keep, counted_in: counted } = mapOrNothing(config);
  const queues = /^queue:\/\/(\w+)\/(\w+)$/i.exec(String(mapOrNothing(keep).in))?.slice(1) ?? [];
  const objects = /^durable-object:\/\/(\w+)$/.exec(String(counted))?.slice(1) ?? [];
  const check = (name: string, kind: string, method: string, place: Diagnostics) => {
    if (typeof mapOrNothing(binding(name))[method] === 'function') return;
    place.error(`no ${kind} is bound to "${name}"; add one to wrangler.jsonc (docs/deploy/cloudflare.md)`);
  };
  for (const name of queues) check(name, 'queue', 'send', at.in('keep', 'in'));
  for (const name of objects) check(name, 'Durable Object', 'idFromName', at.in('counted_in'));
}
