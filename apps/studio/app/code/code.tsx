import { useLayoutEffect, useRef } from 'preact/hooks';
import { editor } from '../store.ts';
import { createCodeView } from './view.ts';
import './code.css';

interface CodeProps {
  /** Mod-s: puts the text into the file. */
  readonly onSave?: () => void;
}

/** The config's text, which belongs to this editor. */
export function Code({ onSave }: CodeProps) {
  const host = useRef<HTMLDivElement>(null);
  const save = useRef(onSave);
  save.current = onSave;
  // Before the first paint, since a link may bring another config at once.
  useLayoutEffect(() => {
    const root = host.current?.shadowRoot ?? host.current?.attachShadow({ mode: 'open' });
    if (!root) return;
    // A root of its own: CodeMirror's styles are adopted there, which needs no permission of the policy.
    const hint = document.createElement('p');
    Object.assign(hint, { id: 'hint', hidden: true, textContent: howTo });
    root.replaceChildren(hint);
    const { editor: made, stop } = createCodeView({
      root,
      describedBy: 'hint',
      onSave: () => save.current?.(),
    });
    editor.value = made;
    return () => {
      editor.value = undefined;
      stop();
    };
  }, []);
  return <div class="code" ref={host} />;
}

const howTo = 'Tab indents. Press Escape, then Tab, to leave the editor. F8 goes to the next problem.';
