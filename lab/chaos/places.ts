/** Visitors compete for a limited number of places while relays and their store are killed: README.md. */
import { setTimeout as sleep } from 'node:timers/promises';
import { between, chance } from './chance.ts';
import { urlencoded } from './client.ts';
import { type CountedOptions, openCounted } from './counted.ts';
import { claims, counter, eachNumber } from './loop.ts';

export interface PlacesOptions extends CountedOptions {
  readonly visitors: number;
  readonly places: number;
}

interface Facts {
  readonly places: readonly { readonly taken: number; readonly left: number }[];
  readonly hidden: readonly { readonly id: string }[];
}

export async function runPlaces(options: PlacesOptions) {
  const { visitors, places, seed } = options;
  /** Ids of the submissions that the sink accepted. */
  const delivered = new Set<string>();
  let requests = 0;
  let behaves = false;
  /** Accepts some after a delay and refuses the others, so that places are constantly freed. */
  const counted = await openCounted(
    options,
    { SMTP_EHLO_NAME: 'chaos' },
    (output) =>
      `  course: {fields: [{name: visitor, required: true}], places: ${places}, outputs: [${output}]}\n`,
    async ({ headers }, read) => {
      await read();
      requests += 1;
      const delayMs = behaves ? 0 : between(0, 60, chance(seed, 4, requests));
      // Accepts so few that the places last for most of the run.
      const takes = behaves || chance(seed, 3, requests) < (0.6 * places) / visitors;
      await sleep(delayMs);
      if (takes) delivered.add(String(headers['idempotency-key']).replace(/-\d+$/, ''));
      // A relay killed here does not know that the sink has the submission.
      await sleep(takes ? 5 * delayMs : delayMs);
      return takes ? 200 : 503;
    },
  );
  const visit = (nth: number, name = `${nth}`) =>
    counted.send(nth, { path: '/api/v1/submit/course', body: `visitor=${name}`, headers: urlencoded });

  const { counts: statuses, count } = counter();
  let acknowledged = 0;
  await eachNumber(visitors, options, async (visitor) => {
    const { status } = await visit(visitor);
    count(status);
    if (status === 200) acknowledged += 1;
  });
  const calm = await counted.calm();

  const { violations, claim } = claims();
  const look = async (...words: readonly string[]): Promise<Facts> =>
    JSON.parse(await counted.relay('places', 'course', ...words, '--json'));
  // A reservation counts as hidden when it is older than any submission can take.
  await sleep(61_000);
  const facts = await look();
  const taken = facts.places[0]?.taken ?? 0;
  const hidden = new Set(facts.hidden.map(({ id }) => id));
  const settled = taken - hidden.size;
  const hiddenAndDelivered = [...delivered].filter((id) => hidden.has(id)).length;
  claim(acknowledged <= places, `${acknowledged} were acknowledged, of ${places} places`);
  claim(delivered.size <= places, `${delivered.size} were delivered, of ${places} places`);
  claim(taken <= places, `${taken} are taken, of ${places} places`);
  claim(acknowledged <= settled + hidden.size, 'an acknowledged one has no place');
  const seen = delivered.size - hiddenAndDelivered;
  claim(settled === seen, `${settled} are settled, and ${seen} of those that arrived are not hidden`);

  // The owner says what happened to each, and the remaining places are filled.
  for (const id of hidden) await look(delivered.has(id) ? '--settle' : '--release', id);
  const after = await look();
  const left = after.places[0]?.left ?? 0;
  claim(after.hidden.length === 0, `${after.hidden.length} stay hidden`);
  claim((after.places[0]?.taken ?? 0) === delivered.size, 'the places taken differ from what arrived');
  behaves = true;
  let later = 0;
  for (let visitor = 0; visitor < left + 20; visitor += 1)
    if ((await visit(0, `later+${visitor}`)).status === 200) later += 1;
  claim(later === left, `${left} places were left, and ${later} were given`);
  claim(delivered.size === places, `${delivered.size} were delivered in the end, of ${places} places`);
  violations.push(...(await counted.end()));
  return { violations, acknowledged, hidden: hidden.size, hiddenAndDelivered, later, ...calm, statuses };
}
