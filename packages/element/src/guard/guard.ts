import { sendProving } from '../element/client.ts';
import { make } from '../element/controls.ts';
import { createPuzzle, type Given, type Puzzle } from './puzzle.ts';

/** `/api/v1/guard.js`: what forms do that may ask for a proof of work (load_parts.ts, inline/parts_in_form.ts). */

const attached = new WeakMap<HTMLFormElement, typeof fetch>();

/** `facts`: the form as the relay renders it, with puzzle and words. `send`: a script's; else the browser sends it, or htmx. */
export function attach(form: HTMLFormElement, facts = form, send?: typeof fetch): typeof fetch {
  const known = attached.get(form);
  if (known) return known;
  const { href } = new URL(form.getAttribute('action') as string, document.baseURI);
  const carrier = () => carrierIn(form) ?? carrierIn(facts);
  const puzzle = createPuzzle(carrier, href.replace('/submit/', '/challenge/'));
  const guard: Guard = { form, facts, puzzle };
  const question = form.querySelector('[data-form-challenge]');
  // A visitor who began to answer the question keeps it.
  if (question && !isInUse(question)) question.remove();
  const guarded = send ? sendGuarded(guard, send) : fetch;
  attached.set(form, guarded);
  if (!send) holdBack(guard);
  if (question || form.querySelector('.form-status')?.firstChild) void puzzle.solve();
  // A form that nobody fills in costs its readers nothing.
  for (const type of ['focusin', 'pointerdown', 'input']) form.addEventListener(type, () => puzzle.solve());
  if (Element.prototype.matches.call(form, ':focus-within')) void puzzle.solve();
  // An error before this line leaves the question for people to answer.
  form.dataset.guarded = 'true';
  return guarded;
}

const carrierIn = (form: HTMLFormElement) => form.querySelector<HTMLElement>('[data-challenge]');

interface Guard {
  readonly form: HTMLFormElement;
  /** The form as the relay renders it, which knows what is said. */
  readonly facts: HTMLFormElement;
  readonly puzzle: Puzzle;
}

const patienceMs = 300;

/** Waits, and tells the visitor why where that takes a while: politely, since nothing is wrong. */
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

/** Sends a form from a script. If the relay asks for more, the browser sends it again without asking the visitor, if it can. */
function sendGuarded(guard: Guard, send: typeof fetch): typeof fetch {
  const { puzzle } = guard;
  const proving = sendProving(send, {
    prepare: async (body, isSecond) => {
      if (puzzle.isOpen()) await sayWhile(guard, puzzle.solve());
      const solution = puzzle.solution();
      // ALTCHA's own widget may be in the form, too.
      if (solution && (isSecond || !body.get(solution[0]))) body.set(...solution);
      puzzle.spend();
    },
    take: puzzle.take,
  });
  // The steps of a form prove nothing.
  return (input, init) => (/\/api\/v1\/submit\//.test(`${input}`) ? proving(input, init) : send(input, init));
}

/** Makes a submission by htmx or the browser itself wait until the puzzle is solved. */
function holdBack(guard: Guard): void {
  const { form, puzzle } = guard;
  const mayPut = (name: string) => {
    const others = [...form.querySelectorAll<HTMLInputElement>('[name]')].filter((one) => one.name === name);
    return others.every(({ dataset }) => dataset.proof);
  };
  const put = (name: string, value: string) => {
    // ALTCHA's own widget may be in the form, too.
    if (!mayPut(name)) return;
    let input = form.querySelector<HTMLInputElement>(`[data-proof="${CSS.escape(name)}"]`);
    if (!input) {
      input = make('input', '');
      input.type = 'hidden';
      input.name = name;
      input.dataset.proof = name;
      // A field may have the name of what every form has.
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
  // Before all others that listen here: what is held back, nobody else sees.
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
  // The form was sent before the visitor came back to it.
  if (wayHere() === 'back_forward') puzzle.spend();
}

const isInUse = (question: Element) =>
  question.matches(':focus-within') || question.querySelector('input')?.value !== '';

const wayHere = () =>
  (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming | undefined)?.type;
