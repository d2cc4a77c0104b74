import type { Form, FormOutput } from '@form-relay/relay/base';
import {
  captcha,
  doubt,
  type Field,
  honeypot,
  keep,
  labelOf,
  minFill,
  places,
  schedule,
} from '@form-relay/relay/features';
import { applies, takesMails } from '@form-relay/relay/transports';
import type { Sample } from './samples.ts';

/** Facts about a form that its scenarios need (app/form/scenes.tsx plays them). */
export interface Scenes {
  readonly samples: readonly Sample[];
  /** A value that the relay does not take. */
  readonly typo: { readonly name: string; readonly label: string; readonly value: string } | undefined;
  /** An advertisement's values, if the form has room for them and checks for spam. */
  readonly offer: readonly Sample[] | undefined;
  /** The check that catches a bot: the first of the form's. */
  readonly bot: 'honeypot' | 'min_fill' | 'captcha' | undefined;
  readonly decoy: string | undefined;
  /** How long ago, in milliseconds, a visitor who filled the form in was given it, and one who came back too late. */
  readonly readMs: number;
  readonly staleMs: number | undefined;
  /** When it opens and closes, in milliseconds since the epoch. */
  readonly opensAt: number | undefined;
  readonly closesAt: number | undefined;
  /** The fields of whose options there are only so many; empty where only all submissions are counted. */
  readonly counted: readonly string[] | undefined;
  /** The field each of whose values is taken once. */
  readonly once: string | undefined;
  /** The output that goes down, of those that can: the first on which the submission depends, else the first. */
  readonly down: Down | undefined;
}

interface Down {
  readonly output: number;
  readonly type: string;
  readonly isNeeded: boolean;
  readonly isMail: boolean;
  /** Failed deliveries are kept and retried. */
  readonly isKept: boolean;
}

/** `canRefuse` tells whether an output can be made to refuse connections. */
export function scenesOf(
  form: Form,
  samples: readonly Sample[],
  canRefuse: (output: FormOutput) => boolean,
): Scenes {
  const { outputs } = form;
  const decoy = honeypot.of(form);
  const timed = minFill.of(form);
  const kept = keep.of(form);
  const { opens, closes } = schedule.of(form) ?? {};
  const { total, options, once } = places.of(form) ?? {};
  const sent = new Map(samples.map(([name]) => [name, valuesOf(name, samples)]));
  const taking = outputs.map((one) => canRefuse(one) && (!one.when || applies(one.when, sent)));
  const needed = outputs.findIndex(({ on_error }, index) => taking[index] && on_error === 'fail');
  const first = taking.findIndex(Boolean);
  const output = needed >= 0 ? needed : first;
  const typos = form.inputs
    .filter((field) => samples.some(([name]) => name === field.name))
    .flatMap((field) => typosOf(field).map((value) => ({ name: field.name, label: labelOf(field), value })));
  return {
    samples,
    // A wrong value says more than a missing one.
    typo: typos.find(({ value }) => value !== '') ?? typos[0],
    offer: offerOf(form, samples),
    bot: decoy !== undefined ? 'honeypot' : timed ? 'min_fill' : captcha.of(form) ? 'captcha' : undefined,
    decoy,
    readMs: timed ? timed.minFillMs + 5_000 : 0,
    staleMs: timed && timed.ttlMs + 3_600_000,
    opensAt: opens?.at,
    closesAt: closes?.at,
    counted: total === undefined && !options?.size ? undefined : [...(options?.keys() ?? [])],
    once: once?.by,
    down: outputs[output] && {
      output,
      type: outputs[output].type,
      isNeeded: needed >= 0,
      isMail: takesMails(outputs[output].target),
      isKept: kept !== undefined,
    },
  };
}

/** The same as anybody, with an advertisement where most can be written. */
function offerOf(form: Form, samples: readonly Sample[]): Scenes['offer'] {
  const takes = (type: string) =>
    form.fields.find(
      (field) =>
        field.type === type &&
        field.check([offer]) === undefined &&
        samples.some(([name]) => name === field.name),
    );
  const field = takes('textarea') ?? takes('text');
  return (
    doubt.of(form) && field && samples.map(([name, value]) => [name, name === field.name ? offer : value])
  );
}

/** Without the scheme of an address: the page of the studio names no site but its own. */
const offer =
  'Dear website owner, we can bring your website to the first page of Google. 500 backlinks for only $99! See www.seo-offer.example, www.seo-offer.example/prices, www.cheap-links.example and www.first-page.example for our SEO packages. Reply to this mail for a free quote.';

const valuesOf = (wanted: string, samples: readonly Sample[]) =>
  samples.filter(([name]) => name === wanted).map(([, value]) => value);

/** Values that people type into such a field and the field refuses: first one that browsers let through, last none. */
function typosOf(field: Field): readonly string[] {
  // In a slider, too, nobody can write.
  if (
    field.layout === 'bare' ||
    field.possibleValues ||
    field.takeFiles ||
    ['range', 'computed'].includes(field.type)
  )
    return [];
  const guesses = field.type === 'email' ? ['ada.example.org', 'ada@@example.org'] : ['?', '-1'];
  const canBeEmpty = field.check([]) === undefined && !field.required;
  return [...guesses.filter((guess) => field.check([guess])), ...(canBeEmpty ? [] : [''])];
}
