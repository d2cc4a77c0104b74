/** The menu of values that a template can insert. */
import { useRef } from 'preact/hooks';
import { isDotted } from '../../../edit/form_edits.ts';
import type { Path } from '../../../edit/model.ts';
import { isInMails } from '../fields/palette.tsx';
import { fieldsOf, held } from './places.ts';

/** The template for a field; names that `.fields.` cannot express use `values` (docs/templates.md). */
export const fieldInTemplate = (name: string, isLabel = false): string =>
  isDotted(name)
    ? `{{ .${isLabel ? 'labels' : 'fields'}.${name} }}`
    : `{{ join "," (values ${JSON.stringify(name)}) }}`;

type Input = { readonly current: HTMLInputElement | HTMLTextAreaElement | null };

/** Inserts text at the cursor as if it were typed. */
function insertInto({ current: input }: Input, code: string): void {
  if (!input) return;
  const from = input.selectionStart ?? input.value.length;
  input.setRangeText(code, from, input.selectionEnd ?? from, 'end');
  input.dispatchEvent(new Event('input', { bubbles: true }));
  input.focus();
}

interface Entry {
  readonly code: string;
  readonly says: string;
}

/** Values that a template can insert. Keys of fields do not accept templates. */
export function entriesInTemplate(path: Path): readonly Entry[] {
  const isMail = /^(confirmation_mail|double_opt_in|verification_mail)$/.test(String(path[2]));
  const fields = fieldsOf(path).filter((field) => !isMail || isInMails(field));
  if (fieldsOf(path).length === 0 || path[2] === 'fields') return [];
  const hasPage = !isMail && held([...path.slice(0, 2), 'page']) === true;
  return [
    ...fields.flatMap(({ name, label, options }) => [
      { code: fieldInTemplate(name), says: label },
      ...(options.length > 0 && fieldInTemplate(name).startsWith('{{ .fields')
        ? [{ code: fieldInTemplate(name, true), says: `${label}, as visitors read it` }]
        : []),
    ]),
    { code: '{{ .submitted_at }}', says: 'Time of the submission' },
    { code: '{{ .form.id }}', says: "The form's name" },
    ...(hasPage ? [{ code: '{{ .page.url }}', says: 'Address of the page' }] : []),
  ];
}

/** A menu of the insertable values. */
export function InsertMenu({ entries, input }: { entries: readonly Entry[]; input: Input }) {
  const menu = useRef<HTMLDetailsElement>(null);
  if (entries.length === 0) return null;
  const close = () => {
    if (menu.current) menu.current.open = false;
  };
  return (
    <details
      class="set-menu"
      ref={menu}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !menu.current?.open) return;
        event.stopPropagation();
        close();
        menu.current.querySelector('summary')?.focus();
      }}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget instanceof Node && !menu.current?.contains(relatedTarget)) close();
      }}
    >
      <summary>Insert a field</summary>
      <ul>
        {entries.map(({ code, says }) => (
          <li key={code}>
            <button
              type="button"
              onClick={() => {
                close();
                insertInto(input, code);
              }}
            >
              {says} <code>{code}</code>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
