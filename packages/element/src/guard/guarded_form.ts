import type { Puzzle } from './puzzle.ts';

/** The parts that guard a form. */
export interface Guard {
  readonly form: HTMLFormElement;
  /** The form as the relay renders it, which knows what is said. */
  readonly facts: HTMLFormElement;
  readonly puzzle: Puzzle;
}

const patienceMs = 300;

/** Waits, and tells the visitor why where that takes a while: politely, since nothing is wrong. */
export async function sayWhile<T>({ form, facts }: Guard, work: Promise<T>): Promise<T> {
  const status = document.createElement('p');
  status.className = 'form-working';
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
