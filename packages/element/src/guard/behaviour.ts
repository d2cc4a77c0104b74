/** The controls that take typed text, and those that browsers fill in. */
const texts =
  'textarea,input:not([type=checkbox],[type=radio],[type=file],[type=range],[type=color],[type=submit])';

/**
 * Counts how the form is filled in: how often, and never what or where. Gives it as the relay reads it
 * (doubt/signals/behaviour): `v1;k=12;p=1;f=3;t=8500;m=1;c=0`.
 *
 * k: keys pressed in the form. p: pastes and drops. f: fields that had the focus. t: milliseconds since the first of all
 * this. m: whether a pointer was seen in the page. c: fields that changed without keys, as where browsers fill in.
 */
export function countBehaviour(form: HTMLFormElement): () => string {
  let keys = 0;
  let pastes = 0;
  let hasPointer = 0;
  let startedAt: number | undefined;
  const focused = new Set<EventTarget>();
  const worked = new Set<EventTarget>();
  const filled = new Set<EventTarget>();
  const on = (type: string, then: (target: Element) => void) =>
    form.addEventListener(
      type,
      ({ target }) => {
        startedAt ??= performance.now();
        then(target as Element);
      },
      true,
    );
  const focus = (target: Element) => target.matches('input,textarea,select') && focused.add(target);
  on('focusin', focus);
  on('keydown', (target) => {
    keys++;
    worked.add(target);
  });
  for (const type of ['paste', 'drop']) {
    on(type, (target) => {
      pastes++;
      worked.add(target);
    });
  }
  on('input', (target) => {
    if (!worked.has(target) && target.matches(texts)) filled.add(target);
  });
  for (const type of ['pointerdown', 'pointermove', 'touchstart']) {
    const seen = () => {
      hasPointer = 1;
    };
    document.addEventListener(type, seen, { once: true, passive: true, capture: true });
  }
  // This may come later than the visitor.
  const { activeElement } = form.getRootNode() as Document;
  if (activeElement && Node.prototype.contains.call(form, activeElement)) {
    startedAt = performance.now();
    focus(activeElement);
  }
  return () => {
    const ms = startedAt === undefined ? 0 : Math.round(performance.now() - startedAt);
    return `v1;k=${keys};p=${pastes};f=${focused.size};t=${ms};m=${hasPointer};c=${filled.size}`;
  };
}
