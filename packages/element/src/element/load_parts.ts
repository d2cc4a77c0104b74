import { loadPart } from './load_part.ts';
import type { Steps } from './steps.ts';

/** Each part gets what sends the form from the one before. Without a part, forms do as browsers do. */
export async function loadParts(
  form: HTMLFormElement,
  facts: HTMLFormElement,
  address: string,
  steps: () => Steps | undefined,
): Promise<typeof fetch> {
  let send = fetch;
  const parts = facts.dataset.parts?.split(' ').map((name) => loadPart(name, address)) ?? [];
  for (const part of parts) part.catch(() => {});
  for (const part of parts) {
    try {
      send = (await part).attach(form, facts, send, steps());
    } catch {}
  }
  return send;
}
