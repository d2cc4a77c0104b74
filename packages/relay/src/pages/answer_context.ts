import type { RelayRequest } from '../base/http.ts';
import type { Values } from '../base/values.ts';
import type { Lists } from '../bodies/sent.ts';
import type { Form } from '../form.ts';
import type { Settings } from '../schema/settings/settings.ts';
import type { ChallengeShown } from './challenge_view.ts';

/** What its sender reads once a submission has ended well. */
export type Said = 'confirmation' | 'kept_message' | 'opt_in_sent';

/** What an answer may need beyond the outcome. */
export interface AnswerContext {
  readonly request: RelayRequest;
  /** Different for each request. */
  readonly requestId: string;
  /** What was submitted under names that the form knows; `undefined` where the body was not read, or could not be. */
  readonly sent: Values | undefined;
  /** The fields with which files came, which no browser keeps in a form that is shown again. */
  readonly sentFiles?: ReadonlySet<string> | undefined;
  /** Of a JSON body: where the values stood that came in lists. */
  readonly sentLists?: Lists | undefined;
  /** Absent when the form is unknown. */
  readonly form: Form | undefined;
  /** Where there is no form: what the config's first form would say it in. Absent without a config. */
  readonly reader?: Form | undefined;
  /** What the form asks for that comes back, and its fresh token stands for (D71). */
  readonly challenge?: ChallengeShown['asks'] | undefined;
  /** A puzzle such as everybody solves will do for that. */
  readonly isUsual?: true | undefined;
  /** What came was sent before. */
  readonly isUsed?: boolean | undefined;
  /** How large the number of a puzzle is to be, where forms ask for one under attack alone; 0 for none (D111). */
  readonly sizeUnderAttack: (formId: string) => number;
  /** What the visitor has of it that the submission was taken, in forms with `receipt`. */
  readonly receipt?: string | undefined;
  /** Makes the address of a page that says so and is safe to reload. Absent if the answer is no page, or no secret seals the address (D170). */
  readonly sentAddress?: (form: Form, said: Said, context: AnswerContext) => string;
  readonly settings: Settings;
  /** When the answer is made, in milliseconds since the epoch. */
  readonly now: number;
}
