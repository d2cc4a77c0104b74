/** Pages in frames of an origin of their own (frame/), from which nothing can be sent. */
import type { FromFrame, ToFrame } from '../protocol.ts';

export interface Framed {
  readonly post: (message: ToFrame) => void;
  /** Gets each message from the frame. */
  hear: (message: FromFrame) => void;
}

/** Frames that are on their way, and who waits for them. */
const coming = new Map<HTMLIFrameElement, (port: MessagePort) => void>();

addEventListener('message', ({ source, data, ports }) => {
  if (data !== 'frame') return;
  for (const [frame, come] of coming) {
    const [port] = ports;
    if (frame.contentWindow !== source || !port) continue;
    coming.delete(frame);
    come(port);
  }
});

let loads = 0;
/** Loads an empty page, which waits for what it is to show. */
export const load = (frame: HTMLIFrameElement): Promise<Framed> =>
  new Promise((resolve) => {
    coming.set(frame, (port) => {
      const framed: Framed = { post: (message) => port.postMessage(message), hear: () => {} };
      port.onmessage = ({ data }: MessageEvent<FromFrame>) => framed.hear(data);
      resolve(framed);
    });
    loads += 1;
    // In place of the page before: Back leads to where the visitor was before this one.
    const address = new URL(`frame.html?${loads}`, document.baseURI).href;
    if (frame.getAttribute('src')) frame.contentWindow?.location.replace(address);
    else frame.src = address;
  });
