import { describe, make } from '../controls.ts';

/** The files chosen in a control: the list below it, and its errors. */
export type Chosen = ReturnType<typeof chosenIn>;

let ids = 0;

export function chosenIn(input: HTMLInputElement, facts: HTMLFormElement) {
  const limits = limitsOf(input, facts);
  const list = make('ul', 'file-list');
  const error = make('p', 'field-error');
  error.id = `form-relay-files-${++ids}`;
  const box = make('div', 'file-area');
  if (facts.dataset.fileDrop && matchMedia('(any-hover: hover)').matches)
    box.append(make('p', 'file-drop', facts.dataset.fileDrop));
  // If the list were in the label, a click on it would open the file dialog.
  const place = input.closest('label') ?? input;
  place.after(box);
  let shown: readonly File[] = [];
  const filesNow = () => (input.disabled ? [] : [...(input.files ?? [])]);

  // A control for several files adds to those chosen before, which browsers would drop.
  let earlier: readonly File[] = [];
  for (const type of ['click', 'drop']) {
    input.addEventListener(type, () => {
      earlier = input.multiple ? filesNow() : [];
    });
  }
  input.addEventListener('change', (event) => {
    if (earlier.length === 0 || !input.files?.length) return;
    event.stopImmediatePropagation();
    choose(merged(earlier, filesNow()));
  });
  const choose = (files: readonly File[]) => {
    earlier = [];
    const transfer = new DataTransfer();
    for (const file of files) transfer.items.add(file);
    input.files = transfer.files;
    for (const type of ['input', 'change']) input.dispatchEvent(new Event(type, { bubbles: true }));
  };
  const itemOf = (file: File, at: number) => {
    const remove = make('button', 'file-remove', '×');
    remove.type = 'button';
    remove.setAttribute(
      'aria-label',
      (facts.dataset.fileRemove ?? '{name}').replace('{name}', () => file.name),
    );
    remove.onclick = () => {
      choose(filesNow().filter((one) => one !== file));
      const [next] = [...list.querySelectorAll('button')]
        .slice(at)
        .concat(...list.querySelectorAll('button'));
      (next ?? input).focus();
    };
    const size = make('span', 'file-size', `(${sizeIn(facts.lang, file.size)})`);
    return make('li', 'file-item', make('bdi', '', file.name), ' ', size, ' ', remove);
  };
  const sayProblem = (problem: string) => {
    // Browsers then also show the error, and do not send the form.
    input.setCustomValidity(problem);
    if (problem === error.textContent) return;
    error.textContent = problem;
    describe(input, (known) => [...known.filter((id) => id !== error.id), ...(problem ? [error.id] : [])]);
    if (problem) {
      box.append(error);
      input.setAttribute('aria-invalid', 'true');
    } else {
      error.remove();
      input.removeAttribute('aria-invalid');
    }
  };
  error.setAttribute('role', 'alert');
  takeDropped(input, box, (files) => choose(input.multiple ? merged(filesNow(), files) : files.slice(0, 1)));
  return {
    bytes: () => filesNow().reduce((sum, { size }) => sum + size, 0),
    /** Shows the chosen files. `problem`: what is wrong with all files of the form. */
    update: (problem = '') => {
      const files = filesNow();
      if (files.length !== shown.length || files.some((file, at) => file !== shown[at])) {
        shown = files;
        list.replaceChildren(...files.map(itemOf));
        if (files.length > 0) box.append(list);
        else list.remove();
      }
      sayProblem(
        [...problemsOf(files, input, limits), ...(files.length > 0 && problem ? [problem] : [])].join(' '),
      );
    },
  };
}

/** A control written by the page has the limits of the relay's control with the same name. */
const limitsOf = (input: HTMLInputElement, facts: HTMLFormElement): HTMLInputElement =>
  input.dataset.maxSize
    ? input
    : ([...facts.querySelectorAll<HTMLInputElement>('input[type=file]')].find(
        ({ name }) => name === input.name,
      ) ?? input);

function problemsOf(files: readonly File[], input: HTMLInputElement, { dataset, accept }: HTMLInputElement) {
  const { empty, maxSize = Infinity, tooLarge, maxFiles = Infinity, tooMany, notAccepted } = dataset;
  const wordsFor = (file: File) => {
    if (file.size === 0) return empty;
    if (file.size > Number(maxSize)) return tooLarge;
    return isAccepted(file, accept || input.accept) ? undefined : notAccepted;
  };
  const problems = files.map((file) => wordsFor(file)?.replace('{name}', () => file.name));
  return [...problems, files.length > Number(maxFiles) ? tooMany : undefined].filter(Boolean);
}

/** Follows `accept` like browsers, but more generously, because the relay checks the content. Some names have no extension. */
function isAccepted({ name, type }: File, accept: string): boolean {
  const rules = accept
    .toLowerCase()
    .split(',')
    .map((rule) => rule.trim())
    .filter(Boolean);
  const fits = (rule: string) =>
    rule.startsWith('.')
      ? name.toLowerCase().endsWith(rule)
      : rule.endsWith('/*')
        ? type.startsWith(rule.slice(0, -1))
        : type === rule;
  return rules.length === 0 || type === '' || !name.includes('.', 1) || rules.some(fits);
}

/** Accepts files dropped anywhere on the field. On the control itself, the browser accepts them. */
function takeDropped(input: HTMLInputElement, box: Element, take: (files: readonly File[]) => void): void {
  const zone = input.closest<HTMLElement>('.field') ?? (box.parentElement as HTMLElement);
  const mark = (isOver: boolean) => zone.classList.toggle('file-over', isOver && !input.disabled);
  zone.addEventListener('dragover', ({ dataTransfer }) =>
    mark(Boolean(dataTransfer?.types.includes('Files'))),
  );
  zone.addEventListener('dragleave', ({ relatedTarget }) => {
    if (!zone.contains(relatedTarget as Node)) mark(false);
  });
  zone.addEventListener('drop', ({ target, dataTransfer }) => {
    mark(false);
    if (target === input || input.disabled) return;
    // A folder looks like a file, but cannot be read.
    const dropped = [...(dataTransfer?.items ?? [])].flatMap((item) =>
      item.webkitGetAsEntry?.()?.isDirectory ? [] : (item.getAsFile() ?? []),
    );
    if (dropped.length > 0) take(dropped);
  });
}

const merged = (earlier: readonly File[], later: readonly File[]): readonly File[] => [
  ...earlier.filter((one) => !later.some((other) => isSame(one, other))),
  ...later,
];

const isSame = (one: File, other: File) =>
  one.name === other.name && one.size === other.size && one.lastModified === other.lastModified;

/** A size in steps of 1,024 and in the form's language, as the relay writes it (packages/core/src/messages/message.ts). */
function sizeIn(language: string, bytes: number): string {
  const [size, unit] =
    bytes < 1_024
      ? ([bytes, 'byte'] as const)
      : bytes < 1_024_000
        ? ([bytes / 1_024, 'kilobyte'] as const)
        : ([bytes / 1_048_576, 'megabyte'] as const);
  const rounded = Number(size.toFixed(size < 10 ? 1 : 0));
  if (/^en\b|^$/.test(language)) {
    const word = unit === 'byte' ? (bytes === 1 ? 'byte' : 'bytes') : unit === 'kilobyte' ? 'KB' : 'MB';
    return `${rounded} ${word}`;
  }
  return new Intl.NumberFormat([language, 'en'], { style: 'unit', unit }).format(rounded);
}
