/** Submissions, and what each sink must receive of them. Both follow from a number, so neither is stored. */
import { readYaml } from '../../scripts/data.ts';
import { chance, choose } from './chance.ts';

/** `invalid` lacks a required field, `bot` fills in the honeypot: neither may arrive anywhere. */
export type Kind = 'valid' | 'invalid' | 'bot';

/** The outputs of the forms; `pair` is a mail to two people. */
export const sinkNames = ['hook', 'copy', 'crm', 'mail', 'pair'] as const;
export type SinkName = (typeof sinkNames)[number];

/** Forms, their share of submissions in percent, and the sinks that must receive everything acknowledged. */
export const forms = [
  { name: 'posts', weight: 70, needs: ['hook', 'crm'] },
  { name: 'all', weight: 20, needs: ['hook', 'crm', 'mail'] },
  { name: 'mails', weight: 10, needs: ['hook', 'pair'] },
] as const satisfies readonly { name: string; weight: number; needs: readonly SinkName[] }[];

type FormName = (typeof forms)[number]['name'];

export interface Submission {
  readonly kind: Kind;
  readonly form: (typeof forms)[number];
  /** As posted. */
  readonly body: string;
}

const kinds: readonly { kind: Kind; weight: number }[] = [
  { kind: 'valid', weight: 97 },
  { kind: 'invalid', weight: 1 },
  { kind: 'bot', weight: 2 },
];

export function submission(seed: number, id: number): Submission {
  const { kind } = choose(kinds, chance(seed, id, 1));
  const form = choose(forms, chance(seed, id, 2));
  const body = new URLSearchParams(fieldsOf(seed, id));
  if (kind === 'invalid') body.delete('proof');
  body.append('website', kind === 'bot' ? 'https://spam.example/' : '');
  return { kind, form, body: body.toString() };
}

/** Names and values, with up to three `tags`. `proof` and `note` are unique to this submission. */
function fieldsOf(seed: number, id: number): [name: string, value: string][] {
  const proof = chance(seed, id, 3).toString(36).slice(2);
  const words = Math.floor(chance(seed, id, 4) ** 4 * 300);
  const note = Array.from({ length: words }, (_, at) => vocabulary[(id + at * 7) % vocabulary.length]).join(
    ' ',
  );
  const tags = Array.from({ length: id % 4 }, (_, at) => `tag ${id}.${at}`);
  return [
    ['id', String(id)],
    ['proof', proof],
    ['note', note],
    ...tags.map((tag): [string, string] => ['tags', tag]),
  ];
}

const vocabulary = 'Ada|engine|100 %|a=b&c|Żółw|日本|🙂|x;y|"quoted"|.|../..|<b>|it\'s'.split('|');

/** Names to which `mapping` changes the fields for the CRM; other sinks get the original names. */
const crmNames: Readonly<Record<string, string>> = { id: 'lead__c', note: 'description', proof: 'proof__c' };

/** Sorted keys without empty values, and with `source` added, as in webform.yaml. */
function payload(sink: SinkName, seed: number, id: number): [key: string, value: string][] {
  const named = fieldsOf(seed, id).map(([name, value]): [string, string] => [
    sink === 'crm' ? (crmNames[name] ?? name) : name,
    value,
  ]);
  return [...named, ['source', sink] as [string, string]]
    .filter(([, value]) => value !== '')
    .sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
}

/** The exact body that an HTTP sink must receive. */
export const expectedBody = (sink: SinkName, seed: number, id: number): string =>
  new URLSearchParams(payload(sink, seed, id)).toString();

/** The text that a mail must contain. */
export const expectedText = (sink: SinkName, seed: number, id: number): string =>
  payload(sink, seed, id)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('');

/** The recipients that a mail must reach. */
export const expectedRecipients = (sink: SinkName, id: number): readonly string[] =>
  (sink === 'pair' ? ['first', 'second'] : ['office']).map((name) => `${name}+${id}@sink.example`);

type Keys = Readonly<Record<string, unknown>>;

interface Template {
  readonly fields: readonly Keys[];
  readonly forms: Readonly<Record<FormName, readonly Keys[]>>;
  readonly further: Keys;
  readonly everything: Readonly<Record<'top' | 'form' | 'spam' | 'output', Keys>>;
}

export interface Config {
  readonly forms: Keys;
}

type Places = Readonly<Record<SinkName, number>>;
const read = ({ hook, copy, crm, mail, pair }: Places, more = {}) =>
  readYaml<Template>(new URL('webform.yaml', import.meta.url), {
    ...{ HOOK: hook, COPY: copy, CRM: crm, MAIL: mail, PAIR: pair },
    ...more,
  });

interface More {
  readonly top?: Keys;
  readonly forms?: Readonly<Record<string, Keys>>;
}

/** @param more More keys of the file and of each form. */
export function configOf(ports: Places, { top = {}, forms = {} }: More = {}): Config {
  const { fields, forms: all } = read(ports);
  const form = ([name, outputs]: [string, readonly Keys[]]) => [
    name,
    { ...forms[name], fields, spam: { honeypot: 'website' }, outputs },
  ];
  return { ...top, forms: Object.fromEntries(Object.entries(all).map(form)) };
}

/** The same config with everything switched on, and with more forms. */
export function configWithEverything(ports: Places, ALERTS: number, FOLDER: string): Config {
  const { fields, forms, further, everything } = read(ports, { ALERTS, FOLDER });
  const form = ([name, outputs]: [string, readonly Keys[]]) => [
    name,
    {
      ...everything.form,
      fields,
      spam: { honeypot: 'website', ...everything.spam },
      outputs: [...outputs, everything.output],
    },
  ];
  return {
    ...everything.top,
    forms: { ...Object.fromEntries(Object.entries(forms).map(form)), ...further },
  };
}
