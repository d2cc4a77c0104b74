/** A link that fills in the form (docs/links.md): the form itself is filled in here, and a command of the relay's seals it. */
import { useEffect, useState } from 'preact/hooks';
import type { LinkAnswer } from '../../../src/state.ts';
import { ask } from '../../relay.ts';
import { Copyable } from '../../shell/copyable.tsx';
import { state } from '../../store.ts';
import { type Field, fieldsOf, held, Prose } from '../settings/index.ts';
import { builtId, canvas, formPath, language } from './form_model.ts';
import { type Pair, Picture } from './picture.tsx';
import { TextEdit } from './text_edit.tsx';

/** No link fills these in. */
const never = ['computed', 'consent', 'file', 'signature'];
const ages = { '12h': '12 hours', '7d': '7 days', '': '30 days', '90d': '90 days', '365d': '1 year' };

const empty = {
  /** By the field's name, as the form sends it. */
  values: {} as Readonly<Record<string, readonly Pair[]>>,
  locked: [] as readonly string[],
  expires: '',
  page: '',
  isSingleUse: false,
  hasCode: false,
};
type Link = typeof empty;

export function LinkMaker() {
  const [link, setLink] = useState(empty);
  const [answer, setAnswer] = useState<LinkAnswer>();
  const change = (part: Partial<Link>) => setLink((now) => ({ ...now, ...part }));
  const fields = fieldsOf(formPath.value).filter(({ type }) => !never.includes(type));
  const canCount = [['counted_in'], ['keep']].some((key) => (held(key) ?? undefined) !== undefined);
  const isSingleUse = link.isSingleUse && canCount;
  const asked = String(
    new URLSearchParams([
      ['form', builtId.value ?? ''],
      ['lang', language.value],
      ['expires', link.expires],
      ['page', link.page],
      ['single_use', isSingleUse ? 'on' : ''],
      ['qr', link.hasCode ? 'on' : ''],
      ...link.locked.map((name) => ['locked', name]),
    ]),
  );
  const sent = String(new URLSearchParams(Object.values(link.values).flat() as unknown as string[][]));
  const { shape } = state.value?.form ?? {};
  useEffect(() => {
    const typed = setTimeout(async () => {
      const said = await ask(`/studio/link?${asked}`, new URLSearchParams(sent));
      if (said?.ok) setAnswer(JSON.parse(said.text));
    }, 200);
    return () => clearTimeout(typed);
  }, [asked, sent, shape]);
  const isWrong = Object.keys(answer?.errors ?? {}).length > 0;
  return (
    <details data-own class="set-nested">
      <summary>Make a link that fills it in</summary>
      <div class="settings">
        {fields.map((field) => (
          <LinkField
            key={field.name}
            field={field}
            error={answer?.errors[field.name]}
            link={link}
            onLink={setLink}
          />
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
        {isWrong ? (
          <p class="set-row-problem">Correct the values above to get the command.</p>
        ) : (
          <Copyable text={answer?.line ?? ''} />
        )}
        <p class="set-help">
          <Prose text="In a POSIX shell such as bash, this line prints the link. Run it where the relay’s `FORM_TOKEN_SECRET` and `PUBLIC_URL` are set." />
          {state.value?.file.isDraft && ' Save first: it reads the file.'}
        </p>
      </div>
    </details>
  );
}

interface LinkFieldProps {
  readonly field: Field;
  readonly error: string | undefined;
  readonly link: Link;
  readonly onLink: (change: (now: Link) => Link) => void;
}

/** A field of the form to fill in, and whether visitors can change its value. */
function LinkField({ field: { name, label, type }, error, link, onLink }: LinkFieldProps) {
  const [nth, setNth] = useState(0);
  const html = canvas.value?.fields[name];
  if (html === undefined && type !== 'hidden') return null;
  const write = (pairs: readonly Pair[]) =>
    onLink((now) => ({
      ...now,
      values: { ...now.values, [name]: pairs },
      locked: pairs.length > 0 ? now.locked : now.locked.filter((one) => one !== name),
    }));
  const lock = (isLocked: boolean) =>
    onLink(({ locked, ...now }) => ({
      ...now,
      locked: [...locked.filter((one) => one !== name), ...(isLocked ? [name] : [])],
    }));
  return (
    <div>
      {html === undefined ? (
        <TextEdit
          key={nth}
          label={label}
          value={link.values[name]?.[0]?.[1] ?? ''}
          onText={(value) => write(value === '' ? [] : [[name, value]])}
        />
      ) : (
        <Picture
          key={nth}
          html={html}
          direction={canvas.value?.direction}
          language={language.value}
          onValues={write}
        />
      )}
      {error !== undefined && (
        <p class="set-row-problem" role="alert">
          {error}
        </p>
      )}
      {(link.values[name]?.length ?? 0) > 0 && (
        <p class="b-line">
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
          <button
            type="button"
            class="b-small"
            onClick={() => {
              write([]);
              setNth(nth + 1);
            }}
          >
            Leave it out<span class="unseen">: {label}</span>
          </button>
        </p>
      )}
    </div>
  );
}
