import type { Form } from '@form-relay/relay/base';
import {
  captcha,
  doubt,
  honeypot,
  labelOf,
  minFill,
  places,
  proof,
  schedule,
} from '@form-relay/relay/features';

export const titleOf = (form: Form): string => form.title ?? labelOf({ name: form.id });

export function checksOf(form: Form): readonly (readonly [name: string, says: string])[] {
  const checks: (readonly [string, string])[] = [];
  const { opens, closes } = schedule.of(form) ?? {};
  const open = [opens && `from ${opens.told}`, closes && `until ${closes.told}`].filter(Boolean);
  if (open.length > 0) checks.push(['opening', `takes submissions ${open.join(' ')}`]);
  const decoy = honeypot.of(form);
  if (decoy !== undefined) checks.push(['honeypot', `drops who fills in “${decoy}”`]);
  const timed = minFill.of(form);
  if (timed) {
    const { minFillMs, ttlMs, tooFast } = timed;
    const says = `${tooFast === 'doubt' ? 'doubts' : 'drops'} who sends within ${minFillMs / 1000} s; the form is good for ${duration(ttlMs)}`;
    checks.push(['min-fill', says]);
  }
  const proven = proof.of(form);
  if (proven && proven.when !== 'asked') {
    const when = proven.when === 'auto' ? 'under attack, ' : '';
    checks.push(['proof of work', `${when}has the browser solve a puzzle first`]);
  }
  const doubted = doubt.of(form);
  if (doubted) {
    const actions = doubted.thresholds.toReversed().map(({ action, from }) => `${action} from ${from}`);
    checks.push(['doubt', `${doubted.signals.length} signals, in points: ${actions.join(', ')}`]);
  }
  const solved = captcha.of(form);
  if (solved) checks.push(['captcha', `${solved.provider}, played by a stand-in here`]);
  const counted = places.of(form);
  if (counted) {
    const { total, options, hasWaitingList, once } = counted;
    const of = [total, options.size > 0 && `by option: ${[...options.keys()].join(', ')}`].filter(Boolean);
    const then = hasWaitingList ? 'then accepts submissions for the waiting list' : 'then closes the form';
    if (of.length > 0) checks.push(['places', `${of.join('; ')}; ${then}`]);
    if (once) checks.push(['once', `takes one submission for each value of “${once.by}”`]);
  }
  return checks;
}

function duration(ms: number): string {
  const [size, unit] =
    ms % 3_600_000 === 0 ? [3_600_000, 'h'] : ms % 60_000 === 0 ? [60_000, 'min'] : [1000, 's'];
  return `${ms / (size as number)} ${unit}`;
}
