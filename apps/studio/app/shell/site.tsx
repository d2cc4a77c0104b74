/** "Put it on my site": what an owner takes along, with the address where the relay will be. */

import { Dialog } from '@form-relay/ui/controls';
import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { SiteState } from '../../src/state.ts';
import { Copyable } from '../arrived/bytes.tsx';
import { Tabs } from '../arrived/tabs.tsx';
import { Nowhere } from '../build/outputs/outputs.tsx';
import { state } from '../store.ts';

export function SiteDialog({ onClose }: { readonly onClose: () => void }) {
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

/** All that there is to copy. */
const Code = ({ site, at }: CodeProps) => (
  <>
    <p class="aside">
      Leave out <code>form.css</code> to use your own style.
    </p>
    <Kinds site={site} at={at} />
    <Page address={at(site.page)} />
    <h3>Without a page</h3>
    <p class="aside">From a terminal{site.curlNote}:</p>
    <Copyable length={site.curl.length}>{at(site.curl)}</Copyable>
  </>
);

/** The form's own page, to link to, and its QR code to print. */
function Page({ address }: { readonly address: string }) {
  const code = useSignal<Pictures | undefined>(undefined);
  useEffect(() => {
    let isShown = true;
    void picturesOf(address).then((made) => {
      if (isShown) code.value = made;
    });
    return () => {
      isShown = false;
    };
  }, [address, code]);
  return (
    <>
      <h3>As a page</h3>
      <p class="aside">For a link, a frame, or a printed QR code. Choose its look in the form’s settings.</p>
      <Copyable length={address.length}>{address}</Copyable>
      {code.value && (
        <div class="qr">
          <img src={code.value.svg} alt={`QR code of ${address}`} />
          <a href={code.value.svg} download="form.svg">
            QR code as SVG
          </a>
          <a href={code.value.png} download="form.png">
            QR code as PNG
          </a>
        </div>
      )}
    </>
  );
}

interface Pictures {
  readonly svg: string;
  readonly png: string;
}

async function picturesOf(address: string): Promise<Pictures> {
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

/** The snippets for each kind of site. */
const Kinds = ({ site: { snippets }, at }: CodeProps) => (
  <Tabs
    legend="Site generator or framework"
    views={snippets.map(({ name, parts }) => ({
      title: name,
      show: () =>
        parts.map(({ where, code }) => (
          <div key={where}>
            <p class="aside">{where}</p>
            <Copyable length={code.length}>{at(code)}</Copyable>
          </div>
        )),
    }))}
  />
);

const key = 'relay-url';

const typed = signal(localStorage.getItem(key) || undefined);

/** As typed now or last time, or else PUBLIC_URL. */
export const addressText = (): string => typed.value ?? state.value?.publicUrl ?? '';

export function typeAddress(text: string): void {
  typed.value = text;
  if (text === '' || readAddress(text).origin) localStorage.setItem(key, text);
}

interface ReadAddress {
  readonly origin?: string;
  readonly problem?: string;
}

/** Neither is there while nothing wrong is typed yet. */
export function readAddress(text: string): ReadAddress {
  if (['http://', 'https://'].some((start) => start.startsWith(text))) return {};
  const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  // Some browsers escape a space in a host.
  if (!url || url.hostname.includes('%'))
    return { problem: 'Enter the whole address, such as https://forms.example.com.' };
  const { origin, protocol, hostname, username, password } = url;
  if (username || password)
    return { problem: 'Leave out the user name and the password: visitors would see them.' };
  const path = url.pathname.replace(/\/(api\/v1\b.*|f\/[^/]+)?$/, '');
  if (url.href.replace(/\/$/, '') !== origin + path)
    return { problem: `Leave out what follows the relay’s address: ${origin}${path}` };
  if (protocol === 'http:' && !isLocal.test(hostname))
    return { problem: 'Use https: over http, others can read the submissions.' };
  return { origin: origin + path };
}

/** Hosts that the public internet does not have: names without a domain or of a local one, and private networks (RFC 1918, 4193). */
const isLocal =
  /^(?:[\w-]+|.+\.(?:localhost|local|internal|lan|home\.arpa)|(?:127|10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+|\[(?:::1|f[cd].+)\])$/;
