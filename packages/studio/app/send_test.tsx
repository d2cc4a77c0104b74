/** "Send a test": one made-up submission through the real outputs, where the studio was started with --live. */
import './send_test.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { TestAnswer, TestPlan } from '../src/test_state.ts';
import { Icon, type IconName } from './icons.tsx';
import { ask } from './relay.ts';
import { Copyable } from './shell/copyable.tsx';
import { formId, say, state } from './store.ts';

type Report = NonNullable<TestPlan['report']>;
type Tested = Report['outputs'][number];

/** Shown where a server can send: not on a page without one. */
export function SendTest() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [opened, setOpened] = useState(0);
  if (!state.value?.place.hasFile) return null;
  const open = () => {
    setOpened(opened + 1);
    dialog.current?.showModal();
  };
  return (
    <>
      <button type="button" class="tool" disabled={formId.value === undefined} onClick={open}>
        <Icon name="send" /> Send a test
      </button>
      <dialog ref={dialog} id="send-test" aria-labelledby="send-test-title">
        {opened > 0 && <Test key={opened} close={() => dialog.current?.close()} />}
      </dialog>
    </>
  );
}

/** A test, from its plan to its report. Each opening of the dialog begins a new one. */
function Test({ close }: { readonly close: () => void }) {
  const [to, setTo] = useState('');
  const [plan, setPlan] = useState<TestPlan>();
  const [answer, setAnswer] = useState<TestAnswer>();
  const [isBusy, setBusy] = useState(false);
  const isLive = state.value?.place.isLive ?? false;
  const form = useRef(formId.value ?? '').current;
  const asked = useRef(0);
  const look = async (address: string) => {
    asked.current += 1;
    const mine = asked.current;
    const got = await ask(`/studio/test?${new URLSearchParams({ form, to: address })}`);
    if (mine !== asked.current) return;
    setPlan(got?.ok ? JSON.parse(got.text) : { ...noPlan, refusal: 'the studio does not answer' });
  };
  const closing = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The dialog was opened before there was anything in it.
    closing.current?.focus();
    void look('');
  }, []);
  const send = async () => {
    setBusy(true);
    const body = new URLSearchParams({ form, to, key: plan?.key ?? '' });
    const got = await ask('/studio/test', body);
    const told: TestAnswer = got ? JSON.parse(got.text) : { refusal: 'the studio does not answer' };
    setBusy(false);
    setAnswer(told);
    // The button that had the focus goes.
    closing.current?.focus();
    say('report' in told ? summary(told.report) : `Nothing was sent: ${told.refusal}.`);
  };
  const report = answer && 'report' in answer ? answer.report : plan?.report;
  const isSent = answer !== undefined && 'report' in answer;
  const refusal = answer && 'refusal' in answer ? answer.refusal : plan?.refusal;
  return (
    <>
      <div class="bar">
        <h2 id="send-test-title">Send a test</h2>
        <button type="button" class="tool" ref={closing} onClick={close}>
          Close
        </button>
      </div>
      <p class="aside">
        One submission with made-up values, through the real outputs, marked with <code>[Test]</code> and{' '}
        <code>X-Form-Relay-Test</code>. Nothing is stored or retried.
      </p>
      {report && <Outputs report={report} />}
      {plan?.report && !isSent && (
        <Address
          value={to}
          onChoose={(address) => {
            setTo(address);
            setAnswer(undefined);
            void look(address);
          }}
        />
      )}
      {report && <Values values={report.values} />}
      <div class="send-test-end" aria-live="polite">
        {isSent ? (
          <p class="send-test-sum">{summary(answer.report)}</p>
        ) : (
          <Refusal says={refusal} hasPlan={plan?.report !== undefined} />
        )}
        {!isSent && isLive && (
          <button
            type="button"
            class="main"
            disabled={isBusy || plan?.report === undefined || plan.refusal !== undefined}
            onClick={send}
          >
            {isBusy ? 'Sending…' : 'Send it'}
          </button>
        )}
      </div>
    </>
  );
}

const noPlan: TestPlan = { refusal: undefined, report: undefined, key: '' };

/** Why nothing can be sent; without --live, how to start it so. */
function Refusal({ says, hasPlan }: { readonly says: string | undefined; readonly hasPlan: boolean }) {
  const { isLive, command } = state.value?.place ?? {};
  if (says === undefined) return null;
  if (isLive || !hasPlan) return <p class="send-test-refusal">{sentence(says)}</p>;
  return (
    <div class="send-test-refusal">
      <p>Nothing is sent: this studio only shows. To send, start it with:</p>
      <Copyable text={`${command} dev --live`} />
    </div>
  );
}

/** Each output, where it goes and what came of it. */
const Outputs = ({ report }: { readonly report: Report }) => (
  <ul class="send-test-outputs">
    {report.outputs.map((output) => (
      <li key={output.place} class={output.result}>
        <p class="send-test-name">
          <b>{output.type}</b>{' '}
          {typeof output.place === 'string' && <span class="aside">{output.place.replaceAll('_', ' ')}</span>}
          <span class="send-test-result">
            <Icon name={looks[output.result].icon} /> {looks[output.result].word}
          </span>
        </p>
        <p class="aside">
          {output.target}
          {output.to.length > 0 && <> · to {output.to.join(', ')}</>}
        </p>
        {output.says !== '' && <p class="send-test-says">{output.says}</p>}
        {output.warnings.map((warning) => (
          <p key={warning} class="send-test-says">
            Warning: {warning}
          </p>
        ))}
        {output.remedy && <p class="send-test-remedy">{output.remedy}</p>}
      </li>
    ))}
  </ul>
);

const looks: Readonly<Record<Tested['result'], { readonly word: string; readonly icon: IconName }>> = {
  ready: { word: 'ready', icon: 'send' },
  delivered: { word: 'delivered', icon: 'check' },
  looked: { word: 'looked at', icon: 'check' },
  failed: { word: 'failed', icon: 'alert' },
  skipped: { word: 'skipped', icon: 'cross' },
};

/** The owner's address, in place of the visitor's. */
const Address = ({
  value,
  onChoose,
}: {
  readonly value: string;
  readonly onChoose: (to: string) => void;
}) => (
  <p class="field">
    <label for="send-test-to">Your address, for the mails that a visitor would get</label>
    <input
      type="email"
      id="send-test-to"
      placeholder="Empty: they are not sent"
      autocomplete="email"
      value={value}
      onChange={({ currentTarget }) => onChoose(currentTarget.value.trim())}
    />
  </p>
);

const Values = ({ values }: Pick<Report, 'values'>) => (
  <details class="send-test-values">
    <summary>The made-up values</summary>
    <dl>
      {values.map(([label, value]) => (
        <div key={`${label} ${value}`}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  </details>
);

function summary({ outputs, consequence }: Report): string {
  const counts = (['delivered', 'looked', 'failed', 'skipped'] as const).flatMap((result) => {
    const number = outputs.filter((output) => output.result === result).length;
    return number > 0 ? `${number} ${looks[result].word}` : [];
  });
  return sentence(`${counts.join(', ')}${consequence === undefined ? '' : `; ${consequence}`}`);
}

const sentence = (words: string) => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
