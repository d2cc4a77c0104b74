import { loadPart } from './load_part.ts';
import type { Steps } from './steps.ts';

/** Parts that only some forms need, and the data attribute that asks for each. */
const parts = [
  // Before those that fill in what was typed into entries.
  ['repeat', 'repeat'],
  ['steps', 'stepOf'],
  ['files', 'filesLimit'],
  ['guard', 'guard'],
  ['range', 'range'],
  ['computed', 'computed'],
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
  for (const [name, fact] of parts) {
    try {
      if (facts.dataset[fact]) send = (await loadPart(name, address)).attach(form, facts, send, steps());
    } catch {}
  }
  for (const name of facts.dataset.parts?.split(' ') ?? []) {
    try {
      send = (await loadPart(name as 'tel', address)).attach(form, facts, send);
    } catch {}
  }
  return send;
}
