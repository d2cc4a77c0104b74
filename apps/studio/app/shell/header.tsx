/** The page's header: the form, and actions on the whole of it. */

import { Button, Dialog, Icon, Options } from '@form-relay/ui/controls';
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { SiteState } from '../../src/state.ts';
import { Copyable } from '../arrived/bytes.tsx';
import { NewForm } from '../build/fields/forms.tsx';
import { Nowhere } from '../build/outputs/outputs.tsx';
import { Tabs } from '../inputs.tsx';
import { PublishDialog, published } from '../publish/publish.tsx';
import { editor, formId, selected, state } from '../store.ts';
import { go, showPane, tab } from './address.ts';

export function Header() {
  const [opened, setOpened] = useState<'site' | 'publish'>();
  const close = () => setOpened(undefined);
  const isWithout = formId.value === undefined;
  return (
    <header>
      {/* biome-ignore lint/a11y/useValidAnchor: the link leads to the pane, which may have to come into view first. */}
      <a class="skip" href="#form-pane" onClick={() => showPane(tab.value)}>
        Skip to the form
      </a>
      <h1>
        <Mark />
        <b>Form Relay</b> <span>studio</span>
      </h1>
      <FormPicker />
      <NewForm />
      {state.value && <Promised isLive={state.value.isLive} />}
      <span class="actions">
        <Button disabled={isWithout} onClick={() => setOpened('site')}>
          Put it on my site
        </Button>
        <Button class="main" disabled={isWithout} onClick={() => setOpened('publish')}>
          Publish
        </Button>
      </span>
      {opened === 'publish' && <PublishDialog onClose={close} />}
      {opened === 'site' && <SiteDialog onClose={close} />}
    </header>
  );
}

const Mark = () => (
  <svg class="mark" viewBox="0 0 16 16" aria-hidden="true">
    <rect width="16" height="16" rx="4" />
    <path d="M3.5 8l9-4-2.6 8.6-2.3-3z" />
  </svg>
);

function Promised({ isLive }: { readonly isLive: boolean }) {
  const isServing = published.value?.isRunning === true;
  const words = isLive
    ? 'Outputs really deliver'
    : isServing
      ? 'A relay is running, and really delivers'
      : 'Nothing leaves this machine';
  return (
    <p class={isLive || isServing ? 'promise warn' : 'promise'}>
      <Icon name={isLive || isServing ? 'send' : 'lock'} /> {words}
    </p>
  );
}

/** Selects the form, and shows it in the config. */
function chooseForm(id: string): void {
  go({ form: id, lang: '' });
  selected.value = undefined;
  editor.value?.show(['forms', id]);
}

/** A menu of the config's forms. */
function FormPicker() {
  const { forms = [], form } = state.value ?? {};
  return (
    <nav id="forms" aria-label="Forms">
      {forms.length > 0 && (
        <label>
          <span class="unseen">Form</span>
          <select
            id="form"
            value={form?.id}
            onChange={({ currentTarget }) => chooseForm(currentTarget.value)}
          >
            <Options of={forms.map(({ id, title }) => [id, title])} />
          </select>
        </label>
      )}
    </nav>
  );
}

/** "Put it on my site": code to copy, with the relay's future address. */
function SiteDialog({ onClose }: { readonly onClose: () => void }) {
  if (!state.value?.form) return null;
  const { form, origin: here } = state.value;
  const { site, title } = form;
  const text = addressText();
  const { origin, problem } = readAddress(text);
  const help = `The code to copy contains this address, and appears once you enter it. To try it on a page on this machine, enter ${here}.`;
  return (
    <Dialog class="site" title={`Put “${title}” on your site`} onClose={onClose}>
      <Nowhere onGo={onClose} />
      <p class="field">
        <label for="relay-url">Address of the relay</label>
        <input
          type="url"
          id="relay-url"
          placeholder="https://forms.example.com"
          autofocus
          autocomplete="url"
          spellcheck={false}
          aria-invalid={problem !== undefined}
          aria-describedby="relay-url-says"
          value={text}
          onInput={({ currentTarget }) => typeAddress(currentTarget.value.trim())}
        />
        <span id="relay-url-says" class={problem ? 'b-bad' : 'aside'} role="status">
          {problem ?? (!origin && help)}
        </span>
      </p>
      {origin && <Code site={site} at={(code) => code.replaceAll(here, () => origin)} />}
    </Dialog>
  );
}

interface CodeProps {
  readonly site: SiteState;
  readonly at: (code: string) => string;
}

/** The code to copy. */
const Code = ({ site, at }: CodeProps) => (
  <>
    <p class="aside">
      Leave out <code>form.css</code> to use your own style.
    </p>
    <Kinds site={site} at={at} />
    <Page address={at(site.page)} />
    <h3>Without a page</h3>
    <p class="aside">From a terminal{site.curlNote}:</p>
    <Copyable text={at(site.curl)} />
  </>
);

/** A link to the form's own page, and its QR code to print. */
function Page({ address }: { readonly address: string }) {
  const [code, setCode] = useState<Awaited<ReturnType<typeof picturesOf>>>();
  useEffect(() => {
    let isShown = true;
    void picturesOf(address).then((made) => isShown && setCode(made));
    return () => {
      isShown = false;
    };
  }, [address]);
  return (
    <>
      <h3>As a page</h3>
      <p class="aside">For a link, a frame, or a printed QR code. Choose its look in the form’s settings.</p>
      <Copyable text={address} />
      {code && (
        <div class="qr">
          <img src={code.svg} alt={`QR code of ${address}`} />
          <a href={code.svg} download="form.svg">
            QR code as SVG
          </a>
          <a href={code.png} download="form.png">
            QR code as PNG
          </a>
        </div>
      )}
    </>
  );
}

async function picturesOf(address: string) {
  const { qrCode } = await import('@form-relay/pages/qr_code');
  const { size, svg, isDark } = await qrCode(address, address);
  const canvas = document.createElement('canvas');
  const scale = Math.ceil(1_024 / size);
  canvas.width = canvas.height = size * scale;
  const drawn = canvas.getContext('2d') as CanvasRenderingContext2D;
  for (let y = 0; y < size; y += 1)
    for (let x = 0; x < size; x += 1) {
      drawn.fillStyle = isDark(x, y) ? '#000' : '#fff';
      drawn.fillRect(x * scale, y * scale, scale, scale);
    }
  return { svg: `data:image/svg+xml,${encodeURIComponent(svg)}`, png: canvas.toDataURL() };
}

/** Code for each kind of site. */
const Kinds = ({ site: { snippets }, at }: CodeProps) => (
  <Tabs
    legend="Site generator or framework"
    views={snippets.map(({ name, parts }) => ({
      title: name,
      show: () =>
        parts.map(({ where, code }) => (
          <div key={where}>
            <p class="aside">{where}</p>
            <Copyable text={at(code)} />
          </div>
        )),
    }))}
  />
);

const key = 'relay-url';

const typed = signal(localStorage.getItem(key) || undefined);

/** The address typed now or last time, else PUBLIC_URL. */
const addressText = (): string => typed.value ?? state.value?.publicUrl ?? '';

function typeAddress(text: string): void {
  typed.value = text;
  if (text === '' || readAddress(text).origin) localStorage.setItem(key, text);
}

interface ReadAddress {
  readonly origin?: string;
  readonly problem?: string;
}

/** Both are absent while the input may still become valid. */
function readAddress(text: string): ReadAddress {
  if (['http://', 'https://'].some((start) => start.startsWith(text))) return {};
  const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  // Some browsers escape spaces in host names.
  if (!url || url.hostname.includes('%'))
    return { problem: 'Enter the whole address, such as https://forms.example.com.' };
  const { origin, protocol, hostname, username, password } = url;
  if (username || password)
    return { problem: 'Leave out the user name and the password: visitors would see them.' };
  const path = url.pathname.replace(/\/(api\/v1\b.*|f\/[^/]+)?$/, '');
  if (url.href.replace(/\/$/, '') !== origin + path)
    return { problem: `Enter only the relay’s address: ${origin}${path}` };
  if (protocol === 'http:' && !isLocal.test(hostname))
    return { problem: 'Use https: over http, others can read the submissions.' };
  return { origin: origin + path };
}

/** Hosts outside the public internet: without a public domain, or in private networks (RFC 1918, 4193). */
const isLocal =
  /^(?:[\w-]+|.+\.(?:localhost|local|internal|lan|home\.arpa)|(?:127|10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+|\[(?:::1|f[cd].+)\])$/;
