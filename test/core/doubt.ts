/** The spam score of a form, for tests that weigh texts without a relay. */
import type { Form } from '../../packages/core/src/form.ts';

export { type Weighed, weigh } from '../../packages/spam/src/score/weigh.ts';

export const doubt = { of: (form: Form) => form.provided.get('doubt') };
