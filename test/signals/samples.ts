/** The labelled messages in test/signals/corpus, weighed by the signals. */

import { readdirSync, readFileSync } from 'node:fs';
import { loadAllParts } from '../../packages/relay/src/config/late_parts.ts';
import { doubt } from '../../packages/relay/src/features/doubt/doubt.ts';
import { type Weighed, weigh } from '../../packages/relay/src/features/doubt/examine.ts';
import type { Seen, Signal, SignalWorld } from '../../packages/relay/src/features/doubt/signals/signal.ts';
import type { Form } from '../../packages/relay/src/form.ts';
import { parseConfig } from '../support/parse_config.ts';

export interface Sample {
  readonly id: string;
  readonly label: 'human' | 'spam';
  readonly kind: string;
  /** The language of the form. */
  readonly language: string;
  /** Held out while the rules were written, to measure them: one of three. */
  readonly isHeldOut: boolean;
  readonly fields: Readonly<Record<string, string>>;
}

const folder = new URL('./corpus/', import.meta.url);

export const samples: readonly Sample[] = readdirSync(folder)
  .filter((name) => name.endsWith('.jsonl'))
  .toSorted()
  .flatMap((name) =>
    readFileSync(new URL(name, folder), 'utf8')
      .trim()
      .split('\n')
      .map((line): Sample => {
        const sample = JSON.parse(line);
        return { ...sample, isHeldOut: Number(sample.id.slice(-2)) % 3 === 0 };
      }),
  );

/** A typical contact form. */
export async function contactForm(): Promise<Form> {
  await loadAllParts();
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

/** The sample as a submission to this form. */
export const seenOf = (form: Form, { language, fields }: Pick<Sample, 'language' | 'fields'>): Seen => ({
  id: '',
  formId: form.id,
  fields: form.fields,
  languages: [language],
  values: new Map(Object.entries(fields).map(([name, value]) => [name, [value]])),
  headers: undefined,
  behaviour: undefined,
  address: undefined,
  receivedAt: 0,
  deadline: 10_000,
});

/** Signals that read only text never touch this. */
const nowhere = {} as SignalWorld;

/** The signals that read only what was typed. */
export const ofText: ReadonlySet<string> = new Set([
  'links',
  'misplaced',
  'writing',
  'gibberish',
  'offers',
  'scams',
  'link_trade',
  'mass_mail',
]);

/** The weight of every sample by id, at the signals' default weights unless `weightOf` changes them. */
export async function weighAll(
  weightOf: (signal: Signal) => number = ({ weight }) => weight,
): Promise<ReadonlyMap<Sample, Weighed>> {
  const form = await contactForm();
  const signals = (doubt.of(form)?.signals ?? [])
    .filter(({ name }) => ofText.has(name))
    .map((signal) => ({ ...signal, weight: weightOf(signal) }));
  const all = new Map<Sample, Weighed>();
  for (const sample of samples) {
    all.set(sample, await weigh({ signals, thresholds: [] }, seenOf(form, sample), nowhere));
  }
  return all;
}

/** The default of `tag`, in points. */
const marked = 4;

export const isMarked = (all: ReadonlyMap<Sample, Weighed>) => (sample: Sample) =>
  (all.get(sample)?.score ?? 0) >= marked;
