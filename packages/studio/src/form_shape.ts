import { createHash } from 'node:crypto';
import type { Form } from '@form-relay/relay/base';
import { renderForm } from '@form-relay/relay/pages';

/** What is counted changes with submissions, and not with the config. */
const openCounter = () => Promise.reject(new Error('nothing is counted here'));

/** Changes with whatever a visitor sees of the form. `now`: it may not be open. */
export function shapeOf(form: Form, now: number): string {
  const view = {
    base: '',
    values: new Map(),
    seen: [],
    errors: [],
    messages: [],
    medium: 'plain',
  } as const;
  const hash = createHash('sha256');
  for (const one of [form, ...form.variants.values()]) {
    const [closed] = one.answers.shows.flatMap((show) => {
      const shown = show(one, { now, effects: { openCounter } });
      return shown instanceof Promise ? [] : (shown?.instead ?? []);
    });
    hash.update(closed ? `${one.say(closed)}\0${one.closedText}` : String(renderForm(one, view)));
  }
  return hash.digest('base64url');
}
