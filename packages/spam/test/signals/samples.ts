/** The labelled messages in packages/spam/test/signals/corpus, scored by the signals. */

import { readdirSync, readFileSync } from 'node:fs';
import { parseConfig } from '../../../../test/support/parse_config.ts';
import type { Form } from '../../../core/src/form.ts';
import { type Weighed, weigh } from '../../src/score/weigh.ts';
import type { Signal, SignalContext, SignalInput } from '../../src/signals/signal.ts';

export interface Sample {
  readonly id: string;
  readonly label: 'human' | 'spam';
  readonly kind: string;
  /** The language of the form. */
  readonly language: string;
  /** Every third sample was held out while the rules were written, to measure them. */
  readonly isHeldOut: boolean;
  readonly fields: Readonly<Record<string, string>>;
}

/** A message by an author who had seen neither the rules nor the corpus. */
export interface Unseen extends Pick<Sample, 'label' | 'kind' | 'language' | 'fields'> {
  /** The points must stay below this number. Default: the threshold of `tag`. */
  readonly below?: number;
}

const folder = new URL('./corpus/', import.meta.url);

const linesOf = (url: URL) =>
  readFileSync(url, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

export const samples: readonly Sample[] = readdirSync(folder)
  .filter((name) => name.endsWith('.jsonl'))
  .toSorted()
  .flatMap((name) => linesOf(new URL(name, folder)))
  .map((sample) => ({ ...sample, isHeldOut: Number(sample.id.slice(-2)) % 3 === 0 }));

export const unseen: readonly Unseen[] = linesOf(new URL('./unseen.jsonl', import.meta.url));

/** A typical contact form. */
export async function contactForm(): Promise<Form> {
  const config = parseConfig(
    `forms:
  contact:
    fields:
      - {name: name, required: true}
      - {name: email, type: email, required: true}
      - {name: phone, type: tel}
      - {name: company}
      - {name: subject}
      - {name: message, type: textarea, required: true}
    spam: {doubt: tag, signals: {}}
    outputs:
      - {type: http_post, url: "https://crm.example.com/", mapping: "*"}
`,
    'webform.yaml',
  );
  const form = config.ok ? config.value.forms.get('contact') : undefined;
  if (!form) throw new Error('the form of the corpus does not load');
  return form;
}

/** The sample as the signals see it when it is submitted to this form. */
export const seenOf = (
  form: Form,
  { language, fields }: Pick<Sample, 'language' | 'fields'>,
): SignalInput => ({
  formId: form.id,
  fields: form.fields,
  languages: [language],
  values: new Map(Object.entries(fields).map(([name, value]) => [name, [value]])),
  headers: undefined,
  address: undefined,
  receivedAt: 0,
});

/** Signals that read only text never use the context. */
const nowhere = {} as SignalContext;

/** The signals that read only typed text. */
export const ofText: ReadonlySet<string> = new Set([
  ...['links', 'misplaced', 'writing', 'gibberish', 'offers', 'scams', 'link_trade', 'mass_mail'],
]);

/** The score of every sample, with the signals' default weights unless `weightOf` changes them. */
export async function weighAll(weightOf?: (signal: Signal) => number): Promise<ReadonlyMap<Sample, Weighed>> {
  return weighEach(samples, weightOf);
}

export async function weighEach<S extends Pick<Sample, 'language' | 'fields'>>(
  messages: readonly S[],
  weightOf: (signal: Signal) => number = ({ weight }) => weight,
): Promise<ReadonlyMap<S, Weighed>> {
  const form = await contactForm();
  const signals = (form.provided.get('doubt')?.signals ?? [])
    .filter(({ name }) => ofText.has(name))
    .map((signal) => ({ ...signal, weight: weightOf(signal) }));
  const all = new Map<S, Weighed>();
  for (const sample of messages)
    all.set(sample, weigh({ signals, thresholds: [] }, seenOf(form, sample), nowhere));
  return all;
}

/** The default threshold of `tag`, in points. */
export const marked = 4;

export const isMarked = (all: ReadonlyMap<Sample, Weighed>) => (sample: Sample) =>
  (all.get(sample)?.score ?? 0) >= marked;
