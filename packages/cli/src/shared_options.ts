/** Value types that several commands accept. */

import { spawn } from 'node:child_process';
import { parseUrl } from '@form-relay/base/url';
import { flag } from '@form-relay/core/command';
import { textSchema } from '@form-relay/schema/scalars';

/** The relay's URL, as visitors' browsers reach it. */
export const relayAddress = textSchema((text, at) => {
  if (!/^https?:\/\/[^/]/.test(text) || !parseUrl(text))
    return at.error('Expected an address such as https://forms.example.com.');
  if (/[?#]/.test(text)) return at.error('Expected an address without a query (?) or fragment (#).');
  return /\/api\/v1(\/|$)/.test(new URL(text).pathname)
    ? at.error('Expected an address without /api/v1, which the relay adds.')
    : text;
});

export const portNumber = textSchema((text, at) => {
  const port = Number(text);
  return !/^\d+$/.test(text) || port > 65_535 ? at.error('Expected a port from 0 to 65535.') : port;
});

/** The option `noOpen` of commands that show a page. */
export const noOpen = flag('do not open a browser; only print the address');

/**
 * Opens the page in the browser of the person at this terminal. Does nothing in a script, over SSH, without a
 * display, or with BROWSER=none. A failure has no effect, because the URL is also printed.
 *
 * @param address Other users of this machine can see it in the process list, so its key must work only once.
 */
export function openBrowser(address: string): void {
  const { BROWSER, CI, SSH_CONNECTION } = process.env;
  if (!process.stdout.isTTY || BROWSER === 'none' || CI || SSH_CONNECTION) return;
  const [program, ...words] = opener(process.platform);
  if (program === undefined) return;
  spawn(program, [...words, address], { detached: true, stdio: 'ignore', windowsHide: true })
    .on('error', () => {})
    .unref();
}

function opener(platform: NodeJS.Platform): readonly string[] {
  if (platform === 'darwin') return ['open'];
  // `start` is not a program but a builtin of cmd.exe, which would interpret `&` in a URL.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  return DISPLAY || WAYLAND_DISPLAY ? ['xdg-open'] : [];
}
