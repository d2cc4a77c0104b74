/** Masks values that differ between two runs of one build: ids, times, ports, and signatures over them. */
import type { Sinks } from './sinks.ts';

const patterns: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID'],
  // Trace ids, span ids, hashes of ids in boundaries. The trace that the client named is kept.
  [/\b(?!4bf92f3577b34da6a3ce929d0e0e4736)[0-9a-f]{32}\b/g, 'HEX32'],
  [/(traceparent: 00-[^-]+-)[0-9a-f]{16}/g, '$1HEX16'],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?/g, 'TIME'],
  [/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d? \w{3} \d{4} \d\d:\d\d:\d\d (?:GMT|[+-]\d{4})/g, 'DATE'],
  [/(webhook-timestamp: )\d+/g, '$1SECONDS'],
  [/(webhook-signature: ).*/g, '$1SIGNATURE'],
  [/("(?:ms|time|ageMs)":)(?:\d+|"[^"]*")/g, '$1X'],
  // Min-fill tokens and receipts.
  [/\b[0-9a-z]{6,10}\.[0-9a-z]{1,10}\.[\w-]{43}/g, 'TOKEN'],
  [/\bfr1\.[\w.-]+/g, 'RECEIPT'],
];

/** Where something in a text of many lengths is masked, its length says nothing. */
const lengths = /^(content-length: |MAIL FROM:.* SIZE=)\d+/gim;

/** The same for a text of a relay with these sinks. */
export function masked(text: string, { http, smtp }: Pick<Sinks, 'http' | 'smtp'>): string {
  const ports = text.replaceAll(`127.0.0.1:${http}`, 'SINK').replaceAll(`127.0.0.1:${smtp}`, 'SMTP');
  const all = patterns.reduce((all, [pattern, name]) => all.replace(pattern, name), ports);
  return /TOKEN|RECEIPT/.test(all) ? all.replace(lengths, '$1N') : all;
}
