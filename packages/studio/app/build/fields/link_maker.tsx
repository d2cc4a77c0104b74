/** A link that fills in the form (docs/links.md): what it holds is chosen here, and a command of the relay's seals it. */
import { useState } from 'preact/hooks';
import { quoted } from '../../../src/shell.ts';
import { Copyable } from '../../shell/copyable.tsx';
import { state } from '../../store.ts';
import { type Field, fieldsOf, held, Prose } from '../settings/index.ts';
import { builtId, formPath } from './form_model.ts';
import { TextEdit } from './text_edit.tsx';

/** No link fills these in. */
const never = ['computed', 'consent', 'file', 'signature'];
/** Examples of values that are JSON. */
const inJson: Readonly<Record<string, string>> = {
  address: '{"city": "Berlin"}',
  matrix: '{"row": "option"}',
  repeat: '[{"name": "Ada"}]',
};
const ages = { '12h': '12 hours', '7d': '7 days', '': '30 days', '90d': '90 days', '365d': '1 year' };

const empty = {
  values: {} as Readonly<Record<string, readonly string[]>>,
  locked: [] as readonly string[],
  expires: '',
  page: '',
  isSingleUse: false,
  hasCode: false,
};
type Link = typeof empty;

/** The line for a shell. Options end at `--` if what follows could be read as one. */
function lineOf(command: string, form: string, fields: readonly Field[], link: Link): string {
  const filled = fields.filter(({ name }) => link.values[name]?.length);
  const words = [
    quoted(form),
    ...filled.flatMap(
      ({ name }) => link.values[name]?.map((value) => `${quoted(name)}=${quoted(value)}`) ?? [],
    ),
  ];
  const options = [
    ...filled.flatMap(({ name }) => (link.locked.includes(name) ? [`--locked ${quoted(name)}`] : [])),
    ...(link.expires ? [`--expires ${link.expires}`] : []),
    ...(link.isSingleUse ? ['--single-use'] : []),
    ...(link.page ? [`--page ${quoted(link.page)}`] : []),
    ...(link.hasCode ? ['--qr link.svg'] : []),
  ];
  const isUnclear = words.some((word) => word.startsWith('-'));
  return [command, 'link', ...(isUnclear ? [...options, '--', ...words] : [...words, ...options])].join(' ');
}

export function LinkMaker() {
  const [link, setLink] = useState(empty);
  const change = (part: Partial<Link>) => setLink((now) => ({ ...now, ...part }));
  const fields = fieldsOf(formPath.value).filter(({ type }) => !never.includes(type));
  const canCount = [['counted_in'], ['keep']].some((key) => (held(key) ?? undefined) !== undefined);
  const isSingleUse = link.isSingleUse && canCount;
  const { place, file } = state.value ?? {};
  return (
    <details data-own class="set-nested">
      <summary>Make a link that fills it in</summary>
      <div class="settings">
        {fields.map((field) => (
          <LinkField key={field.name} field={field} link={link} onLink={setLink} />
        ))}
        <label class="set-control">
          <span class="set-name">How long it works</span>
          <select
            value={link.expires}
            onChange={({ currentTarget: { value } }) => change({ expires: value })}
          >
            {Object.entries(ages).map(([age, words]) => (
              <option key={age} value={age}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <TextEdit
          label="Your page with the form"
          value={link.page}
          onText={(page) => change({ page: page.trim() })}
          placeholder="https://www.example.com/contact"
          help="Without it, the link opens the relay’s own page."
        />
        <p class="b-line">
          <label class="b-check">
            <input
              type="checkbox"
              checked={isSingleUse}
              disabled={!canCount}
              onChange={({ currentTarget: { checked } }) => change({ isSingleUse: checked })}
            />
            One submission can come with it{!canCount && ' (needs counted_in or keep)'}
          </label>
          <label class="b-check">
            <input
              type="checkbox"
              checked={link.hasCode}
              onChange={({ currentTarget: { checked } }) => change({ hasCode: checked })}
            />
            A QR code, too
          </label>
        </p>
        <Copyable
          text={lineOf(place?.command ?? '', builtId.value ?? '', fields, { ...link, isSingleUse })}
        />
        <p class="set-help">
          <Prose text="In a POSIX shell such as bash, this line prints the link. Run it where the relay’s `FORM_TOKEN_SECRET` and `PUBLIC_URL` are set." />
          {file?.isDraft && ' Save first: it reads the file.'}
        </p>
      </div>
    </details>
  );
}

interface LinkFieldProps {
  readonly field: Field;
  readonly link: Link;
  readonly onLink: (change: (now: Link) => Link) => void;
}

/** A value of the link, and whether visitors can change it. */
function LinkField({ field, link, onLink }: LinkFieldProps) {
  const { name, label, type } = field;
  const values = link.values[name] ?? [];
  const write = (next: readonly string[]) =>
    onLink((now) => ({ ...now, values: { ...now.values, [name]: next } }));
  const lock = (isLocked: boolean) =>
    onLink((now) => ({
      ...now,
      locked: [...now.locked.filter((one) => one !== name), ...(isLocked ? [name] : [])],
    }));
  const options = type in inJson ? [] : optionsOf(field);
  return (
    <div>
      {type === 'checkboxes' || type === 'ranking' ? (
        <fieldset class="set-control b-entry">
          <legend class="set-name">{label}</legend>
          <span class="set-boxes">
            {options.map(({ value, label }) => (
              <label key={value}>
                <input
                  type="checkbox"
                  checked={values.includes(value)}
                  onChange={({ currentTarget: { checked } }) =>
                    write([...values.filter((one) => one !== value), ...(checked ? [value] : [])])
                  }
                />
                {label}
              </label>
            ))}
          </span>
        </fieldset>
      ) : options.length > 0 ? (
        <label class="set-control">
          <span class="set-name">{label}</span>
          <select
            value={values[0] ?? ''}
            onChange={({ currentTarget: { value } }) => write(value === '' ? [] : [value])}
          >
            <option value="">Not filled in</option>
            {options.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
      ) : (
        <TextEdit
          label={label}
          value={values[0] ?? ''}
          onText={(value) => write(value === '' ? [] : [value])}
          {...(inJson[type] && { placeholder: inJson[type] })}
        />
      )}
      {values.length > 0 && (
        <label class="b-check">
          <input
            type="checkbox"
            checked={link.locked.includes(name)}
            onChange={({ currentTarget: { checked } }) => lock(checked)}
          />
          <span>
            Visitors cannot change it<span class="unseen">: {label}</span>
          </span>
        </label>
      )}
    </div>
  );
}

/** Those to choose from; of a single box, that it is ticked. */
const optionsOf = ({ name, type, options }: Field): Field['options'] => {
  if (type !== 'checkbox') return options;
  const all = held([...formPath.value, 'fields']);
  const written = Array.isArray(all) && all.find((one) => String(one?.name) === name);
  return [{ value: String(written?.checked_value ?? 'on'), label: 'Ticked' }];
};
