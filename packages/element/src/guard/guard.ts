import { sendProving } from '../element/client.ts';
import { make } from '../element/controls.ts';
import { createPuzzle, type Given, type Puzzle } from './puzzle.ts';

/** `/api/v1/guard.js`: for forms that may ask for a proof of work (load_parts.ts, inline/parts_in_form.ts). */

const attached = new WeakMap<HTMLFormElement, typeof fetch>();

/**
 * `facts`: the form as the relay renders it, with puzzle and texts. `send`: sends the form from a script.
 * Without it, the browser or htmx sends the form.
 */
export function attach(form: HTMLFormElement, facts = form, send?: typeof fetch): typeof fetch {
  const known = attached.get(form);
  if (known) return known;
  const { href } = new URL(form.getAttribute('action') as string, document.baseURI);
  const carrier = () => carrierIn(form) ?? carrierIn(facts);
  const puzzle = createPuzzle(carrier, href.replace('/submit/', '/challenge/'));
  const guard: Guard = { form, facts, puzzle };
  const question = form.querySelector('[data-form-challenge]');
  // A visitor who has started to answer the question keeps it.
  if (question && !isInUse(question)) question.remove();
  const guarded = send ? sendGuarded(guard, send) : fetch;
  attached.set(form, guarded);
  if (!send) holdBack(guard);
  if (question || form.querySelector('.form-status')?.firstChild) void puzzle.solve();
  // Starts when the visitor uses the form, so that other readers of the page spend no CPU time.
  for (const type of ['focusin', 'pointerdown', 'input']) form.addEventListener(type, () => puzzle.solve());
  if (Element.prototype.matches.call(form, ':focus-within')) void puzzle.solve();
  // If there is an error before this line, the question stays for people to answer.
  form.dataset.guarded = 'true';
  return guarded;
}

const carrierIn = (form: HTMLFormElement) => form.querySelector<HTMLElement>('[data-challenge]');

interface Guard {
  readonly form: HTMLFormElement;
  /** The form as the relay renders it, with its texts. */
  readonly facts: HTMLFormElement;
  readonly puzzle: Puzzle;
}

const patienceMs = 300;

/** Waits, and tells the visitor why if that takes long. Announced politely, because nothing is wrong. */
async function sayWhile<T>({ form, facts }: Guard, work: Promise<T>): Promise<T> {
  const status = make('p', 'form-working');
  status.setAttribute('role', 'status');
  (form.querySelector('.form-status') ?? form.querySelector('button,[type=submit]'))?.before(status);
  const timer = setTimeout(() => {
    status.textContent = facts.dataset.proofWorking ?? '';
  }, patienceMs);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
    status.remove();
  }
}

/**
 * Sends a form from a script. If the relay requires a proof, the browser computes it and sends the form
 * again, without involving the visitor.
 */
function sendGuarded(guard: Guard, send: typeof fetch): typeof fetch {
  const { puzzle } = guard;
  const proving = sendProving(send, {
    prepare: async (body, isSecond) => {
      if (puzzle.isOpen()) await sayWhile(guard, puzzle.solve());
      const solution = puzzle.solution();
      // ALTCHA's own widget may also be in the form.
      if (solution && (isSecond || !body.get(solution[0]))) body.set(...solution);
      puzzle.spend();
    },
    take: puzzle.take,
  });
  // Checks of steps need no proof.
  return (input, init) => (/\/api\/v1\/submit\//.test(`${input}`) ? proving(input, init) : send(input, init));
}

/** Delays a submission by htmx or the browser itself until the puzzle is solved. */
function holdBack(guard: Guard): void {
  const { form, puzzle } = guard;
  const mayPut = (name: string) => {
    const others = [...form.querySelectorAll<HTMLInputElement>('[name]')].filter((one) => one.name === name);
    return others.every(({ dataset }) => dataset.proof);
  };
  const put = (name: string, value: string) => {
    // ALTCHA's own widget may also be in the form.
    if (!mayPut(name)) return;
    let input = form.querySelector<HTMLInputElement>(`[data-proof="${CSS.escape(name)}"]`);
    if (!input) {
      input = make('input', '');
      input.type = 'hidden';
      input.name = name;
      input.dataset.proof = name;
      // A field may have the name of the form's own property.
      Element.prototype.append.call(form, input);
    }
    input.value = value;
  };
  let isWaiting = false;
  let isThrough = false;
  const sendSolved = async (submitter: HTMLElement | null) => {
    isWaiting = true;
    await sayWhile(guard, puzzle.solve());
    isWaiting = false;
    isThrough = true;
    HTMLFormElement.prototype.requestSubmit.call(form, submitter?.isConnected ? submitter : null);
    isThrough = false;
  };
  // Runs before all other listeners, so that none sees a submission that is held back.
  form.addEventListener(
    'submit',
    (event) => {
      const { submitter } = event;
      if (submitter?.hasAttribute('formaction')) return;
      if (isWaiting || (!isThrough && puzzle.isOpen())) {
        event.preventDefault();
        event.stopImmediatePropagation();
        if (!isWaiting) void sendSolved(submitter);
        return;
      }
      const solution = puzzle.solution();
      if (solution) put(...solution);
      puzzle.spend();
    },
    true,
  );
  form.addEventListener('form-relay:token', (event) => puzzle.take((event as CustomEvent<Given>).detail));
  // The form had been sent before the visitor came back to it.
  if (wayHere() === 'back_forward') puzzle.spend();
}

const isInUse = (question: Element) =>
  question.matches(':focus-within') || question.querySelector('input')?.value !== '';

const wayHere = () =>
  (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming | undefined)?.type;
