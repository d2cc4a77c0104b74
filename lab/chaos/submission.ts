/** The submissions, and what each sink must find of them. Both follow from a number, so nobody has to keep them. */
import { chance, choose } from './chance.ts';

/** `invalid` lacks a required field, `bot` fills the decoy: neither may arrive anywhere. */
export type Kind = 'valid' | 'invalid' | 'bot';

/** An output of the forms for each; `pair` is a mail to two people. */
export const sinkNames = ['hook', 'copy', 'crm', 'mail', 'pair'] as const;
export type SinkName = (typeof sinkNames)[number];

/** Forms, how many submissions of a hundred they get, and the sinks that must have all that was acknowledged. */
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

/** Names and values, `tags` up to three times. `proof` and `note` belong to this submission and no other. */
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

/** The names that `mapping` gives the fields at the CRM; everywhere else they keep their own. */
const crmNames: Readonly<Record<string, string>> = { id: 'lead__c', note: 'description', proof: 'proof__c' };

/** Keys sorted, empty values left out, and `source` added, as `configText` says. */
function payload(sink: SinkName, seed: number, id: number): [key: string, value: string][] {
  const named = fieldsOf(seed, id).map(([name, value]): [string, string] => [
    sink === 'crm' ? (crmNames[name] ?? name) : name,
    value,
  ]);
  return [...named, ['source', sink] as [string, string]]
    .filter(([, value]) => value !== '')
    .sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
}

/** The body that an HTTP sink must get, to the byte. */
export const expectedBody = (sink: SinkName, seed: number, id: number): string =>
  new URLSearchParams(payload(sink, seed, id)).toString();

/** The text that a mail must have. */
export const expectedText = (sink: SinkName, seed: number, id: number): string =>
  payload(sink, seed, id)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('');

/** The recipients that a mail must reach. */
export const expectedRecipients = (sink: SinkName, id: number): readonly string[] =>
  (sink === 'pair' ? ['first', 'second'] : ['office']).map((name) => `${name}+${id}@sink.example`);

/** YAML of a config besides the parts that the sinks check. */
export interface MoreConfig {
  /** Keys of the file. */
  readonly top?: string;
  /** Keys of every form, in addition to its own. */
  readonly form?: string;
  /** Keys of every form's `spam`, after a comma. */
  readonly spam?: string;
  /** An additional output of every form. */
  readonly output?: string;
}

/** Short timeouts, so that what hangs does not hold the run; `retries` differ, so that each way is gone. */
export function configText(
  ports: Readonly<Record<SinkName, number>>,
  more: MoreConfig & { readonly forms?: Readonly<Partial<Record<FormName, string>>> } = {},
): string {
  const post = (type: string, sink: SinkName, more: string) => `
      - type: ${type}
        url: http://127.0.0.1:${ports[sink]}/${sink}
        headers: {X-Submission: "{{ .fields.id }}"}
        static: {source: ${sink}}
        timeout: 2s
        ${more}`;
  const hook = post('http_post', 'hook', 'mapping: "*"');
  const copy = post('http_post', 'copy', 'mapping: "*"\n        on_error: continue\n        retries: 0');
  const crmMapping = '{lead__c: id, description: note, proof__c: proof, tags: tags}';
  const crm = post('crm_web2lead', 'crm', `mapping: ${crmMapping}\n        retries: 3`);
  const smtp = (sink: SinkName, ...names: readonly string[]) => `
      - type: smtp
        host: 127.0.0.1
        port: ${ports[sink]}
        to: "${names.map((name) => `${name}+{{ .fields.id }}@sink.example`).join(', ')}"
        subject: "Submission {{ .fields.id }}"
        mapping: "*"
        static: {source: ${sink}}
        timeout: 3s`;
  const form = (name: FormName, ...outputs: readonly string[]) => `
  ${name}:
    ${more.forms?.[name] ?? ''}${more.form ?? ''}
    fields:
      - {name: id, required: true}
      - {name: proof, required: true}
      - {name: note, type: textarea}
      - {name: tags}
    spam: {honeypot: website${more.spam ?? ''}}
    outputs:${outputs.join('')}${more.output ?? ''}`;
  return `${more.top ?? ''}\nforms:${[
    form('posts', hook, copy, crm),
    form('all', copy, smtp('mail', 'office'), hook, crm),
    form('mails', smtp('pair', 'first', 'second'), hook),
  ].join('')}\n`;
}
