import type { CountPlace } from '../../base/counts.ts';
import { usedOf } from '../../counting/tally.ts';
import type { Form, Shown, ShownIn } from '../../form.ts';
import { registrationOfLink } from '../places/claims.ts';
import { openedLink } from './link_answers.ts';

interface Asked {
  readonly where: CountPlace;
  readonly isRequired: boolean;
}

/** The form without what its link would fill in, if that worked once and was used; without the form where it needs one. */
export async function shownUsed(
  { where, isRequired }: Asked,
  form: Form,
  { now, effects, link }: ShownIn,
): Promise<Shown | undefined> {
  const opened = link && openedLink(form, link.sealed, { settings: link.settings, now });
  if (opened?.kind !== 'open' || opened.link.singleUse === undefined) return undefined;
  const { key, hash } = registrationOfLink(form.id, opened.link.singleUse);
  try {
    const tally = await (await effects.openCounter(where)).read(key, true);
    if (usedOf(tally, hash) === 0) return undefined;
  } catch {
    // Whoever sends the form reads that nothing can be counted now.
    return undefined;
  }
  if (isRequired) return { instead: { code: 'link_used' } };
  const filling = () => ({ message: { code: 'fill_used' } }) as const;
  return { form: { ...form, answers: { ...form.answers, filling } } };
}
