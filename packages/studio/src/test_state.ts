/** JSON of `/studio/test`: types alone, shared by the server and its page. */
import type { TestReport } from '@form-relay/relay/send_test';

/** `GET /studio/test?form=…&to=…`: what a test of the form would send, and where. */
export interface TestPlan {
  /** Why nothing can be sent; else `undefined`. */
  readonly refusal: string | undefined;
  /** `undefined` if the form does not take the values made up for it, or there is no such form. */
  readonly report: TestReport | undefined;
  /** Names what is shown: it comes back with the `POST`, which sends nothing else. */
  readonly key: string;
}

/** `POST /studio/test` with `form`, `to` and `key`. */
export type TestAnswer =
  | { readonly report: TestReport }
  /** Nothing was sent. */
  | { readonly refusal: string };
