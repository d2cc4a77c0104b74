/** A link that fills in the form (docs/links.md): the form itself is filled in here, and a command of the relay's seals it. */
import { useEffect, useState } from 'preact/hooks';
import type { LinkAnswer } from '../../../src/state.ts';
import { Prose } from '../../prose.tsx';
import { ask } from '../../relay.ts';
import { Copyable } from '../../shell/copyable.tsx';
import { state } from '../../store.ts';
import { type Field, fieldsOf, held } from '../settings/index.ts';
import { builtId, canvas, formPath, language } from './form_model.ts';
import { type Pair, Picture } from './picture.tsx';

/** No link fills these in. */
const never = ['computed', 'consent', 'file', 'signature'];
const ages = { '12h': '12 hours', '7d': '7 days', '': '30 days', '90d': '90 days', '365d': '1 year' };

/** By the field's name, as the form sends it. */
type Values = Readonly<Record<string, readonly Pair[]>>;

export function LinkMaker() {
  const [values, setValues] = useState<Values>({});
  /** What is locked, and the options. */
  const [asked, setAsked] = useState('');
  const [answer, setAnswer] = useState<LinkAnswer>();
  const fields = fieldsOf(formPath.value).filter(({ type }) => !never.includes(type));
  const canCount = [['counted_in'], ['keep']].some((key) => (held(key) ?? undefined) !== undefined);
  const form = new URLSearchParams({ form: builtId.value ?? '', lang: language.value });
  const address = `/studio/link?${form}&${asked}`;
  const sent = String(new URLSearchParams(Object.values(values).flat() as unknown as string[][]));
  const { shape } = state.value?.form ?? {};
  useEffect(() => {
    const typed = setTimeout(async () => {
      const said = await ask(address, sent);
      if (said?.ok) setAnswer(JSON.parse(said.text));
    }, 200);
    return () => clearTimeout(typed);
  }, [address, sent, shape]);
  return (
    <details data-own class="set-nested">
      <summary>Make a link that fills it in</summary>
      <form
        class="settings"
        onSubmit={(event) => event.preventDefault()}
        onInput={({ currentTarget }) =>
          setAsked(String(new URLSearchParams(new FormData(currentTarget) as unknown as string[][])))
        }
      >
        {fields.map((field) => (
          <LinkField
            key={field.name}
            field={field}
            error={answer?.errors[field.name]}
            isFilled={(values[field.name]?.length ?? 0) > 0}
            onPairs={(pairs) => setValues((now) => ({ ...now, [field.name]: pairs }))}
          />
        ))}
        <label class="set-control">
          <span class="set-name">How long it works</span>
          <select name="expires">
            {Object.entries(ages).map(([age, words]) => (
              <option key={age} value={age} selected={age === ''}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <label class="set-control">
          <span class="set-name">Your page with the form</span>
          <input name="page" type="url" placeholder="https://www.example.com/contact" />
          <span class="set-help">Without it, the link opens the relay’s own page.</span>
        </label>
        <p class="b-line">
          <label class="b-check">
            <input name="single_use" type="checkbox" disabled={!canCount} />
            One submission can come with it{!canCount && ' (needs counted_in or keep)'}
          </label>
          <label class="b-check">
            <input name="qr" type="checkbox" />A QR code, too
          </label>
        </p>
        {answer?.line ? <Copyable text={answer.line} /> : <p class="b-bad">Correct the values above.</p>}
        <p class="set-help">
          <Prose text="In a POSIX shell such as bash, this line prints the link. Run it where the relay’s `FORM_TOKEN_SECRET` and `PUBLIC_URL` are set." />
          {state.value?.file.isDraft && ' Save first: it reads the file.'}
        </p>
      </form>
    </details>
  );
}

interface LinkFieldProps {
  readonly field: Field;
  readonly error: string | undefined;
  readonly isFilled: boolean;
  readonly onPairs: (pairs: readonly Pair[]) => void;
}

/** A field of the form to fill in, and whether visitors can change its value. */
function LinkField({ field: { name, label, type }, error, isFilled, onPairs }: LinkFieldProps) {
  const [nth, setNth] = useState(0);
  const html = canvas.value?.fields[name];
  if (html === undefined && type !== 'hidden') return null;
  return (
    <div>
      {html === undefined ? (
        <label key={nth} class="set-control">
          <span class="set-name">{label}</span>
          <input onInput={({ currentTarget: { value } }) => onPairs(value === '' ? [] : [[name, value]])} />
        </label>
      ) : (
        <Picture
          key={nth}
          html={html}
          direction={canvas.value?.direction}
          language={language.value}
          onValues={onPairs}
        />
      )}
      {error !== undefined && (
        <p class="b-bad" role="alert">
          {error}
        </p>
      )}
      {isFilled && (
        <p class="b-line">
          <label class="b-check">
            <input type="checkbox" name="locked" value={name} />
            <span>
              Visitors cannot change it<span class="unseen">: {label}</span>
            </span>
          </label>
          <button
            type="button"
            class="b-small"
            onClick={() => {
              onPairs([]);
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
