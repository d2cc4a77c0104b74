const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** How old a kept delivery is at its tries. After the last, it is tried daily. */
const ages = [minute, 5 * minute, 15 * minute, hour, 3 * hour, 6 * hour, 12 * hour, day];

/** Of the wait until then: so much later, at most, by chance, so that not all that was kept together comes at once. */
const spread = 0.1;

/**
 * When a kept delivery is tried next, in milliseconds since the epoch. It follows from its age alone, so that nothing else
 * has to be remembered; a clock that is set back makes it as young as it can be.
 *
 * @param retryAfterMs What the other side asked for: it is not asked again before that, but for one that names years.
 * @param forMs How long it is tried at all: the last try comes when that is over, not a day later.
 */
export function nextTry(
  keptAt: number,
  now: number,
  random: () => number,
  { retryAfterMs = 0, forMs = Infinity }: { retryAfterMs?: number | undefined; forMs?: number } = {},
): number {
  const age = Math.max(0, now - keptAt);
  const next = ages.find((one) => one > age) ?? Math.floor(age / day + 1) * day;
  const last = forMs > age ? forMs : Infinity;
  const wait = Math.min(Math.max(Math.min(next, last) - age, retryAfterMs), day);
  return now + late(wait, random);
}

/**
 * When one has its turn again that could not be tried: its host was down for others, or the config does not know its form
 * just now. That may pass at any time, so it does not lose its place for longer than a tenth of what it has waited.
 */
export function nextTurn(keptAt: number, now: number, random: () => number): number {
  const wait = Math.min(Math.max(minute, (now - keptAt) / 10), day);
  return now + late(wait, random);
}

/** In whole milliseconds, as stores write times. */
const late = (wait: number, random: () => number) => Math.ceil(wait) + Math.round(wait * spread * random());
