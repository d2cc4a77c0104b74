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
 */
export function nextTry(keptAt: number, now: number, random: () => number): number {
  const age = Math.max(0, now - keptAt);
  const next = ages.find((one) => one > age) ?? Math.floor(age / day + 1) * day;
  const wait = next - age;
  return now + wait + Math.round(wait * spread * random());
}
