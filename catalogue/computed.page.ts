/** `/api/v1/computed.js`: shows results while visitors type. The relay trusts only its own results. */
import { type Formula, inWords, type Read, resultOf } from './formula.ts';

interface Facts extends Formula {
  readonly currency?: string;
  readonly language?: string;
  /** The required fields that it reads. There is no result until they are filled in. */
  readonly needs: readonly string[];
  /** The initial values of the fields in an entry, by repeated field. */
  readonly entries: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}
/** Shown while something that the result needs is missing or invalid. */
const none = '–';
/** A delay, so that screen readers do not read a result for each digit that is typed. */
const waitMs = 400;

const attached = new WeakSet<HTMLFormElement>();

export function attach(form: HTMLFormElement, facts: HTMLFormElement, send: typeof fetch): typeof fetch {
  if (attached.has(form)) return send;
  attached.add(form);
  const formulas = new Map(
    [...facts.querySelectorAll<HTMLOutputElement>('output[data-formula]')].map(({ dataset }) => [
      dataset.name ?? '',
      JSON.parse(dataset.formula ?? '') as Facts,
    ]),
  );
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const update = (event?: Event) => {
    // This function has just set the result itself.
    if (formulas.has((event?.target as HTMLInputElement | undefined)?.name ?? '')) return;
    const results = resultsIn(form, formulas);
    const words = [...results].map(([name, result]) => {
      const { currency, language } = formulas.get(name) as Facts;
      const { output, input } = partsOf(form, name);
      if (input && input.value !== result) {
        input.value = result;
        // Conditions may depend on the result.
        input.dispatchEvent(new Event('change', { bubbles: true }));
      }
      return [output, result === '' ? none : inWords(result, currency, language)] as const;
    });
    clearTimeout(waiting);
    const show = () => {
      for (const [output, text] of words) if (output && output.value !== text) output.value = text;
    };
    if (event?.type === 'input') waiting = setTimeout(show, waitMs);
    else show();
  };
  for (const type of ['input', 'change']) form.addEventListener(type, update);
  form.addEventListener('reset', () => setTimeout(update));
  addEventListener('pageshow', update);
  // Fields are added and removed.
  new MutationObserver(() => update()).observe(form, {
    childList: true,
    subtree: true,
    attributeFilter: ['disabled'],
  });
  update();
  return send;
}

/**
 * The elements that show a result, and the input that conditions read. A page of the owner's has only an
 * `<output>` with the field's name.
 */
function partsOf(form: HTMLFormElement, name: string) {
  const outputs = [...form.querySelectorAll('output')];
  const output = outputs.find((one) => (one.dataset.name ?? one.name) === name);
  if (output?.name) {
    const input = Object.assign(document.createElement('input'), { type: 'hidden', name });
    output.removeAttribute('name');
    output.dataset.name = name;
    output.after(input);
  }
  return { output, input: output?.nextElementSibling as HTMLInputElement | null | undefined };
}

function resultsIn(form: HTMLFormElement, formulas: ReadonlyMap<string, Facts>): ReadonlyMap<string, string> {
  const typed = new Map<string, readonly string[]>();
  // Conditions disable hidden controls, so that they are not sent.
  for (const [name, value] of new FormData(form))
    typed.set(name, [...(typed.get(name) ?? []), String(value)]);
  // A slider in its start position is not an answer.
  for (const { name, value, dataset } of form.querySelectorAll<HTMLInputElement>('[data-rest]'))
    if (value === dataset.rest) typed.delete(name);
  const results = new Map<string, string>();
  const inputs = [...form.querySelectorAll<HTMLInputElement>('[name]:not(:disabled)')];
  const inView = new Set(inputs.map(({ name }) => name));
  const lacksSome = ({ needs, sources }: Facts): boolean =>
    needs.some((name) => inView.has(name) && !typed.get(name)?.some(Boolean)) ||
    Object.keys(sources).some((name) => {
      const other = formulas.get(name);
      return other && inView.has(name) && lacksSome(other);
    });
  const read: Read = (name) => (typed.has(name) && formulas.has(name) ? [resultFor(name)] : typed.get(name));
  const resultFor = (name: string): string => {
    const known = results.get(name);
    if (known !== undefined) return known;
    const formula = formulas.get(name) as Facts;
    const result = lacksSome(formula)
      ? ''
      : resultOf(formula, read, (of) => filledEntries(of, formula.entries[of] ?? {}, typed));
    results.set(name, result);
    return result;
  };
  for (const name of formulas.keys()) resultFor(name);
  return results;
}

/** The entries whose values differ from the initial ones. Inputs have names such as `guests.2.age`. */
function filledEntries(
  of: string,
  initial: Readonly<Record<string, readonly string[]>>,
  typed: ReadonlyMap<string, readonly string[]>,
): readonly Read[] {
  const entries = new Map<string, Map<string, readonly string[]>>();
  for (const [name, values] of typed) {
    const [, number = '', part = ''] =
      /^(\d+)\.(.*)$/s.exec(name.startsWith(`${of}.`) ? name.slice(of.length + 1) : '') ?? [];
    if (part !== '') entries.set(number, (entries.get(number) ?? new Map()).set(part, values));
  }
  return [...entries.values()]
    .filter((entry) =>
      [...entry].some(([part, values]) => values.some((one) => one && !initial[part]?.includes(one))),
    )
    .map((entry) => (part: string) => entry.get(part) ?? []);
}
