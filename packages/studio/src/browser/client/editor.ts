/** The config's text: typed here, checked by the relay at once, and saved when asked. */
import { indentIn } from './editor_keys.ts';
import { byId, onClick, say } from './page_parts.ts';
import { ask as askRelay } from './relay.ts';
import { type Mark, paint } from './yaml_colours.ts';

interface State {
  text: string;
  locked?: string;
  isDraft: boolean;
  isOvertaken: boolean;
  trouble?: string;
  /** It was not saved, because it does not load. Only the answer to a save says so. */
  isBroken?: boolean;
  lines?: Record<string, Record<string, number>>;
  problems: Mark[];
}

const yaml = byId<HTMLTextAreaElement>('yaml');
const colours = byId('colours');
indentIn(yaml);

/** The line that is marked, from 1. */
let marked: number | undefined;
let lines: Record<string, Record<string, number>> = {};
let problems: Mark[] = [];
/** The last save, if it failed or its owner is asked first. */
let unsaved: { readonly path: string; readonly trouble: string | undefined } | undefined;
/** What the relay has, or will have when it has answered. */
let known: string | undefined;
let typing: ReturnType<typeof setTimeout> | undefined;
/** Counts what was sent: an answer to a request made before the latest is out of date. */
let sent = 0;

const show = () => {
  colours.replaceChildren(...paint(yaml.value, problems));
  if (marked !== undefined) colours.children[marked - 1]?.classList.add('marked');
};

const take = (state: State, isLatest: boolean) => {
  // What is typed meanwhile is on its way, too.
  if (
    isLatest &&
    typing === undefined &&
    state.text !== yaml.value &&
    (yaml.value === known || known === undefined)
  ) {
    const { selectionStart, selectionEnd } = yaml;
    yaml.value = state.text;
    yaml.setSelectionRange(selectionStart, selectionEnd);
    marked = undefined;
  }
  if (state.text === yaml.value) known = yaml.value;
  yaml.readOnly = state.locked !== undefined;
  lines = state.lines ?? lines;
  problems = state.text === yaml.value ? state.problems : problems;
  show();
  if (unsaved?.trouble) tell(`It could not be saved: ${unsaved.trouble}.`);
  else if (unsaved)
    tell('This config does not load: a relay cannot start with it. Save it all the same?', [
      choice('broken', 'Save it all the same'),
      choice('edit', 'Go on editing'),
    ]);
  else if (state.isOvertaken)
    tell('The file was changed on disk meanwhile.', [
      choice('theirs', 'Take the file’s'),
      choice('mine', 'Save mine over it'),
    ]);
  else tell(state.locked ?? '');
};

const tell = (says: string, choices: readonly HTMLElement[] = []) => {
  const overtaken = byId('overtaken');
  if (overtaken.dataset.says === says) return;
  overtaken.dataset.says = says;
  overtaken.replaceChildren(says, ...choices);
};

const choice = (id: string, text: string) => {
  const button = document.createElement('button');
  Object.assign(button, { id, type: 'button', className: 'tool', textContent: text });
  return button;
};

const ask = async (path: string, body?: string): Promise<State | undefined> => {
  if (body !== undefined) sent += 1;
  const latest = sent;
  const answer = await askRelay(`/studio/config${path}`, body);
  if (!answer?.ok) {
    // Too long, most likely; that it has stopped is said elsewhere.
    if (answer) byId('overtaken').replaceChildren(`This cannot be used: ${answer.text}.`);
    return undefined;
  }
  const state: State = JSON.parse(answer.text);
  if (state.isBroken || state.trouble) unsaved = { path, trouble: state.trouble };
  take(state, latest === sent);
  return state;
};

export const refreshEditor = () => ask('');
void refreshEditor();

const sendDraft = async () => {
  clearTimeout(typing);
  typing = undefined;
  known = yaml.value;
  await ask('/draft', yaml.value);
};
yaml.addEventListener('input', () => {
  marked = undefined;
  unsaved = undefined;
  show();
  clearTimeout(typing);
  typing = setTimeout(sendDraft, 200);
});

const save = async (path: string) => {
  if (typing !== undefined) await sendDraft();
  unsaved = undefined;
  const state = await ask(path, '');
  if (state && !state.isDraft) say('Saved.');
};
onClick('#save', () => save('/save'));
onClick('#mine', () => save('/save?anyway'));
onClick('#broken', () => save(`${unsaved?.path}${unsaved?.path.includes('?') ? '&' : '?'}broken`));
onClick('#edit', async () => {
  unsaved = undefined;
  await ask('');
  yaml.focus({ preventScroll: true });
});
const revert = async () => {
  clearTimeout(typing);
  typing = undefined;
  known = yaml.value;
  unsaved = undefined;
  await ask('/revert', '');
  yaml.focus({ preventScroll: true });
};
onClick('#revert', revert);
onClick('#theirs', revert);
yaml.addEventListener('keydown', (event) => {
  if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  void save('/save');
});

/** Marks a line, and brings it into view. */
const showLine = (line: number) => {
  marked = line;
  show();
  const mark = colours.querySelector<HTMLElement>('.marked');
  const sheet = colours.closest('.sheet');
  if (!mark || !sheet) return;
  const margin = mark.offsetHeight;
  const isSeen =
    mark.offsetTop >= sheet.scrollTop + margin &&
    mark.offsetTop + margin <= sheet.scrollTop + sheet.clientHeight - 2 * margin;
  if (!isSeen) sheet.scrollTop = mark.offsetTop - sheet.clientHeight / 3;
};

/** Shows where a key of a form stands: the nearest that is written, such as `spam` for `spam.honeypot`. */
export const showKey = (form: string, key: string) => {
  const keys = lines[form] ?? {};
  const line = keys[key] ?? keys[key.split('.')[0] ?? ''] ?? keys[''];
  if (line !== undefined) showLine(line);
};
onClick('[data-key]', (target) => {
  const form = target.closest<HTMLElement>('[data-form]')?.dataset.form ?? '';
  openConfig();
  showKey(form, target.dataset.key ?? '');
});
onClick('[data-line]', ({ dataset }) => {
  const before = yaml.value.split('\n').slice(0, Number(dataset.line) - 1);
  const at = before.reduce((sum, line) => sum + line.length + 1, Number(dataset.column) - 1);
  showLine(Number(dataset.line));
  yaml.focus({ preventScroll: true });
  yaml.setSelectionRange(at, at);
});

/** On a narrow page the text stands back until it is asked for. */
const openConfig = (isOpen = true) => {
  byId('config').classList.toggle('shown', isOpen);
  const button = byId('config-show');
  button.setAttribute('aria-expanded', String(isOpen));
  button.textContent = isOpen ? 'Hide' : 'Show';
};
onClick('#config-show', ({ ariaExpanded }) => openConfig(ariaExpanded !== 'true'));
