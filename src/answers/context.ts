import type { Form } from '../form.ts';
import type { RelayRequest } from '../http.ts';
import type { Message } from '../messages/message.ts';
import type { Result } from '../result.ts';
import type { Settings } from '../settings.ts';
import type { Values } from '../values.ts';

/** What an answer may need beyond the outcome. */
export interface AnswerContext {
  readonly request: RelayRequest;
  /** What was sent, parsed when somebody first asks, and once. */
  readonly body: () => Result<Values, Message>;
  /** Absent when the form is unknown. */
  readonly form: Form | undefined;
  readonly settings: Settings;
  /** When the answer is made, in milliseconds since the epoch. */
  readonly now: number;
}
