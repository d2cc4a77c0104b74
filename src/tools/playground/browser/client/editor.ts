/** The config's text: typed here, checked by the relay at once, and saved when asked. */
import { byId, onClick, say } from './page_parts.ts';
import { ask as askRelay } from './relay.ts';
import { type Mark, paint } from './yaml_colours.ts';

interface State {
  text: string;
  locked?: string;
  isDraft: boolean;
  isOvertaken: boolean;
  trouble?: string;
  lines?: Record<string, Record<string, number>>;
  problems: Mark[];
}

const yaml = byId<HTMLTextAreaElement>('yaml');
const gutter = byId('gutter');
const marked = document.createElement('div');
marked.className = 'marked-line';
marked.hidden = true;
byId('colours').before(marked);

let lines: Record<string, Record<string, number>> = {};
let problems: Mark[] = [];
/** What the relay has, or will have when it has answered. */
let known: string | undefined;
let typing: ReturnType<typeof setTimeout> | undefined;

const show = () => {
  byId('colours').replaceChildren(...paint(yaml.value, problems));
  const count = yaml.value.split('\n').length;
  const worst = (line: number) => {
    const here = problems.filter((one) => one.line === line);
    return here.length === 0 ? '' : here.some(({ severity }) => severity === 'error') ? 'bad' : 'warning';
  };
  gutter.replaceChildren(
    ...Array.from({ length: count }, (_, index) => {
      const item = document.createElement('li');
      item.textContent = String(index + 1);
      item.className = worst(index + 1);
      return item;
    }),
  );
};

const take = (state: State) => {
  // What is typed meanwhile is on its way, too.
  if (typing === undefined && state.text !== yaml.value && (yaml.value === known || known === undefined)) {
    const { selectionStart, selectionEnd } = yaml;
    yaml.value = state.text;
    yaml.setSelectionRange(selectionStart, selectionEnd);
    marked.hidden = true;
  }
  if (state.text === yaml.value) known = yaml.value;
  yaml.readOnly = state.locked !== undefined;
  lines = state.lines ?? lines;
  problems = state.text === yaml.value ? state.problems : problems;
  show();
  const says = state.trouble
    ? `It could not be saved: ${state.trouble}.`
    : state.isOvertaken
      ? 'The file was changed on disk meanwhile.'
      : (state.locked ?? '');
  const overtaken = byId('overtaken');
  if (overtaken.dataset.says === says) return;
  overtaken.dataset.says = says;
  overtaken.replaceChildren(says);
  if (state.isOvertaken)
    overtaken.append(choice('theirs', 'Take the file’s'), choice('mine', 'Save mine over it'));
};

const choice = (id: string, text: string) => {
  const button = document.createElement('button');
  Object.assign(button, { id, type: 'button', className: 'tool', textContent: text });
  return button;
};

const ask = async (path: string, body?: string): Promise<State | undefined> => {
  const answer = await askRelay(`/playground/config${path}`, body);
  if (!answer?.ok) {
    // Too long, most likely; that it has stopped is said elsewhere.
    if (answer) byId('overtaken').replaceChildren(`This cannot be used: ${answer.text}.`);
    return undefined;
  }
  const state: State = JSON.parse(answer.text);
  take(state);
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
  marked.hidden = true;
  show();
  clearTimeout(typing);
  typing = setTimeout(sendDraft, 200);
});

const save = async (path: string) => {
  if (typing !== undefined) await sendDraft();
  const state = await ask(path, '');
  if (state && !state.isDraft) say('Saved.');
};
onClick('#save', () => save('/save'));
onClick('#mine', () => save('/save?anyway'));
const revert = async () => {
  clearTimeout(typing);
  typing = undefined;
  known = yaml.value;
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
  const height = Number.parseFloat(getComputedStyle(gutter).lineHeight);
  marked.hidden = false;
  marked.style.top = `${Number.parseFloat(getComputedStyle(gutter).paddingTop) + (line - 1) * height}px`;
  const sheet = gutter.parentElement as HTMLElement;
  const top = marked.offsetTop;
  if (top < sheet.scrollTop + height || top > sheet.scrollTop + sheet.clientHeight - 3 * height)
    sheet.scrollTop = top - sheet.clientHeight / 3;
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
