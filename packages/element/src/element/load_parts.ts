import { loadPart } from './load_part.ts';
import type { Steps } from './steps.ts';

type PartName = Parameters<typeof loadPart>[0];

/** Parts that only some forms need, and the data attribute that asks for each. `data-parts` names those of fields. */
const parts = [
  ['steps', 'stepOf'],
  ['files', 'filesLimit'],
  ['guard', 'guard'],
  // After the steps, which fill in what was typed before a reload.
  ['remember', 'remember'],
  ['resume', 'resume'],
] as const;

/**
 * Gives what sends the form, each part by means of the one before. What does not come is done without: files are then
 * chosen and sent as browsers do.
 */
export async function loadParts(
  form: HTMLFormElement,
  facts: HTMLFormElement,
  address: string,
  steps: () => Steps | undefined,
): Promise<typeof fetch> {
  let send = fetch;
  const { dataset } = facts;
  // Those of fields come first: what was typed before is filled into all that they show.
  const names = parts.flatMap(([name, fact]) => (dataset[fact] ? name : []));
  for (const name of [...(dataset.parts?.split(' ') ?? []), ...names]) {
    try {
      send = (await loadPart(name as PartName, address)).attach(form, facts, send, steps());
    } catch {}
  }
  return send;
}
