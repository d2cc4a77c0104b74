/** Enter and Tab as an editor has them. Escape gives the next Tab to the page, so that the keyboard can leave. */
const step = '  ';

export function indentIn(editor: HTMLTextAreaElement): void {
  let isLeaving = false;
  editor.addEventListener('blur', () => {
    isLeaving = false;
  });
  editor.addEventListener('keydown', (event) => {
    const { key, shiftKey, isComposing } = event;
    const isTab = key === 'Tab' && !isLeaving;
    if (key !== 'Shift' && key !== 'Tab') isLeaving = key === 'Escape';
    const isOther = event.ctrlKey || event.altKey || event.metaKey || isComposing || editor.readOnly;
    if (isOther || !(isTab || key === 'Enter')) return;
    event.preventDefault();
    if (key === 'Enter') replace(editor, `\n${/^[ \t]*/.exec(lineBefore(editor))?.[0]}`);
    else if (shiftKey) changeLines(editor, (line) => line.replace(/^(?: {1,2}|\t)/, ''));
    else if (selected(editor).includes('\n')) changeLines(editor, (line) => line && step + line);
    else replace(editor, ' '.repeat(step.length - (lineBefore(editor).length % step.length)));
  });
}

const lineStart = ({ value, selectionStart }: HTMLTextAreaElement) =>
  value.lastIndexOf('\n', selectionStart - 1) + 1;
const lineBefore = (editor: HTMLTextAreaElement) =>
  editor.value.slice(lineStart(editor), editor.selectionStart);
const selected = ({ value, selectionStart, selectionEnd }: HTMLTextAreaElement) =>
  value.slice(selectionStart, selectionEnd);

/** As typed, so that the browser can undo it: nothing but this command does that. */
function replace(editor: HTMLTextAreaElement, text: string): void {
  if (text === selected(editor)) return;
  document.execCommand(text === '' ? 'delete' : 'insertText', false, text);
}

/** Changes each selected line, and selects the same text again. */
function changeLines(editor: HTMLTextAreaElement, change: (line: string) => string): void {
  const { value, selectionStart, selectionEnd } = editor;
  const start = lineStart(editor);
  // A selection that ends before the first letter of a line does not mean that line.
  const last =
    selectionEnd > selectionStart && value[selectionEnd - 1] === '\n' ? selectionEnd - 1 : selectionEnd;
  const end = `${value}\n`.indexOf('\n', last);
  const lines = value.slice(start, end).split('\n');
  const changed = lines.map(change);
  editor.setSelectionRange(start, end);
  replace(editor, changed.join('\n'));
  const first = (changed[0]?.length ?? 0) - (lines[0]?.length ?? 0);
  const all = editor.value.length - value.length;
  editor.setSelectionRange(Math.max(start, selectionStart + first), Math.max(start, selectionEnd + all));
}
