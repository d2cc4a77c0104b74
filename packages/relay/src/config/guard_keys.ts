/** Keys that keep out floods, bots and advertisements, beyond SPEC's: at the top for all forms, or in one. */
import * as v from 'valibot';
import { doubtActions, type SignalWeight } from '../base/doubt.ts';
import type { Doubt, Gates } from '../form.ts';
import type { AnySchema, Schema } from '../schema/any_schema.ts';
import { optional } from '../schema/keys.ts';
import { choice, flag, flagMeantBy, list, name, oneOf, text } from '../schema/kinds.ts';
import { originPattern } from '../schema/origin_pattern.ts';
import { rate } from '../schema/rate.ts';

type Late = typeof import('./doubt_keys.ts');
let late: Late | undefined;

/** `mayName`: whether the config's text may have this in it. */
export async function loadDoubt(mayName: (name: string) => boolean): Promise<void> {
  if (mayName('doubt') || mayName('signals')) late = await import('./doubt_keys.ts');
}

const unread = v.never() as AnySchema as Schema<never>;

/** The signals of a form, which were read with the keys that name them. */
export const signalsOf: Late['signalsOf'] = (guards, lists) => late?.signalsOf(guards, lists) ?? [];

export const signalProblems: Late['signalProblems'] = (config, parsed) =>
  late?.signalProblems(config, parsed) ?? [];

export const signalWarnings: Late['signalWarnings'] = (config) => late?.signalWarnings(config) ?? [];

const someOrigins: Schema<Gates['origins']> = list(originPattern(), { least: 1 });

const anyOrigin: Schema<Gates['origins']> = v.pipe(
  v.literal('*'),
  v.transform((): undefined => undefined),
);

const always: Schema<boolean | 'auto'> = flag();
const auto: Schema<boolean | 'auto'> = choice(['auto']);
/** For all but flags: what it says of a wrong word names all three. */
const autoAmongAll = choice(['true', 'false', 'auto']) as AnySchema as Schema<'auto'>;

/** What is read late; config/json_schema.ts looks into them. */
export const signals: Schema<ReadonlyMap<string, SignalWeight>> = v.lazy(() => late?.signalsSchema ?? unread);
export const doubt: Schema<Doubt['thresholds']> = v.lazy(() => late?.doubtSchema ?? unread);

export const gateKeys = {
  origins: optional(
    'The origins of the pages on which the form may be filled in, such as `[https://example.com, "https://*.example.com"]`; beside them, the relay’s own. `"*"` is any (docs/spam.md).',
    oneOf([someOrigins, anyOrigin], (input) => (input === '*' ? anyOrigin : someOrigins)),
  ),
  origins_unknown: optional(
    'What becomes of a submission whose browser does not say from which page it comes, where `origins` are named: `allow`, `challenge` or `refuse`. Default: `allow`.',
    choice(['allow', 'challenge', 'refuse']),
  ),
  rate_limit: optional(
    'How often one client may send one form, such as `5 per 10m`; `off` in a form switches off what stands at the top.',
    rate(),
  ),
};

export const guardKeys = {
  proof_of_work: optional(
    'Has the visitor’s browser solve a puzzle while the form is filled in: always (`true`), or where a form or a client is under attack (`auto`). Needs FORM_TOKEN_SECRET in the environment.',
    oneOf([always, auto], (input) => (flagMeantBy(String(input)) ? always : autoAmongAll)),
  ),
  proof_field: optional('Name of the hidden field that carries the solution. Default: `altcha`.', name()),
  without_script: optional(
    'What becomes of a submission without a solution, as from a browser without JavaScript: `allow`, `challenge` (the form comes back with a question) or `refuse`. Default: `challenge`.',
    choice(['allow', 'challenge', 'refuse']),
  ),
  behaviour: optional(
    'Whether the form’s script counts how it was filled in: keys, focus and time, never what was typed (docs/doubt.md).',
    flag(),
  ),
  signals: optional(
    'What speaks against a submission, and how much: weights in points by the name of the signal, 0 for none. A form’s own come before those at the top, each by its name (docs/doubt.md).',
    signals,
  ),
  doubt: optional(
    `What becomes of a submission that its signals speak against: ${doubtActions.map((one) => `\`${one}\``).join(', ')}, or \`off\`; or a map of these with the points from which each holds: \`{tag: 5, challenge: 8}\` (docs/doubt.md).`,
    doubt,
  ),
  challenge: optional(
    'What `challenge` asks of the visitor: `proof_of_work`, a harder puzzle, which the browser solves alone; or `captcha`, that of the form, with `only_in_doubt: true`. Default: the captcha, where the form has such a one.',
    choice(['proof_of_work', 'captcha']),
  ),
  tag_subject: optional(
    'What stands before the subject of mails with a doubted submission. A space follows it. Default: `[Spam?]`; empty: nothing.',
    text(),
  ),
};
